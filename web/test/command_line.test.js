import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

import { joinWords, splitOutput, splitWords, withOutput, withoutProgram } from "../command_line.js";

/** Words that shells and people get wrong. */
const WORDS = [
  ["resolve", "A100:80GB|H100:x8", "--max-price", "25"],
  ["recommend", "it's", '"quoted"', "a b", "", "$HOME", "`id`", "$(id)", "!aws", "*", "~", "a\\b", "ü€😀", ";", "&&", "#"],
  ["mig", "fit", "H100", "1g.10gb*2", "=x", "--gpus=2", "(", ")", "{a,b}", "'", "''", "\\'"],
];

test("quoted words split into the same words", () => {
  for (const words of WORDS) assert.deepEqual(splitWords(joinWords(words)), words);
});

test("a shell reads quoted words as they were", () => {
  for (const words of WORDS) {
    const printed = execFileSync("sh", ["-c", `printf '%s\\0' ${joinWords(words)}`], { encoding: "utf8" });
    assert.deepEqual(printed.split("\0").slice(0, -1), words);
  }
});

test("plain words stay readable", () => {
  assert.equal(joinWords(["resolve", "A100:80GB:x8", "--provider", "aws,gcp"]), "resolve A100:80GB:x8 --provider aws,gcp");
});

test("quotes that are not closed are errors", () => {
  for (const line of ["'", 'a "b', "'a' \"", 'x"y\\"']) assert.throws(() => splitWords(line), /is not closed/);
});

test("nothing is expanded", () => {
  assert.deepEqual(splitWords("resolve H100|A100 $HOME * ; x"), ["resolve", "H100|A100", "$HOME", "*", ";", "x"]);
  assert.deepEqual(splitWords('a\\ b "c\\"d" \'e\\f\' g\\'), ["a b", 'c"d', "e\\f", "g\\"]);
  assert.deepEqual(splitWords("  \t "), []);
  assert.deepEqual(withoutProgram(["sky-accel", "list"]), ["list"]);
});

test("the output format is found in every spelling", () => {
  for (const format of [["-o", "csv"], ["-ocsv"], ["-o=csv"], ["--output", "csv"], ["--output=csv"]]) {
    assert.deepEqual(splitOutput(["list", ...format, "--mig"]), { words: ["list", "--mig"], output: "csv" });
  }
  assert.deepEqual(splitOutput(["list", "--", "-o"]), { words: ["list", "--", "-o"], output: null });
  assert.deepEqual(splitOutput(["list", "-o"]), { words: ["list"], output: "" });
  assert.deepEqual(withOutput(["resolve", "--", "-x"], "json"), ["resolve", "-o", "json", "--", "-x"]);
});
