import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { call, temporaryProject, textOf } from "../testing/temporary-project.ts";
import { openToolServers, type ToolServer } from "./open-tool-servers.ts";

const moduleUrl = (path: string): string =>
  JSON.stringify(pathToFileURL(createRequire(import.meta.url).resolve(`@modelcontextprotocol/sdk/${path}`)).href);

/** A real server of the same SDK. It lists its tools in another order each time that it is started. */
const SERVER = `
  const { Server } = await import(${moduleUrl("server/index.js")});
  const { StdioServerTransport } = await import(${moduleUrl("server/stdio.js")});
  const { CallToolRequestSchema, ListToolsRequestSchema } = await import(${moduleUrl("types.js")});
  const server = new Server({ name: "s", version: "1" }, { capabilities: { tools: {} } });
  const inputSchema = { type: "object", properties: {} };
  const tools = ["zeta", "alpha", "mid.dle", "fail"].map((name) => ({ name, description: name + "\\u001b[31m!", inputSchema }));
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: tools.sort(() => Math.random() - 0.5) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: given } }) => {
    if (name === "fail") throw new Error("broken");
    if (name === "zeta") return { isError: true, content: [{ type: "text", text: "no" }] };
    if (name === "mid.dle") return new Promise(() => {});
    const said = JSON.stringify({ given, secret: process.env.SOME_TOKEN ?? null, own: process.env.OWN_TOKEN ?? null });
    return { content: [{ type: "text", text: said + "\\u001b]0;x\\u0007" }] };
  });
  await server.connect(new StdioServerTransport());
`;

async function opened(servers: readonly ToolServer[]) {
  const { folder, put } = temporaryProject({ "server.mjs": SERVER });
  put("silent.mjs", "setInterval(() => {}, 1000)");
  const environment = { ...process.env, SOME_TOKEN: "secret" };
  const options = { folder, environment, startTimeoutMs: 8_000, callTimeoutMs: 5_000 };
  const found = await openToolServers(servers, options);
  onTestFinished(() => found.close());
  const use = (name: string, input: object, signal?: AbortSignal) =>
    call(found.tools.find((tool) => tool.name === name)!, input, {
      folder,
      ...(signal === undefined ? {} : { signal }),
    });
  return { ...found, use, folder };
}

const node = (name: string, file: string): ToolServer => ({
  name,
  command: [process.execPath, join(".", file)],
  environment: { OWN_TOKEN: "its own" },
});

test("tools of a server: in the order of their names, called, failing, given up", async () => {
  const { tools, problems, use } = await opened([node("my server", "server.mjs")]);
  expect(problems).toEqual([]);
  expect(tools.map(({ name }) => name)).toEqual(
    ["alpha", "fail", "mid_dle", "zeta"].map((name) => `mcp__my_server__${name}`),
  );
  expect(tools[0]).toMatchObject({ description: "alpha!", effect: "execute" });
  const outcome = await use("mcp__my_server__alpha", { a: 1 });
  expect(JSON.parse(await textOf(outcome))).toEqual({ given: { a: 1 }, secret: null, own: "its own" });
  expect(await use("mcp__my_server__zeta", {})).toMatchObject({ status: "error" });
  expect(await textOf(await use("mcp__my_server__fail", {}))).toContain("broken");
  await expect(use("mcp__my_server__mid_dle", {}, AbortSignal.timeout(100))).rejects.toThrow();
});

test("a server that is not there, or says nothing, is named, and the others count", async () => {
  const absent: ToolServer = { name: "absent", command: ["no-such-program-at-all"] };
  const { tools, problems } = await opened([absent, node("silent", "silent.mjs"), node("s", "server.mjs")]);
  expect(tools).toHaveLength(4);
  expect(problems).toEqual([expect.stringContaining("absent"), expect.stringContaining("silent")]);
});
