// The words of a command line from the values of a form, and back, by the table of questions.
import { joinPlainly, splitWords } from "./command_line.js";
import { QUESTIONS } from "./questions.js";

/**
 * Reads words into a form.
 *
 * Returns `{ question, values, rest }`: `values` maps names of fields to texts (`"true"` for a switch that is on), and
 * `rest` has all words from the first one for which the form has no field. Returns `null` if no question has this
 * command.
 */
export function formOf(words) {
  const question = QUESTIONS.find(({ command }) => command.every((word, at) => words[at] === word));
  if (!question) return null;
  const values = {};
  const args = question.fields.filter((field) => !field.flag);
  let at = question.command.length;
  while (at < words.length) {
    const used = readFlag(question, values, words, at) || readArgument(args, values, words, at);
    if (used === 0) break;
    at += used;
  }
  return { question, values, rest: words.slice(at) };
}

/** Reads a flag. Returns the number of words that it takes, 0 if it is no flag of the form. */
function readFlag(question, values, words, at) {
  const [, name, joined] = /^(--[^=]*)(?:=(.*))?$/s.exec(words[at]) ?? [];
  const field = question.fields.find((one) => one.flag !== undefined && one.flag === name);
  if (!field) return 0;
  const isRepeated = values[field.name] !== undefined;
  if (field.kind === "switch") {
    if (isRepeated || joined !== undefined) return 0;
    values[field.name] = "true";
    return 1;
  }
  const value = joined ?? words[at + 1];
  const isOption = joined === undefined && value?.startsWith("-");
  if (value === undefined || value === "" || isOption || (isRepeated && field.kind !== "list")) return 0;
  if (field.kind === "choice" && !field.choices.includes(value)) return 0;
  values[field.name] = isRepeated ? `${values[field.name]},${value}` : value;
  return joined === undefined ? 2 : 1;
}

/** Reads an argument into the first free field. Returns the number of words that it takes. */
function readArgument(args, values, words, at) {
  const word = words[at];
  const field = args.find((one) => values[one.name] === undefined || one.kind === "words");
  if (!field || word.startsWith("-") || word === "") return 0;
  const isFirst = values[field.name] === undefined;
  const text = field.kind === "words" ? joinPlainly([word]) : word;
  values[field.name] = isFirst ? text : `${values[field.name]} ${text}`;
  return 1;
}

/**
 * Writes a form as words: the command, its arguments, its flags, and the rest.
 *
 * Throws an Error whose message is for people where a quote of a field is not closed.
 */
export function wordsOf({ question, values, rest }) {
  const args = [];
  const flags = [];
  for (const field of question.fields) {
    const value = (values[field.name] ?? "").trim();
    if (value === "") continue;
    if (!field.flag) {
      args.push(...(field.kind === "words" ? splitWords(value) : [value]));
    } else if (field.kind === "switch") {
      flags.push(field.flag);
    } else if (value.startsWith("-")) {
      flags.push(`${field.flag}=${value}`);
    } else {
      flags.push(field.flag, value);
    }
  }
  // An argument is never read as an option.
  const isHidden = args.some((word) => word.startsWith("-"));
  return isHidden
    ? [...question.command, ...flags, ...rest, "--", ...args]
    : [...question.command, ...args, ...flags, ...rest];
}
