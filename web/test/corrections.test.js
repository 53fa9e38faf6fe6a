import assert from "node:assert/strict";
import { test } from "node:test";

import { correctionsOf, fieldOfError } from "../corrections.js";
import { formOf } from "../form_words.js";

const error = (message, hints, span) => ({ code: "x", message, hints, ...(span && { span }) });

test("a hint takes the place of the wrong text", () => {
  const spec = error("unknown accelerator 'H10'", ["H100", "H200"], { start: 5, end: 8 });
  assert.deepEqual(correctionsOf(spec, ["resolve", "A100|H10:x8"]).choices, [
    { text: "H100", words: ["resolve", "A100|H100:x8"] },
    { text: "H200", words: ["resolve", "A100|H200:x8"] },
  ]);
  const provider = error("unknown provider 'asw'", ["aws"]);
  assert.deepEqual(correctionsOf(provider, ["resolve", "H100", "--provider", "gcp,asw"]).choices, [
    { text: "aws", words: ["resolve", "H100", "--provider", "gcp,aws"] },
  ]);
  const excluded = correctionsOf(provider, ["resolve", "H100", "--provider", "!asw"]);
  assert.deepEqual(excluded.choices[0].words.at(-1), "!aws");
  const flag = error("unexpected argument '--regon' found", ["--region"]);
  assert.deepEqual(correctionsOf(flag, ["resolve", "H100", "--regon=EU"]).choices[0].words.at(-1), "--region=EU");
});

test("spans count bytes", () => {
  const spec = error("unknown part 'x9'", ["x8"], { start: 3, end: 5 });
  assert.deepEqual(correctionsOf(spec, ["resolve", "ü:x9"]).choices[0].words, ["resolve", "ü:x8"]);
});

test("sentences and hints without a place are advice", () => {
  const model = error("unknown model 'Lama'", ["give a size such as 13B", "13B"]);
  assert.deepEqual(correctionsOf(model, ["recommend", "Lama"]).advice, ["give a size such as 13B"]);
  assert.deepEqual(correctionsOf(model, ["recommend"]).advice.length, 2);
  assert.deepEqual(correctionsOf(error("no quotes", ["aws"]), ["resolve"]), { wrong: null, choices: [], advice: ["aws"] });
});

test("an error finds its field", () => {
  const form = formOf(["resolve", "H10", "--provider", "asw"]);
  assert.equal(fieldOfError(error("unknown provider 'asw'", []), form), "provider");
  assert.equal(fieldOfError(error("unknown accelerator 'H10'", []), form), "spec");
  assert.equal(fieldOfError(error("--max-price: write a number", []), form), "max-price");
  assert.equal(fieldOfError(error("something else", []), form), null);
});
