// Answers of the engine in the form that the page shows: a fragment of HTML, or a text.
import { splitOutput, withOutput } from "./command_line.js";

/** The first text of each fragment that the engine renders. */
const FRAGMENT = '<section class="part';
const NOTHING_MATCHES = 1;

/** Whether an answer has a result: exit code 0, 1, 5 and 7 have one, if something was printed. */
function hasResult({ exit_code, stdout }) {
  return exit_code <= NOTHING_MATCHES || stdout !== "";
}

/**
 * Asks a question. `ask` answers a command line.
 *
 * Returns `{ html, text, problems }`: `html` is a fragment that the engine rendered from escaped texts, or `null`; `text`
 * is anything else that it printed, and no HTML; `problems` are errors of `sky-accel.error.v1`.
 */
export async function answerTo(ask, words) {
  const { output } = splitOutput(words);
  if (output === null) {
    const answer = await ask(withOutput(words, "fragment"));
    if (hasResult(answer) && answer.stdout.startsWith(FRAGMENT)) {
      return { html: answer.stdout, text: "", problems: [] };
    }
  }
  // Help, plans and chosen formats are texts.
  const answer = await ask(words);
  if (hasResult(answer)) {
    return { html: null, text: answer.stdout || answer.stderr, problems: [] };
  }
  return { html: null, text: "", problems: await problemsOf(ask, words, answer.stderr) };
}

/** The errors of a command line that failed. */
async function problemsOf(ask, words, message) {
  const { stderr } = await ask(asJson(words));
  try {
    const { error, more = [] } = JSON.parse(stderr);
    return [error, ...more];
  } catch {
    return [{ code: "internal", message: message.trim() || "the command failed without a message", hints: [] }];
  }
}

/** The command line that prints the same answer as JSON. */
export function asJson(words) {
  return withOutput(splitOutput(words).words, "json");
}

/** A sentence about an answer, for people who do not see it change. */
export function summaryOf({ html, problems }, root, milliseconds) {
  if (problems.length > 0) return `Error: ${problems[0].message}.`;
  const time = `${Math.max(1, Math.round(milliseconds))} ms`;
  // The last section has the heading of every answer.
  const heading = root.querySelector("section:not(.about) h2")?.textContent.trim();
  const rows = root.querySelectorAll("tbody tr").length;
  const parts = [html && heading ? heading : "Answered", ...(rows > 0 ? [rows === 1 ? "1 row" : `${rows} rows`] : []), `computed in ${time}`];
  return `${parts.join(", ")}.`;
}
