// The catalog that answers: its date, and the user's own files on top of it.
import { byId, element } from "./dom.js";

/** Maximum size of a catalog file, in bytes. The engine limits all files together. */
const MAX_BYTES = 20_000_000;
const DAY_MS = 86_400_000;

/** Connects the part of the page that opens and removes catalog files. `changed` is called after each change. */
export class CatalogView {
  #client;
  #changed;
  #files = [];

  constructor(client, changed) {
    this.#client = client;
    this.#changed = changed;
    byId("files").addEventListener("change", async ({ target }) => {
      await this.#open(target.files);
      // The same file can be opened again after a change.
      target.value = "";
    });
    byId("remove-files").addEventListener("click", () => this.#remove());
    this.#acceptDrops();
  }

  /** Files dropped anywhere are opened, and never replace the page. */
  #acceptDrops() {
    const root = document.documentElement;
    const hasFiles = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
    for (const type of ["dragenter", "dragover"]) {
      root.addEventListener(type, (event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        root.classList.add("dropping");
      });
    }
    root.addEventListener("dragleave", (event) => {
      if (event.relatedTarget === null) root.classList.remove("dropping");
    });
    root.addEventListener("drop", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      root.classList.remove("dropping");
      this.#open(event.dataTransfer.files);
    });
  }

  async #open(files) {
    const problem = byId("file-problem");
    problem.replaceChildren();
    for (const file of [...files]) {
      try {
        await this.#add(file);
      } catch (error) {
        problem.append(
          element("p", {}, element("strong", {}, file.name), " was not added:"),
          element("pre", { tabindex: "0" }, error.message));
      }
    }
    await this.#changed();
  }

  async #add(file) {
    if (file.size > MAX_BYTES) throw new Error(`the file has ${file.size} bytes: the limit is ${MAX_BYTES}`);
    byId("file-list").replaceChildren(element("li", {}, `Reading ${file.name} …`));
    try {
      let text;
      try {
        text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      } catch {
        throw new Error("the file is not UTF-8 text");
      }
      await this.#client.addOverlay(file.name, text);
      this.#files.push(file.name);
    } finally {
      this.#list();
    }
  }

  async #remove() {
    await this.#client.removeOverlays();
    this.#files = [];
    byId("file-problem").replaceChildren();
    this.#list();
    byId("files").focus();
    await this.#changed();
  }

  #list() {
    byId("file-list").replaceChildren(...this.#files.map((name) => element("li", {}, name)));
    byId("remove-files").hidden = this.#files.length === 0;
  }

  /** Shows the catalog of an answer in JSON. */
  show({ version, as_of }, today) {
    const age = Math.round((Date.parse(today) - Date.parse(as_of)) / DAY_MS);
    const days = age === 1 ? "1 day old" : `${age} days old`;
    const own = this.#files.length > 0 ? `, with ${this.#files.join(", ")}` : "";
    byId("catalog-age").textContent = `Catalog ${version}, newest fact of ${as_of}, ${days}${own}`;
  }
}
