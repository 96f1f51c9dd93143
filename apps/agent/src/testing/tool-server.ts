import { createServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";

const resolvePart = (path: string): string =>
  createRequire(import.meta.url).resolve(`@modelcontextprotocol/sdk/${path}`);

/** Where servers of tests find the SDK: it may lie in somebody's home, which servers do not see. */
export const SDK_FOLDER: string = resolvePart("types.js").replace(/(\/node_modules)\/@modelcontextprotocol\/.*$/, "$1");

const moduleUrl = (path: string): string => JSON.stringify(pathToFileURL(resolvePart(path)).href);

/** A real MCP server with the same SDK, as a program. @param body makes `server` and answers its requests */
export function serverOf(body: string): string {
  return `
  const { Server } = await import(${moduleUrl("server/index.js")});
  const { StdioServerTransport } = await import(${moduleUrl("server/stdio.js")});
  const { CallToolRequestSchema, ListToolsRequestSchema } = await import(${moduleUrl("types.js")});
${body}
  await server.connect(new StdioServerTransport());
`;
}

/**
 * A real MCP server with the same SDK, as a program. It lists its tools in another order each time, and its instructions are
 * the variable INSTRUCTIONS.
 */
export const TOOL_SERVER: string = serverOf(`
  const { INSTRUCTIONS: instructions, FAIL } = process.env;
  if (FAIL) { console.error("The licence has ended."); process.exit(1); }
  const options = { capabilities: { tools: {} }, ...(instructions ? { instructions } : {}) };
  const server = new Server({ name: "s", version: "1" }, options);
  const inputSchema = { type: "object", properties: {} };
  const tools = ["zeta", "alpha", "mid.dle", "fail"].map((name) => ({ name, description: name + "\\u001b[31m!", inputSchema }));
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: tools.sort(() => Math.random() - 0.5) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: given } }) => {
    if (name === "fail") throw new Error("broken");
    if (name === "zeta") return { isError: true, content: [{ type: "text", text: "no" }] };
    if (name === "mid.dle") return new Promise(() => {});
    const said = JSON.stringify({ given, secret: process.env.SOME_TOKEN ?? null, own: process.env.OWN_TOKEN ?? null });
    return { content: [{ type: "text", text: said + "\\u001b]0;x\\u0007" }] };
  });`);

/** A server with one tool, `query`, of which it says that it only reads. */
export const QUERY_SERVER: string = serverOf(`
  const server = new Server({ name: "db", version: "1" }, { capabilities: { tools: {} } });
  const query = { name: "query", description: "Asks the database.", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [query] }));
  server.setRequestHandler(CallToolRequestSchema, async () => ({ content: [{ type: "text", text: "no rows" }] }));`);

/** A server with one tool, `run`: it runs a command with bash and answers with its output. */
export const SHELL_SERVER: string = serverOf(`
  const { spawnSync } = await import("node:child_process");
  const server = new Server({ name: "shell", version: "1" }, { capabilities: { tools: {} } });
  const run = { name: "run", description: "Runs.", inputSchema: { type: "object" } };
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [run] }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const { stdout, stderr } = spawnSync("bash", ["-c", params.arguments.command], { encoding: "utf8" });
    return { content: [{ type: "text", text: stdout + stderr }] };
  });`);

export interface HttpToolServer {
  readonly url: string;
  /** The methods of accepted requests. */
  readonly methods: readonly string[];
  stop(): void;
}

/** A real HTTP server on this machine. It requires a token, and has one tool, `echo`. */
export async function startHttpToolServer(word: string): Promise<HttpToolServer> {
  const methods: string[] = [];
  const make = (): Server => {
    const made = new Server(
      { name: "h", version: "1" },
      { capabilities: { tools: {} }, instructions: "Ask echo for everything." },
    );
    const echo = { name: "echo", description: "Says it again.", inputSchema: { type: "object" as const } };
    made.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [echo] }));
    made.setRequestHandler(CallToolRequestSchema, async ({ params }) => ({
      content: [{ type: "text", text: `echo of ${JSON.stringify(params.arguments)}` }],
    }));
    return made;
  };
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const server = createServer(async (request, response) => {
    if (request.headers.authorization !== `Bearer ${word}`) {
      response.writeHead(401).end();
      return;
    }
    methods.push(request.method ?? "");
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    if (known !== undefined) return known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await make().connect(transport as Parameters<Server["connect"]>[0]);
    return transport.handleRequest(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(stop);
  const { port } = server.address() as { readonly port: number };
  return { url: `http://127.0.0.1:${port}/mcp`, methods, stop };
}
