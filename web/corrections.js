// Suggestions of an error as command lines: "did you mean" as something to press.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Whether a hint is a word in place of a wrong one, and no sentence. */
function isReplacement(hint) {
  return /^\S{1,80}$/.test(hint);
}

/** Replaces a part of a word: at a span of bytes if the error has one there, else the whole word or one of its parts. */
function replaced(word, wrong, right, span) {
  if (span) {
    const bytes = encoder.encode(word);
    if (span.end <= bytes.length && decoder.decode(bytes.slice(span.start, span.end)) === wrong) {
      return decoder.decode(bytes.slice(0, span.start)) + right + decoder.decode(bytes.slice(span.end));
    }
  }
  const parts = word.split(/([,=|])/);
  const at = parts.findIndex((part) => part === wrong || part === `!${wrong}`);
  if (at < 0) return null;
  parts[at] = parts[at].startsWith("!") && !wrong.startsWith("!") ? `!${right}` : right;
  return parts.join("");
}

/**
 * The corrections of an error of `sky-accel.error.v1` for the words of a command line.
 *
 * Returns `{ wrong, choices, advice }`: the text that is wrong or `null`, corrections as `{ text, words }`, and hints
 * that are sentences.
 */
export function correctionsOf(error, words) {
  const wrong = /'([^']+)'/.exec(error.message)?.[1] ?? null;
  const choices = [];
  const advice = [];
  for (const hint of error.hints) {
    const corrected = wrong !== null && isReplacement(hint) ? corrections(words, wrong, hint, error.span) : null;
    if (corrected) choices.push({ text: hint, words: corrected });
    else advice.push(hint);
  }
  return { wrong, choices, advice };
}

function corrections(words, wrong, right, span) {
  for (const [at, word] of words.entries()) {
    const better = replaced(word, wrong, right, span);
    if (better !== null) return words.with(at, better);
  }
  return null;
}

/** The name of the field that an error is about: the one whose value contains the wrong text or whose flag is named. */
export function fieldOfError(error, { question, values }) {
  const { wrong } = correctionsOf(error, []);
  const byFlag = question.fields.find(({ flag }) => flag && new RegExp(`${flag}(?![\\w-])`).test(error.message));
  const byValue = question.fields.find(({ name }) => wrong !== null && values[name]?.includes(wrong));
  return (byFlag ?? byValue)?.name ?? null;
}
