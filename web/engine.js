// The command line in WebAssembly: starts the module of the page, and asks it.
"use strict";

const skyAccel = (() => {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();

  /** Returns the bytes of a block of the page: gzip in base64. */
  async function block(id) {
    const text = document.getElementById(id).textContent.trim();
    const packed = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  /** Returns today in UTC, as the program counts days. */
  function today() {
    return new Date().toISOString().slice(0, 10);
  }

  class Engine {
    #module;
    #catalog;
    #exports;
    #today = today();
    #overlays = new Map();

    constructor(module, catalog) {
      this.#module = module;
      this.#catalog = catalog;
      this.#restart();
    }

    /** Answers a command line, which starts after `sky-accel`, as the program does. */
    ask(words, input = "") {
      try {
        return JSON.parse(this.#call("ask", JSON.stringify({ words, input })));
      } catch (error) {
        if (!(error instanceof WebAssembly.RuntimeError) && !(error instanceof RangeError)) {
          throw error;
        }
        // After a trap, the state of the instance is unknown.
        this.#restart();
        const stderr = "error: internal error; please report it\n";
        return { exit_code: 70, stdout: "", stderr };
      }
    }

    /** Sets the day from which ages are computed, such as `2026-11-20`. Throws an `Error` for people. */
    setToday(day) {
      this.#call("set_today", day);
      this.#today = day;
    }

    /** Adds the text of an overlay, in TOML or CSV by its name. Throws an `Error` for people if it is invalid. */
    addOverlay(name, text) {
      this.#call("add_overlay", JSON.stringify({ name, text }));
      this.#overlays.set(name, text);
    }

    /** Returns the names of the added overlays. */
    overlays() {
      return [...this.#overlays.keys()];
    }

    /** Returns to the catalog of the page. */
    removeOverlays() {
      this.#exports.remove_overlays();
      this.#overlays.clear();
    }

    /** Returns the size of the module's memory in bytes. */
    memorySize() {
      return this.#exports.memory.buffer.byteLength;
    }

    #restart() {
      this.#exports = new WebAssembly.Instance(this.#module, {}).exports;
      this.#call("start", this.#catalog);
      this.#call("set_today", this.#today);
      for (const [name, text] of this.#overlays) {
        this.#call("add_overlay", JSON.stringify({ name, text }));
      }
    }

    /** Calls a function of the module with bytes or a text, and returns its result as a text. */
    #call(name, argument) {
      const bytes = typeof argument === "string" ? encoder.encode(argument) : argument;
      const module = this.#exports;
      const start = module.input(bytes.length);
      new Uint8Array(module.memory.buffer, start, bytes.length).set(bytes);
      const isDone = module[name]() === 1;
      // The memory may have grown, so it is a new buffer.
      const result = new Uint8Array(module.memory.buffer, module.output(), module.output_length());
      const text = decoder.decode(result);
      if (!isDone) {
        throw new Error(text);
      }
      return text;
    }
  }

  /** Starts the module with a catalog that the program handed over; both are bytes. */
  async function startFrom(module, catalog) {
    return new Engine(await WebAssembly.compile(module), catalog);
  }

  /** Starts the module and the catalog in the blocks of the page. */
  async function start() {
    if (typeof DecompressionStream === "undefined" || typeof WebAssembly === "undefined") {
      throw new Error("this browser is too old for this page: it lacks WebAssembly or DecompressionStream");
    }
    return startFrom(await block("module"), await block("catalog"));
  }

  return { start, startFrom };
})();
