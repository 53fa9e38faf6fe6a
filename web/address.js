// The question in the fragment of the address: `#recommend%20Llama-3.1-8B%20--users%2050`.
import { joinWords, splitWords, withoutProgram } from "./command_line.js";

/** Maximum length of a fragment and of a command line, in characters. */
export const MAX_QUESTION = 8192;

/** C0 and C1 controls, and characters that reorder text. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** The fragment of a question, with its `#`. */
export function fragmentOf(words) {
  // Half of a surrogate pair has no encoding.
  const line = joinWords(words).replace(/[\ud800-\udfff]/gu, "\ufffd");
  const readable = { "%3A": ":", "%2C": ",", "%2F": "/", "%40": "@", "%3D": "=", "%2B": "+" };
  const encoded = encodeURIComponent(line).replace(/%(?:3A|2C|2F|40|3D|2B)/g, (code) => readable[code]);
  // Programs that find addresses in a text often leave out these characters.
  return `#${encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)}`;
}

/**
 * Reads a fragment, with or without its `#`. Everything in it is untrusted.
 *
 * Returns the words of the question, `[]` for an empty fragment; throws an Error whose message is for people.
 */
export function wordsOfFragment(fragment) {
  const text = fragment.replace(/^#/, "");
  if (text.length > MAX_QUESTION) {
    throw new Error(`the question in the address has ${text.length} characters: the limit is ${MAX_QUESTION}`);
  }
  let line;
  try {
    line = decodeURIComponent(text);
  } catch {
    throw new Error("the question in the address is damaged: a % is not followed by the code of a character");
  }
  return wordsOfLine(line);
}

/** Reads a command line that a person wrote or pasted; throws an Error whose message is for people. */
export function wordsOfLine(line) {
  if (line.length > MAX_QUESTION) {
    throw new Error(`the question has ${line.length} characters: the limit is ${MAX_QUESTION}`);
  }
  if (UNPRINTABLE.test(line)) {
    throw new Error("the question contains characters that cannot be shown, such as a line feed");
  }
  return withoutProgram(splitWords(line));
}
