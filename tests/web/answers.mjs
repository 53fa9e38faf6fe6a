// Asks the module of a page and a program the same command lines, and compares their bytes:
// node answers.mjs PAGE PROGRAM
// SKY_ACCEL_QUESTIONS is the number of random command lines that follow the fixed ones.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { runInThisContext } from "node:vm";
import { gunzipSync } from "node:zlib";

const [page, program] = process.argv.slice(2).map((path) => resolve(path));
const TODAY = "2026-11-20";
// A script and no module, since it becomes a part of the worker.
const engineText = readFileSync(new URL("../../web/engine.js", import.meta.url), "utf8");
const { startFrom } = runInThisContext(`${engineText}\nskyAccel`);

/** Returns the bytes of a block of the page. */
function block(html, id) {
  const start = `id="${id}">`;
  const at = html.indexOf(start) + start.length;
  return gunzipSync(Buffer.from(html.slice(at, html.indexOf("<", at)), "base64"));
}

/** Splits a command line at spaces outside single quotes. */
function words(line) {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2]);
}

/** Asks the program, which sees no terminal, no settings of the user and no network. */
function asked(line, input) {
  const env = { HOME: tmpdir(), PATH: "", SKY_ACCEL_TODAY: TODAY };
  const options = { cwd: tmpdir(), env, input, maxBuffer: 1 << 28 };
  const { status, stdout, stderr } = spawnSync(program, words(line), options);
  return { exit_code: status, stdout: stdout.toString(), stderr: stderr.toString() };
}

const SPECS = ["H100", "A100:80GB:x8", "any:24GB", "'A100:80GB:x8|H100:x8'", "MI300X:x8", "TPU-v5e:x8", "H10", "H100:x0"];
const FORMATS = ["table", "json", "jsonl", "csv", "yaml", "names", "wide", "markdown"];
const MODELS = ["Llama-3.1-8B", "Qwen3-32B", "Llama-3.3-70B", "DeepSeek-V3", "no-such-model"];

const LINES = [
  "",
  "--help",
  "--version",
  "nothing",
  "resolve --nothing",
  "resolve H100 -o nothing",
  "resolve -h",
  "resolve --help",
  "help mig",
  "help plan",
  "help nothing",
  "H100:x8",
  "Qwen3-32B -o json",
  ...SPECS.flatMap((spec) => FORMATS.slice(0, 2).map((format) => `resolve ${spec} -o ${format}`)),
  ...FORMATS.map((format) => `resolve H100:x8 -o ${format} --limit 7`),
  "resolve any:24GB --max-price 0.5 --region EU --explain",
  "resolve H100 --provider aws --spot -v",
  "resolve H100 --live",
  "resolve H100 --live -o json",
  "resolve - -o names",
  "resolve H100:x8 --commit 1y -o json",
  "resolve H100 --max-age nonsense",
  "resolve H100 --provider nobody -o json",
  "resolve A100 --catalog /no/such/file.toml",
  "list",
  "list --vendor amd --min-memory 64 -o json",
  "show H100",
  "show H100 -o json",
  "show p4de.24xlarge",
  "show lambda",
  "show aws -o json",
  "show H10 -o json",
  "compare H100 A100 MI300X",
  "compare H100 A100 -o json",
  "prices H100",
  "prices H100 -o json",
  "mix H100:x8 --profile weekdays:9-18=8,else=2",
  "bill H100:x8 --hours 100 -o json",
  "is nvidia H100",
  "is amd H100 -o json",
  "convert H100:x8 --to skypilot",
  "convert nvidia.com/gpu=2 --to skypilot -o json",
  ...MODELS.flatMap((model) => [`fit H100:x8 ${model}`, `recommend ${model} -o json`, `models ${model}`]),
  "fit 4090 Qwen3-32B --precision gguf:Q4_K_M --engine llama.cpp -o json",
  "fit A100:80GB:x8 Llama-3.1-8B --workload full --zero-stage 3",
  "fit - -o jsonl",
  "fit H100 Llama-3.1-8B --config /no/such/config.json",
  "recommend Qwen3-32B --users 20 --max-ttft 2s",
  "recommend Llama-3.1-8B --workload lora --tokens 50M --budget 100 -o json",
  "models",
  "models qwen3 -o json",
  "models --on H100",
  "models --on 4090 -o json",
  "mig profiles H100",
  "mig profiles A100 -o json",
  "mig fit H100 '1g.10gb=3,2g.20gb'",
  "mig fit A100 '1g.5gb=9' -o json",
  "mig pack H100 '1g.10gb=30,3g.40gb=5'",
  "mig pack any '1g.10gb=12' -o json",
  "plan H100:x8",
  "plan H100:x8 -o json",
  "plan H100:x8 --to skypilot",
  "plan L4 --to terraform --provider gcp",
  "plan H100 --to nothing",
  "report - Llama-3.1-8B --users 4",
  "report - --from -",
  "detect",
  "detect -o json",
  "quota H100",
  "catalog diff",
  "config show -o json",
  "watch H100",
];

/** Command lines whose input is not empty. */
const INPUTS = {
  "resolve - -o names": "# two\nH100:x8\nA100:x8\n",
  "fit - -o jsonl": '{"spec":"H100","model":"Llama-3.1-8B"}\n{}\n',
};

/** Commands that the program can run and a page cannot: their answers differ, and must be errors. */
const REFUSED = new Set(["detect", "detect -o json", "quota H100", "resolve H100 --live", "resolve H100 --live -o json", "watch H100", "config show -o json"]);

