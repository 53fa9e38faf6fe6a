// The engine in a worker, so that no question can freeze the page. Calls are answered in order; one that takes too long
// is stopped, and the engine starts again.

/** Time limits in milliseconds. */
const LIMITS = { start: 60_000, ask: 10_000, setToday: 10_000, addOverlay: 60_000, removeOverlays: 60_000 };
/** Time after which a question that nobody waits for any more is stopped. */
const PATIENCE = 1_000;

/** The reason of a call that was stopped because a newer question waits. */
export class Superseded extends Error {}

export class Client {
  #openWorker;
  #startCall;
  #worker = null;
  #queue = [];
  #current = null;
  /** The reason why no call can be answered. */
  #failure = null;
  /** Calls that set up an engine: repeated after each start. */
  #setup = [];

  /** `openWorker` makes a worker, and `start` is its first message. */
  constructor(openWorker, start) {
    this.#openWorker = openWorker;
    this.#startCall = start;
    this.#open();
  }

  /** Answers a command line: `{ exit_code, stdout, stderr }`. */
  ask(words, input = "") {
    return this.#call({ kind: "ask", words, input });
  }

  /** Answers a command line as `ask` does, until a newer question is in a hurry. */
  askUntilHurry(words) {
    return this.#call({ kind: "ask", words, input: "" }, true);
  }

  setToday(day) {
    return this.#call({ kind: "setToday", day });
  }

  /** Adds a catalog file; rejects with the compiler's error. */
  addOverlay(name, text) {
    return this.#call({ kind: "addOverlay", name, text });
  }

  removeOverlays() {
    return this.#call({ kind: "removeOverlays" });
  }

  /** Stops the current question if it has run for long: its asker wants another answer. */
  hurry() {
    const call = this.#current;
    if (!call?.mayStop) return;
    const left = PATIENCE - (performance.now() - call.since);
    clearTimeout(call.hurry);
    call.hurry = setTimeout(() => this.#stop(call, new Superseded("a newer question waits")), left);
  }

  #call(message, mayStop = false) {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#queue.push({ message, mayStop, resolve, reject });
      this.#next();
    });
  }

  #next() {
    if (this.#current || this.#queue.length === 0) return;
    const call = this.#queue.shift();
    this.#current = call;
    call.since = performance.now();
    const limit = LIMITS[call.message.kind];
    call.timer = setTimeout(() => {
      this.#stop(call, new Error(`the answer took longer than ${limit / 1000} seconds and was stopped`));
    }, limit);
    this.#worker.postMessage(call.message);
  }

  #open() {
    const worker = this.#openWorker();
    worker.addEventListener("message", ({ data }) => this.#finish(worker, data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#fail(event.message || "this browser does not allow workers");
    });
    this.#worker = worker;
    const ignore = () => {};
    const setup = [this.#startCall, ...this.#setup];
    this.#queue.unshift(...setup.map((message) => ({ message, resolve: ignore, reject: ignore })));
    this.#next();
  }

  #finish(worker, { value, error }) {
    const call = this.#current;
    if (worker !== this.#worker || !call) return;
    this.#end(call);
    if (error !== undefined) {
      call.reject(new Error(error));
    } else {
      this.#remember(call.message);
      call.resolve(value);
    }
    this.#next();
  }

  /** Ends all calls: the worker itself does not run. */
  #fail(reason) {
    this.#failure = new Error(`the engine did not start: ${reason}`);
    const calls = [this.#current, ...this.#queue].filter(Boolean);
    this.#queue = [];
    for (const call of calls) {
      this.#end(call);
      call.reject(this.#failure);
    }
  }

  #remember(message) {
    if (message.kind === "setToday") this.#setup = [message, ...this.#setup.filter(({ kind }) => kind !== "setToday")];
    if (message.kind === "addOverlay" && !this.#setup.includes(message)) this.#setup.push(message);
    if (message.kind === "removeOverlays") this.#setup = this.#setup.filter(({ kind }) => kind !== "addOverlay");
  }

  #end(call) {
    clearTimeout(call.timer);
    clearTimeout(call.hurry);
    this.#current = null;
  }

  #stop(call, reason) {
    if (this.#current !== call) return;
    this.#end(call);
    this.#worker.terminate();
    call.reject(reason);
    this.#open();
  }
}
