// The worker: starts the engine and answers its calls. `skyAccel` is in engine.js, which comes before this text.

/** Decodes a block of data: gzip in base64. */
async function unpacked(base64) {
  if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old: it lacks DecompressionStream");
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

let engine = null;
/** The reason why there is no engine. */
let failure = "the engine has not started";

const handlers = {
  async start({ module, catalog, today }) {
    const blocks = await Promise.all([unpacked(module), unpacked(catalog)]);
    engine = await skyAccel.startFrom(...blocks);
    engine.setToday(today);
  },
  ask: ({ words, input }) => engine.ask(words, input),
  setToday: ({ day }) => engine.setToday(day),
  addOverlay: ({ name, text }) => engine.addOverlay(name, text),
  removeOverlays: () => engine.removeOverlays(),
};

self.addEventListener("message", async ({ data }) => {
  try {
    if (!engine && data.kind !== "start") throw new Error(failure);
    self.postMessage({ value: await handlers[data.kind](data) });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (data.kind === "start") failure = `the engine did not start: ${message}`;
    self.postMessage({ error: message });
  }
});
