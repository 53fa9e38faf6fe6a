// An error as the page shows it: its message, corrections to press, and advice.
import { correctionsOf } from "./corrections.js";
import { element } from "./dom.js";

/**
 * The paragraphs of an error of `sky-accel.error.v1` for the words of a command line. `follow` is called with the words
 * of a correction when its button is pressed.
 */
export function problemTexts(problem, words, follow) {
  const { choices, advice } = correctionsOf(problem, words);
  const buttons = choices.map(({ text, words: corrected }) => {
    return element("button", { type: "button", onclick: () => follow(corrected) }, text);
  });
  return [
    element("p", {}, element("strong", {}, "Error: "), problem.message),
    ...(buttons.length > 0 ? [element("p", { class: "buttons" }, "Did you mean ", ...buttons)] : []),
    ...advice.map((hint) => element("p", { class: "soft" }, hint)),
  ];
}
