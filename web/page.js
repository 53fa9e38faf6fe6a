// The page: a form or a link gives the words of a question, the engine answers it, and the address keeps it.
import { MAX_QUESTION, fragmentOf, wordsOfFragment, wordsOfLine } from "./address.js";
import { answerTo, summaryOf } from "./answers.js";
import { CatalogView } from "./catalog_view.js";
import { Client, Superseded } from "./client.js";
import { joinWords } from "./command_line.js";
import { fieldOfError } from "./corrections.js";
import { byId, element } from "./dom.js";
import { CommandView, FormView } from "./form_view.js";
import { formOf, wordsOf } from "./form_words.js";
import { problemTexts } from "./problem_view.js";
import { QUESTIONS } from "./questions.js";
import { Toolbar } from "./toolbar.js";

/** Time without a key after which the address, and what screen readers say, follow the form, in milliseconds. */
const PAUSE = 600;
/**
 * An answer that takes the page longer than this to show, in milliseconds, is shown only after a pause between keys: longer
 * tasks delay the next key noticeably.
 */
const LONG_TASK = 50;
/** The pause between keys, in milliseconds. */
const KEY_PAUSE = 150;
const ANY_COMMAND = { title: "Any command", about: "Everything that the command line answers without a network.", start: ["list", "--vendor", "amd"] };
const GROUPS = ["hyperscalers", "neoclouds", "marketplaces", "brokers", "eu"];

const state = {
  /** The words of the form. */
  words: [],
  /** The words that the page has answered, and those that it is asked for while it answers others. */
  answered: null,
  wanted: null,
  isBusy: false,
  /** Whether the form or the address could not be read, which is shown until they change. */
  hasFailed: false,
  /** The view of the form, and the question in it; `null` for any command. */
  view: null,
  question: undefined,
  /** Whether the next change of the form starts a new entry of the history. */
  isSettled: true,
  /** Time to show the last answer, in milliseconds. */
  shownIn: 0,
};
/** Names for suggestions. */
const names = { accelerators: [], models: [], providers: [] };
/** The last words of each question, to which its link leads. */
const lastWords = new Map();
const timers = {};
let client = null;
let catalog = null;
let toolbar = null;
let today = "";

/** Runs a function after a time without another call under the same name. */
function later(name, milliseconds, run) {
  clearTimeout(timers[name]);
  timers[name] = setTimeout(run, milliseconds);
}

/** Shows a question: its form, its command and its answer. */
function showQuestion(words) {
  const form = formOf(words);
  const question = form?.question ?? null;
  if (question !== state.question) {
    state.question = question;
    state.view = question ? new FormView(byId("form"), question, names) : new CommandView(byId("form"));
    const { title, about } = question ?? ANY_COMMAND;
    byId("question-title").textContent = title;
    byId("question-about").textContent = about;
    document.title = `${title} · sky-accel`;
  }
  if (form) state.view.fill(form);
  else state.view.show(joinWords(words));
  ask(words);
}

/** Takes over the words of the form or of a link, and answers them. */
function ask(words) {
  state.words = words;
  state.hasFailed = false;
  lastWords.set(state.question, words);
  byId("command").textContent = `sky-accel ${joinWords(words)}`;
  showLinks();
  state.wanted = words;
  const isSlow = state.shownIn > LONG_TASK;
  if (state.isBusy) client.hurry();
  else later("answer", isSlow ? KEY_PAUSE : 0, answerAll);
}

/** Answers what is wanted, until nothing newer is. */
async function answerAll() {
  if (state.isBusy) return;
  state.isBusy = true;
  byId("answer").setAttribute("aria-busy", "true");
  while (state.wanted) {
    const words = state.wanted;
    state.wanted = null;
    const start = performance.now();
    try {
      const answer = await answerTo((line) => client.askUntilHurry(line), words);
      // An answer to old words is not worth its time if newer words wait.
      const isWorth = !state.hasFailed && (!state.wanted || answer.html !== null);
      if (isWorth) show(words, answer, performance.now() - start);
    } catch (error) {
      if (!(error instanceof Superseded) && !state.wanted) showFailure(error);
    }
  }
  state.isBusy = false;
  byId("answer").removeAttribute("aria-busy");
}

function show(words, answer, milliseconds) {
  const start = performance.now();
  const root = byId("answer");
  showProblems(answer.problems, words);
  // After an error, the last answer to this question stays, marked as old.
  const isSame = state.answered !== null && formOf(state.answered)?.question === state.question;
  if (answer.problems.length > 0 && !isSame) root.replaceChildren();
  root.classList.toggle("old", answer.problems.length > 0 && isSame);
  if (answer.problems.length === 0) {
    if (answer.html === null) {
      root.replaceChildren(element("pre", { tabindex: "0" }, answer.text));
    } else {
      // The engine rendered and escaped this fragment; nothing else is ever parsed as HTML.
      root.innerHTML = answer.html;
      enhance(root);
      offerAllRows(root.querySelector(".more"), words);
    }
    state.answered = words;
    window.skyAccelPage.firstAnswer ??= performance.now();
  }
  later("status", PAUSE, () => {
    byId("status").textContent = summaryOf(answer, root, milliseconds);
  });
  toolbar.answered();
  // Reading a size makes the browser lay out the answer now, so that the time includes it.
  root.getBoundingClientRect();
  state.shownIn = performance.now() - start;
}

/** Adds a button for all rows to the line about rows that the answer left off, unless the words limit the rows. */
function offerAllRows(line, words) {
  const form = formOf(words);
  const canShowAll = line && form?.question.fields.some(({ name }) => name === "all") && !form.values.limit;
  if (!canShowAll) return;
  const all = wordsOf({ ...form, values: { ...form.values, all: "true" } });
  line.append(" ", element("button", { type: "button", onclick: () => follow(all) }, "Show all rows"));
}

