// The buttons of an answer: its command, its link and its JSON.
import { fragmentOf } from "./address.js";
import { asJson } from "./answers.js";
import { byId, copy, save } from "./dom.js";

/** Characters of JSON that the page shows; the file has all of them. */
const MAX_JSON = 200_000;
/** Time for which a button says what it did, in milliseconds. */
const SAID = 2_000;

export class Toolbar {
  #client;
  #words;

  /** `words` returns the words of the question. */
  constructor(client, words) {
    this.#client = client;
    this.#words = words;
    this.#connect("copy-command", "Copied", () => copy(byId("command").textContent));
    this.#connect("copy-link", "Copied", () => copy(location.href.replace(/#.*$/s, "") + fragmentOf(words())));
    this.#connect("save-json", "Saved", async () => {
      save("answer.json", "application/json", await this.#json());
      return true;
    });
    byId("show-json").addEventListener("click", () => this.#toggle());
  }

  /** Follows a new answer. */
  answered() {
    if (!byId("json").hidden) this.#show();
  }

  /** Does what a button is for, and says so on the button for a moment. */
  #connect(id, done, run) {
    const button = byId(id);
    const label = button.textContent;
    button.addEventListener("click", async () => {
      const isDone = await run().catch(() => false);
      button.textContent = isDone ? done : "Not possible";
      setTimeout(() => { button.textContent = label; }, SAID);
    });
  }

  /** What the command line prints with `-o json`; for a question with an error, the error. */
  async #json() {
    const { stdout, stderr } = await this.#client.ask(asJson(this.#words()));
    return stdout || stderr;
  }

  async #show() {
    const json = await this.#json().catch((error) => error.message);
    const more = json.length - MAX_JSON;
    byId("json").textContent = more > 0 ? `${json.slice(0, MAX_JSON)}\n… ${more} more characters: download the file` : json;
  }

  #toggle() {
    const [json, button] = [byId("json"), byId("show-json")];
    json.hidden = !json.hidden;
    button.setAttribute("aria-expanded", String(!json.hidden));
    button.textContent = json.hidden ? "Show JSON" : "Hide JSON";
    if (!json.hidden) this.#show();
  }
}
