// Command lines as text: split into words as a shell does, and quoted so that a shell gives the same words.

/** Characters that need no quotes in bash, zsh and fish. */
const PLAIN = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+:,./=-]*$/;

/** Characters that `splitWords` keeps as they are. */
const UNQUOTED = /^[^\s'"\\]+$/;

function joined(words, plain) {
  return words.map((word) => (plain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

/** Quotes words for a POSIX shell. */
export function joinWords(words) {
  return joined(words, PLAIN);
}

/** Quotes words for `splitWords`, which needs fewer quotes than a shell. */
export function joinPlainly(words) {
  return joined(words, UNQUOTED);
}

/**
 * Splits a line at spaces, except within quotes. Nothing is expanded: `|`, `*` and `$` are ordinary characters,
 * because specs such as `A100|H100` contain them.
 *
 * Returns the words; throws an Error whose message is for people where a quote is not closed.
 */
export function splitWords(line) {
  const words = [];
  let word = null;
  let quote = null;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at];
    if (quote === null && /\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (quote === null && (character === "'" || character === '"')) {
      quote = character;
      word ??= "";
    } else if (character === quote) {
      quote = null;
    } else if (character === "\\" && quote !== "'") {
      const next = line[at + 1];
      // Within double quotes, a backslash protects only these.
      const isEscape = next !== undefined && (quote === null || '"\\$`'.includes(next));
      word = (word ?? "") + (isEscape ? next : character);
      if (isEscape) at += 1;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== null) throw new Error(`the quote ${quote} is not closed`);
  if (word !== null) words.push(word);
  return words;
}

/** Drops the name of the program, with which people paste a command line. */
export function withoutProgram(words) {
  return words[0] === "sky-accel" ? words.slice(1) : words;
}

/** Removes the output format from a command line. Returns the other words, and the format or `null`. */
export function splitOutput(words) {
  const others = [];
  let output = null;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === "--") {
      others.push(...words.slice(at));
      break;
    }
    const joined = /^(?:--output=|-o=?)(.+)$/s.exec(word);
    if (joined) {
      output = joined[1];
    } else if (word === "-o" || word === "--output") {
      output = words[at + 1] ?? "";
      at += 1;
    } else {
      others.push(word);
    }
  }
  return { words: others, output };
}

/** Adds an output format to a command line that has none. */
export function withOutput(words, output) {
  const end = words.indexOf("--");
  const place = end < 0 ? words.length : end;
  return [...words.slice(0, place), "-o", output, ...words.slice(place)];
}
