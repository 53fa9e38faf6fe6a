import assert from "node:assert/strict";
import { test } from "node:test";

import { answerTo, asJson } from "../answers.js";

const FRAGMENT = '<section class="part" aria-label="Answer"><p>one</p></section>';
const ERROR = { code: "usage.unknown-provider", message: "unknown provider 'asw'", hints: ["aws"] };

/** Answers by the last two words, which are the output format if there is one. */
function engine(answers) {
  const asked = [];
  const ask = async (words) => {
    asked.push(words);
    const format = words.at(-2) === "-o" ? words.at(-1) : "text";
    return { exit_code: 0, stdout: "", stderr: "", ...answers[format] };
  };
  return { ask, asked };
}

test("a fragment is the only HTML", async () => {
  const { ask, asked } = engine({ fragment: { stdout: FRAGMENT } });
  assert.deepEqual(await answerTo(ask, ["resolve", "H100"]), { html: FRAGMENT, text: "", problems: [] });
  assert.deepEqual(asked, [["resolve", "H100", "-o", "fragment"]]);
});

test("nothing that matches is an answer too", async () => {
  const { ask } = engine({ fragment: { exit_code: 1, stdout: FRAGMENT } });
  assert.equal((await answerTo(ask, ["resolve", "H100"])).html, FRAGMENT);
});

test("texts are never HTML, even if they look like it", async () => {
  // A command that knows no fragments.
  const help = engine({ fragment: { exit_code: 2 }, text: { stdout: FRAGMENT } });
  assert.deepEqual(await answerTo(help.ask, ["help"]), { html: null, text: FRAGMENT, problems: [] });
  // A format that the question itself has.
  for (const output of ["fragment", "csv"]) {
    const own = engine({ [output]: { stdout: FRAGMENT } });
    assert.deepEqual(await answerTo(own.ask, ["resolve", "H100", "-o", output]), { html: null, text: FRAGMENT, problems: [] });
    assert.equal(own.asked.length, 1);
  }
  // An output that is no fragment.
  const other = engine({ fragment: { stdout: "<img>" }, text: { stdout: "<img>" } });
  assert.equal((await answerTo(other.ask, ["list"])).html, null);
});

test("errors are read from JSON, and a text without JSON is an error too", async () => {
  const refused = { exit_code: 2, stderr: "error: unknown provider 'asw'\n" };
  const json = { exit_code: 2, stderr: JSON.stringify({ schema: "sky-accel.error.v1", error: ERROR, more: [ERROR] }) };
  const known = engine({ fragment: refused, text: refused, json });
  assert.deepEqual((await answerTo(known.ask, ["resolve", "H100"])).problems, [ERROR, ERROR]);
  const trap = { exit_code: 70, stderr: "error: internal error\n" };
  const unknown = engine({ fragment: trap, text: trap, json: trap });
  const { problems } = await answerTo(unknown.ask, ["resolve", "H100"]);
  assert.deepEqual(problems, [{ code: "internal", message: "error: internal error", hints: [] }]);
});

test("JSON replaces another format", () => {
  assert.deepEqual(asJson(["resolve", "H100", "-o", "csv"]), ["resolve", "H100", "-o", "json"]);
});