/** Shows errors next to the form. */
function showProblems(problems, words) {
  const form = formOf(words);
  state.view.mark(problems.length > 0 && form ? fieldOfError(problems[0], form) : null);
  byId("problem").replaceChildren(...problems.flatMap((problem) => problemTexts(problem, words, follow)));
}

/** Shows an error that is not about the words: of the address, or of the engine. */
function showFailure(error) {
  clearTimeout(timers.answer);
  state.wanted = null;
  state.hasFailed = true;
  state.view?.mark(null);
  byId("problem").replaceChildren(...problemTexts({ message: error.message, hints: [] }, [], follow));
  byId("answer").classList.toggle("old", byId("answer").hasChildNodes());
}

/** Goes to a question as a link does. */
function follow(words) {
  settle();
  history.pushState(null, "", fragmentOf(words));
  showQuestion(words);
  // The pressed button goes away with its error.
  byId("form").querySelector("[aria-invalid], input").focus();
}

/** Writes the words of the form into the address. */
function keepAddress() {
  clearTimeout(timers.address);
  const fragment = fragmentOf(state.words);
  if (fragment === location.hash || fragment.length > MAX_QUESTION) return;
  if (state.isSettled) history.pushState(null, "", fragment);
  else history.replaceState(null, "", fragment);
  state.isSettled = false;
}

/** Ends a change of the form: the next one is another entry of the history. */
function settle() {
  if (timers.address && state.words.length > 0) keepAddress();
  state.isSettled = true;
}

/** Reads the form after a key. */
function readForm() {
  try {
    ask(state.question ? state.view.words() : wordsOfLine(state.view.line));
    later("address", PAUSE, keepAddress);
  } catch (error) {
    showFailure(error);
  }
}

/** Reads the address, at the start and after a link or the back button. */
function readAddress() {
  clearTimeout(timers.address);
  state.isSettled = true;
  try {
    const words = wordsOfFragment(location.hash);
    showQuestion(words.length > 0 ? words : [...QUESTIONS[0].command, ...QUESTIONS[0].start]);
  } catch (error) {
    if (!state.view) showQuestion([...QUESTIONS[0].command, ...QUESTIONS[0].start]);
    showFailure(error);
  }
}

/** Shows the links to the questions. */
function showLinks() {
  const links = [...QUESTIONS, null].map((question) => {
    const { title, start, command = [] } = question ?? ANY_COMMAND;
    const words = lastWords.get(question) ?? [...command, ...start];
    const isCurrent = question === state.question;
    return element("li", {}, element("a", { href: fragmentOf(words), "aria-current": isCurrent && "page" }, title));
  });
  const list = byId("questions");
  // The focused link stays the same element.
  if (list.children.length === 0) list.replaceChildren(...links);
  for (const [at, item] of links.entries()) {
    const [old, made] = [list.children[at].firstChild, item.firstChild];
    old.setAttribute("href", made.getAttribute("href"));
    if (made.hasAttribute("aria-current")) old.setAttribute("aria-current", "page");
    else old.removeAttribute("aria-current");
  }
}

/** Links within the page move the focus, and leave the question in the address. */
function connectLinks() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a.skip, #answer a[href^='#']");
    const target = link && !event.defaultPrevented ? byId(link.getAttribute("href").slice(1)) : null;
    if (!target) return;
    event.preventDefault();
    target.focus();
    target.scrollIntoView();
  });
}

/** Asks for what the page itself shows: the catalog, and names for suggestions. */
async function readCatalog() {
  const list = async (...words) => JSON.parse((await client.ask([...words, "-o", "json"])).stdout);
  catalog.show((await list("list", "--limit", "1")).catalog, today);
  const lines = async (...words) => (await client.ask([...words, "-o", "names"])).stdout.split("\n").filter(Boolean);
  names.accelerators = await lines("list");
  names.models = await lines("models");
  const sold = (await list("list")).results.flatMap(({ providers }) => providers);
  names.providers = [...GROUPS, ...[...new Set(sold)].sort()];
}

function openWorker() {
  const text = new Blob([byId("worker").textContent], { type: "text/javascript" });
  const url = URL.createObjectURL(text);
  const worker = new Worker(url);
  URL.revokeObjectURL(url);
  return worker;
}

function main() {
  // The program counts days in UTC too.
  today = new Date().toISOString().slice(0, 10);
  const data = { module: byId("module").textContent, catalog: byId("catalog").textContent };
  client = new Client(openWorker, { kind: "start", ...data, today });
  catalog = new CatalogView(client, async () => {
    await readCatalog();
    ask(state.words);
  });
  // For tests, and for people who open the console.
  window.skyAccelPage = {
    /** Time from the start of the load to the first answer, in milliseconds. */
    firstAnswer: null,
    ask: (words, input) => client.ask(words, input),
    setToday(day) {
      today = day;
      return client.setToday(day);
    },
  };
  byId("form").addEventListener("input", readForm);
  byId("form").addEventListener("change", settle);
  byId("form").addEventListener("submit", (event) => {
    event.preventDefault();
    settle();
  });
  toolbar = new Toolbar(client, () => state.words);
  connectLinks();
  window.addEventListener("hashchange", readAddress);
  readAddress();
  readCatalog().catch((error) => {
    byId("catalog-age").textContent = "No catalog";
    showFailure(error);
  });
}

document.addEventListener("DOMContentLoaded", main);
