// Prints what RunPod's own server for agents reads without a key: the price and the stock of each GPU type, for some
// numbers of GPUs in the secure cloud. Reads RUNPOD_API_BASE_URL; its argument is the folder of the client.

import { createRequire } from "node:module";
import path from "node:path";

const home = process.argv[2];
const require = createRequire(path.join(home, "package.json"));
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");

const transport = new StdioClientTransport({
  command: process.execPath,
  args: [path.join(home, "node_modules/@runpod/mcp-server/dist/stdio.mjs")],
  // The server does not start without a key. It sends this one to nobody: where it would, nobody listens.
  env: {
    RUNPOD_API_KEY: "none",
    RUNPOD_API_BASE_URL: "http://127.0.0.1:9",
    RUNPOD_PUBLIC_GRAPHQL_URL: `${process.env.RUNPOD_API_BASE_URL}/graphql`,
  },
});
const client = new Client({ name: "sky-accel-tests", version: "1.0.0" });
await client.connect(transport);

const found = [];
for (const count of [1, 2, 8]) {
  let cursor;
  do {
    const question = { gpuCount: count, secureCloudOnly: true, limit: 100, ...(cursor && { cursor }) };
    const answer = await client.callTool({ name: "get-capacity", arguments: question });
    const page = JSON.parse(answer.content[0].text);
    if (answer.isError || page.error) {
      throw new Error(answer.content[0].text);
    }
    for (const { id, pricePerHr, stockStatus } of page.items) {
      found.push({ id, count, price: pricePerHr, stock: stockStatus });
    }
    cursor = page.pagination?.nextCursor;
  } while (cursor);
}
await client.close();
console.log(JSON.stringify(found, null, 1));
