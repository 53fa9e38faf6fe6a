import assert from "node:assert/strict";
import { test } from "node:test";

import { Client, Superseded } from "../client.js";

/** Workers that answer when a test says so. */
function workshop() {
  const workers = [];
  const open = () => {
    const worker = {
      received: [],
      listeners: {},
      isTerminated: false,
      addEventListener(type, listener) { this.listeners[type] = listener; },
      postMessage(message) { this.received.push(message); },
      terminate() { this.isTerminated = true; },
      answer(value) { this.listeners.message({ data: { value } }); },
      refuse(error) { this.listeners.message({ data: { error } }); },
    };
    workers.push(worker);
    return worker;
  };
  return { workers, open };
}

const START = { kind: "start" };

test("calls are answered in order, after the start", async () => {
  const { workers, open } = workshop();
  const client = new Client(open, START);
  const [worker] = workers;
  const first = client.ask(["list"]);
  const second = client.setToday("2026-11-20");
  assert.deepEqual(worker.received, [START]);
  worker.answer();
  assert.deepEqual(worker.received.at(-1), { kind: "ask", words: ["list"], input: "" });
  worker.answer({ exit_code: 0 });
  assert.deepEqual(await first, { exit_code: 0 });
  worker.refuse("no date");
  await assert.rejects(second, /no date/);
});

test("a question that takes too long is stopped, and the engine starts again with its files", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { workers, open } = workshop();
  const client = new Client(open, START);
  workers[0].answer();
  const overlay = client.addOverlay("a.toml", "x");
  workers[0].answer();
  await overlay;
  const day = client.setToday("2026-11-20");
  workers[0].answer();
  await day;
  const slow = client.ask(["mig", "pack"]);
  const next = client.ask(["list"]);
  context.mock.timers.tick(10_000);
  await assert.rejects(slow, /longer than 10 seconds/);
  assert.ok(workers[0].isTerminated);
  const [, again] = workers;
  const kinds = () => again.received.map(({ kind }) => kind);
  for (let calls = 0; calls < 3; calls += 1) again.answer();
  assert.deepEqual(kinds(), ["start", "setToday", "addOverlay", "ask"]);
  again.answer({ exit_code: 0 });
  await next;
  const removed = client.removeOverlays();
  again.answer();
  await removed;
});

test("only a question of the form gives way to a newer one", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { workers, open } = workshop();
  const client = new Client(open, START);
  workers[0].answer();
  const kept = client.ask(["list"]);
  client.hurry();
  context.mock.timers.tick(2_000);
  workers[0].answer({});
  await kept;
  const old = client.askUntilHurry(["recommend"]);
  client.hurry();
  context.mock.timers.tick(1_001);
  await assert.rejects(old, Superseded);
  assert.equal(workers.length, 2);
});

test("without a worker, every call fails at once", async () => {
  const { workers, open } = workshop();
  const client = new Client(open, START);
  const waiting = client.ask(["list"]);
  workers[0].listeners.error({ preventDefault() {}, message: "" });
  await assert.rejects(waiting, /does not allow workers/);
  await assert.rejects(client.ask(["list"]), /did not start/);
});