/** Command lines that name a file: a page has none, so the reason of the error differs. */
const FILES = new Set(["resolve A100 --catalog /no/such/file.toml", "fit H100 Llama-3.1-8B --config /no/such/config.json"]);

const QUESTIONS = Number(process.env.SKY_ACCEL_QUESTIONS ?? "100");

const OFFERS = [
  "--provider aws", "--provider aws,gcp", "--provider '!runpod'", "--region EU", "--max-price 2.5", "--max-price -1", "--limit 3",
  "--limit 0", "--capacity-type spot", "--currency EUR", "--max-age 90d", "--price stated", "--hours 100",
];
const SERVED = ["--users 20", "--users 300", "--context 8192", "--precision fp8", "--precision any", "--engine sglang", "--energy"];

/** The command lines of a command: its words, choices of each argument, and options. */
const ASKED = [
  ["resolve", ["specs"], [...OFFERS, "--at-least", "--group-by provider", "--sort accelerator", "--commit 1y", "--map"]],
  ["show", ["accelerators"], ["--max-age 100d"]],
  ["prices", ["accelerators"], ["--history", "--capacity-type spot"]],
  ["compare", ["accelerators", "accelerators"], []],
  ["fit", ["specs", "models"], [...SERVED, "--price likely", "--max-age 90d", "--workload lora", "--nodes 2"]],
  ["recommend", ["models"], [...SERVED, ...OFFERS, "--on H100", "--tokens 10M"]],
  ["plan", ["specs"], [...OFFERS, "--to skypilot", "--to kubernetes", "--to terraform", "--nodes 4"]],
  ["models --on", ["accelerators"], ["--users 4", "--context 32k", "--budget 2"]],
  ["mig profiles", ["accelerators"], []],
  ["mig fit", ["gpus", "slices"], ["--occupied 1g.10gb@0"]],
  ["mig pack", ["gpus", "slices"], ["--gpus 2"]],
];

/** Returns a function that chooses from a list: the same choices in each run (mulberry32). */
function chooser(seed) {
  let state = seed;
  return (list) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return list[((mixed ^ (mixed >>> 14)) >>> 0) % list.length];
  };
}

/** Returns random command lines about everything that the catalog of the page names. */
function questions(engine, count) {
  const names = (line) => engine.ask(words(line)).stdout.trim().split("\n");
  const accelerators = names("list -o names");
  const values = {
    accelerators,
    specs: [...SPECS, ...accelerators, ...accelerators.map((name) => `${name}:x8`)],
    models: [...MODELS, ...names("models -o names")],
    gpus: ["H100", "A100:40GB", "A30", "B200", "H200", "L4"],
    slices: ["1g.10gb=3", "3g.40gb=2,1g.10gb=1", "1g.5gb=9", "2g.12gb=1"],
  };
  const choose = chooser(1);
  return Array.from({ length: count }, () => {
    const [command, given, options] = choose(ASKED);
    const parts = [command, ...given.map((name) => choose(values[name]))];
    if (options.length > 0 && choose([true, true, false])) parts.push(choose(options));
    return [...parts, "-o", choose(["json", "json", "table", "csv"])].map(String).join(" ");
  });
}

const html = readFileSync(page, "utf8");
const engine = await startFrom(block(html, "module"), block(html, "catalog"));
engine.setToday(TODAY);

let failures = 0;
function fail(line, what, found, expected) {
  failures += 1;
  console.error(`${line || "(no words)"}: ${what} differs\n  page:    ${JSON.stringify(found).slice(0, 400)}\n  program: ${JSON.stringify(expected).slice(0, 400)}`);
}

const lines = [...LINES, ...questions(engine, QUESTIONS)];
let slowest = ["", 0];
for (const line of lines) {
  const input = INPUTS[line] ?? "";
  const start = performance.now();
  const found = engine.ask(words(line), input);
  const time = performance.now() - start;
  if (time > slowest[1]) slowest = [line, time];
  if (REFUSED.has(line)) {
    if (found.exit_code === 70) fail(line, "the refusal", found, "an error");
    continue;
  }
  const expected = asked(line, input);
  for (const part of FILES.has(line) ? ["exit_code", "stdout"] : ["exit_code", "stdout", "stderr"]) {
    if (found[part] !== expected[part]) fail(line, part, found[part], expected[part]);
  }
}

// Memory does not grow with the number of answers.
const repeated = () => engine.ask(words("recommend Qwen3-32B --users 20 -o json"));
for (let count = 0; count < 5; count += 1) repeated();
const size = engine.memorySize();
for (let count = 0; count < 50; count += 1) repeated();
if (engine.memorySize() !== size) fail("50 answers", "the memory", engine.memorySize(), size);

const overlay = '[[provider]]\nid = "mine"\nname = "Mine"\nsells = "instance-types"\n';
engine.addOverlay("mine.toml", overlay);
if (engine.ask(words("show mine")).exit_code !== 0) fail("show mine", "the overlay", "missing", "there");
try {
  engine.addOverlay("broken.toml", "[[");
  fail("broken.toml", "the overlay", "accepted", "refused");
} catch (error) {
  if (!error.message.includes("broken.toml:1:")) fail("broken.toml", "the message", error.message, "broken.toml:1:");
}
engine.removeOverlays();
if (engine.ask(words("show mine")).exit_code !== 2) fail("show mine", "the overlay", "there", "removed");

console.log(`${lines.length} command lines, ${failures} differences; slowest: ${slowest[0]} (${Math.round(slowest[1])} ms)`);
process.exit(failures === 0 ? 0 : 1);
