import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Memory, TopicType } from "@palimpsest/memory";
import { readVersion } from "../../workspace/version.ts";

const TYPES: readonly TopicType[] = ["user", "feedback", "project", "reference"];
const text = { type: "string" } as const;

const TOOLS = [
  {
    name: "memory_list",
    description: "Lists all topics of this project's memory.",
    inputSchema: { type: "object" },
  },
  {
    name: "memory_read",
    description: "Reads one topic in full.",
    inputSchema: { type: "object", properties: { slug: text }, required: ["slug"] },
  },
  {
    name: "memory_search",
    description: "Searches the topics.",
    inputSchema: { type: "object", properties: { words: text }, required: ["words"] },
  },
  {
    name: "memory_propose",
    description: "Proposes a memory. It waits until the user approves it.",
    inputSchema: {
      type: "object",
      properties: { name: text, description: text, type: { type: "string", enum: TYPES }, body: text, why: text },
      required: ["name", "description", "type", "body", "why"],
    },
  },
] as const;

/**
 * Serves a memory to other programs until its input ends. Their writes become proposals, since our logs cannot show whether
 * the user said it.
 */
export async function serveMemory(memory: Memory): Promise<void> {
  const server = new Server({ name: "palimpsest-memory", version: readVersion() }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: TOOLS.map((tool) => ({ ...tool })) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const answer = await answerCall(memory, params.name, params.arguments ?? {});
    return { content: [{ type: "text", text: answer }] };
  });
  const transport = new StdioServerTransport();
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once("end", () => void server.close());
  });
  await server.connect(transport);
  await closed;
}

async function answerCall(memory: Memory, name: string, input: Readonly<Record<string, unknown>>): Promise<string> {
  const textOf = (key: string): string => (typeof input[key] === "string" ? input[key] : "");
  switch (name) {
    case "memory_list":
      return (await memory.list()).map(({ slug, type, description }) => `${slug} (${type}): ${description}`).join("\n");
    case "memory_read":
      return (await memory.read(textOf("slug")))?.text ?? `There is no topic ${JSON.stringify(textOf("slug"))}.`;
    case "memory_search": {
      const found = await memory.search(textOf("words"), 10);
      return found.map(({ slug, description }) => `${slug}: ${description}`).join("\n") || "No topic matches.";
    }
    case "memory_propose": {
      const type = TYPES.find((known) => known === input["type"]) ?? "project";
      const draft = { name: textOf("name"), description: textOf("description"), type, body: textOf("body") };
      const outcome = await memory.propose(draft, "model", `another program says: ${textOf("why")}`);
      return outcome.kind === "proposed"
        ? "Proposed. It waits for the user's approval."
        : `Not accepted: ${"why" in outcome ? outcome.why : outcome.kind}`;
    }
    default:
      return `There is no tool ${name}.`;
  }
}
