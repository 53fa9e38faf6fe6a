// The form of a question, made from the table of questions.
import { joinPlainly, splitWords } from "./command_line.js";
import { element } from "./dom.js";
import { wordsOf } from "./form_words.js";

/** Maximum number of suggestions below a field. */
const MAX_SUGGESTIONS = 40;
/** Maximum length of a field, in characters. */
const MAX_VALUE = 1000;
/** Field for flags that the form has no field for. */
const REST = { name: "rest", label: "Other options", example: "--explain", hint: "Any option of the command line" };

/** What separates the names of a field, so that only the last one is completed. */
const SEPARATORS = { words: /\s+/, list: /,/, accelerators: /\|/ };

/** The form of one question. */
export class FormView {
  /** `names` maps the names of catalogs' lists to lists of suggestions, which may come later. */
  constructor(form, question, names) {
    this.question = question;
    this.names = names;
    this.inputs = new Map();
    const [main, more] = [false, true].map((isMore) => question.fields.filter((field) => Boolean(field.more) === isMore));
    this.more = element("details", { class: "more" },
      element("summary", {}, "More conditions"),
      element("div", { class: "fields" }, ...more.map((field) => this.#row(field)), this.#row(REST)));
    form.replaceChildren(element("div", { class: "fields" }, ...main.map((field) => this.#row(field))), this.more);
  }

  #row(field) {
    const id = `field-${field.name}`;
    const hintId = field.hint ? `${id}-hint` : null;
    const input = this.#input(field, id, hintId);
    const list = field.suggest ? [this.#list(field, input, `${id}-names`)] : [];
    this.inputs.set(field.name, input);
    const label = element("label", { for: id }, field.unit ? `${field.label} (${field.unit})` : field.label);
    if (field.kind === "switch") return element("p", { class: "field switch" }, input, label);
    const hint = field.hint ? [element("span", { class: "hint", id: hintId }, field.hint)] : [];
    return element("p", { class: "field" }, label, input, ...list, ...hint);
  }

  #input(field, id, hintId) {
    const shared = { id, name: field.name, "aria-describedby": hintId };
    if (field.kind === "switch") return element("input", { ...shared, type: "checkbox" });
    if (field.kind === "choice") {
      const choices = field.choices.map((choice) => element("option", { value: choice }, choice));
      return element("select", shared, element("option", { value: "" }, "default"), ...choices);
    }
    return element("input", {
      ...shared, type: "text", placeholder: field.example, maxlength: MAX_VALUE, spellcheck: "false",
      autocapitalize: "off", list: field.suggest ? `${id}-names` : null,
    });
  }

  /** Makes the list of suggestions of an input. */
  #list(field, input, id) {
    const list = element("datalist", { id });
    const suggest = () => list.replaceChildren(...this.#suggestions(field, input.value));
    input.addEventListener("input", suggest);
    input.addEventListener("focus", suggest);
    return list;
  }

  /** Completes the last name of a field. */
  #suggestions(field, text) {
    const separator = SEPARATORS[field.kind] ?? SEPARATORS[field.suggest];
    const typed = separator ? text.split(separator).at(-1) : text;
    const before = text.slice(0, text.length - typed.length);
    const all = Array.isArray(field.suggest) ? field.suggest : (this.names[field.suggest] ?? []);
    const wanted = typed.toLowerCase();
    const found = all.filter((name) => name.toLowerCase().includes(wanted)).slice(0, MAX_SUGGESTIONS);
    return found.map((name) => element("option", { value: before + name }));
  }

  /** Shows values, and the words that have no field. */
  fill({ values, rest }) {
    for (const [name, input] of this.inputs) {
      const value = name === REST.name ? joinPlainly(rest) : (values[name] ?? "");
      if (input.type === "checkbox") input.checked = value === "true";
      else if (input.value !== value) input.value = value;
    }
    const isUsed = rest.length > 0 || this.question.fields.some(({ name, more }) => more && values[name]);
    if (isUsed) this.more.open = true;
  }

  /** The values of the form; throws an Error whose message is for people. */
  read() {
    const values = {};
    for (const { name } of this.question.fields) {
      const input = this.inputs.get(name);
      const value = input.type === "checkbox" ? String(input.checked) : input.value.trim();
      if (value !== "" && value !== "false") values[name] = value;
    }
    return { question: this.question, values, rest: splitWords(this.inputs.get(REST.name).value) };
  }

  /** The words of the form; throws an Error whose message is for people. */
  words() {
    return wordsOf(this.read());
  }

  /** Marks the field that an error is about, if there is one. */
  mark(wrong) {
    for (const [name, input] of this.inputs) {
      if (name === wrong) {
        input.setAttribute("aria-invalid", "true");
        input.setAttribute("aria-errormessage", "problem");
      } else {
        input.removeAttribute("aria-invalid");
        input.removeAttribute("aria-errormessage");
      }
    }
  }
}

/** The form of any command line. */
export class CommandView {
  constructor(form) {
    this.input = element("input", {
      id: "field-line", type: "text", spellcheck: "false", autocapitalize: "off", class: "line",
      placeholder: "list --vendor amd", "aria-describedby": "field-line-hint",
    });
    form.replaceChildren(element("p", { class: "field" },
      element("label", { for: "field-line" }, "Command line, without its first word sky-accel"),
      this.input,
      element("span", { class: "hint", id: "field-line-hint" },
        "help lists all commands. Commands that need a terminal, the network or files do not work here.")));
  }

  get line() {
    return this.input.value;
  }

  show(line) {
    if (this.input.value !== line) this.input.value = line;
  }

  mark(wrong) {
    if (wrong === null) this.input.removeAttribute("aria-invalid");
    else this.input.setAttribute("aria-invalid", "true");
  }
}
