import assert from "node:assert/strict";
import { test } from "node:test";

import { MAX_QUESTION, fragmentOf, wordsOfFragment, wordsOfLine } from "../address.js";

test("a question survives its address", () => {
  for (const words of [
    ["recommend", "Llama-3.1-70B", "--users", "50"],
    ["resolve", "A100|H100:x4+", "--provider", "!aws,gcp", "--region", "eu-*"],
    ["fit", "M4 Max:64GB", "100% \"it's\" <script>alert(1)</script>", "ü😀", "a#b?c&d"],
  ]) {
    const fragment = fragmentOf(words);
    assert.match(fragment, /^#[\w%:,/@=+.~-]*$/);
    assert.deepEqual(wordsOfFragment(fragment), words);
    assert.deepEqual(wordsOfFragment(new URL(fragment, "file:///page.html").hash), words);
  }
});

test("an address is readable, and may be written by hand", () => {
  assert.equal(fragmentOf(["resolve", "H100:x8"]), "#resolve%20H100:x8");
  assert.deepEqual(wordsOfFragment("#sky-accel resolve 'H100:x8'"), ["resolve", "H100:x8"]);
  assert.deepEqual(wordsOfFragment("#"), []);
  assert.deepEqual(wordsOfFragment(""), []);
});

test("damaged, long and unprintable addresses are errors", () => {
  for (const damaged of ["#%", "#%zz", "#%c3", "#%ff%fe"]) assert.throws(() => wordsOfFragment(damaged), /damaged/);
  assert.throws(() => wordsOfFragment(`#${"x".repeat(MAX_QUESTION + 1)}`), /limit is 8192/);
  assert.deepEqual(wordsOfFragment("x".repeat(MAX_QUESTION)).length, 1);
  for (const code of [0x00, 0x0a, 0x1b, 0x7f, 0x85, 0x9b, 0x202e, 0x2066]) {
    const fragment = `#resolve%20${encodeURIComponent(String.fromCodePoint(code))}`;
    assert.throws(() => wordsOfFragment(fragment), /cannot be shown/, `U+${code.toString(16)}`);
  }
  assert.throws(() => wordsOfLine("resolve 'H100"), /is not closed/);
});

test("half of a surrogate pair is replaced", () => {
  assert.deepEqual(wordsOfFragment(fragmentOf(["resolve", "a\ud800b"])), ["resolve", "a\ufffdb"]);
});
