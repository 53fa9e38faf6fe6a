import assert from "node:assert/strict";
import { test } from "node:test";

import { splitWords } from "../command_line.js";
import { formOf, wordsOf } from "../form_words.js";
import { QUESTIONS } from "../questions.js";

test("each question begins with its example, which its form holds", () => {
  for (const { command, start } of QUESTIONS) {
    const form = formOf([...command, ...start]);
    assert.deepEqual(form.rest, []);
    assert.deepEqual(wordsOf(form), [...command, ...start]);
  }
});

test("a form with a value in each field survives its words", () => {
  for (const question of QUESTIONS) {
    const values = {};
    for (const field of question.fields) {
      values[field.name] = { choice: field.choices?.at(-1), switch: "true" }[field.kind] ?? field.example;
    }
    const words = wordsOf({ question, values, rest: ["--quiet"] });
    assert.deepEqual(formOf(words), { question, values, rest: ["--quiet"] });
  }
});

test("fields are unique and complete", () => {
  for (const { command, fields } of QUESTIONS) {
    const names = fields.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length, command.join(" "));
    for (const { name, label, kind, choices, example } of fields) {
      assert.ok(label, name);
      assert.ok(kind === "switch" || (kind === "choice" ? choices.length > 0 : example), name);
    }
  }
});

test("words without a field stay as they are, with all words after them", () => {
  for (const line of [
    "resolve H100 A100 --limit 3",
    "resolve H100 --map --limit 3",
    "recommend --users 50 --chart Llama-3.1-8B",
    "fit L4 --unknown x Llama-3.1-8B --users 3",
    "recommend X --users 3 --users 4",
    "recommend X --objective fastest",
    "resolve H100 --at-least=true",
    "resolve H100 --max-price",
    "resolve H100 -o csv",
    "resolve -- -x",
  ]) {
    const words = splitWords(line);
    const form = formOf(words);
    assert.ok(form.rest.length > 0, line);
    // The order of arguments is unchanged, and no word is lost.
    assert.deepEqual([...wordsOf(form)].sort(), [...words].sort(), line);
    const args = (list) => list.filter((word) => !word.startsWith("-"));
    if (!line.includes("--users")) assert.deepEqual(args(wordsOf(form)), args(words), line);
  }
});

test("repeated lists are joined, and other spellings of a flag are read", () => {
  const { values } = formOf(["resolve", "H100", "--provider", "aws", "--provider=gcp,oci", "--max-price=2"]);
  assert.deepEqual(values, { spec: "H100", provider: "aws,gcp,oci", "max-price": "2" });
});

test("a value is never an option", () => {
  const { question } = formOf(["resolve"]);
  assert.deepEqual(wordsOf({ question, values: { spec: "--live", "max-price": "-1" }, rest: ["-q"] }), [
    "resolve", "--max-price=-1", "-q", "--", "--live",
  ]);
  assert.deepEqual(wordsOf({ question, values: { spec: "  " }, rest: [] }), ["resolve"]);
});

test("several arguments are split at spaces, and quoted if they contain one", () => {
  const form = formOf(["compare", "H100", "M4 Max:64GB"]);
  assert.equal(form.values.names, "H100 'M4 Max:64GB'");
  assert.deepEqual(wordsOf(form), ["compare", "H100", "M4 Max:64GB"]);
  assert.throws(() => wordsOf({ ...form, values: { names: "H100 'M4" } }), /is not closed/);
});

test("other commands have no form", () => {
  for (const words of [[], ["list"], ["mig"], ["mig", "profiles"], ["H100"]]) assert.equal(formOf(words), null);
});
