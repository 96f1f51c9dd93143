import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createMemorySearch, type Memory, type MemorySearch, type TopicType } from "@palimpsest/memory";
import { readVersion } from "../../workspace/version.ts";

const TYPES: readonly TopicType[] = ["user", "feedback", "project", "reference"];
const text = { type: "string" } as const;

const TOOLS = [
  {
    name: "memory_list",
    description: "Every topic that is remembered of this project.",
    inputSchema: { type: "object" },
  },
  {
    name: "memory_read",
    description: "One topic in full.",
    inputSchema: { type: "object", properties: { slug: text }, required: ["slug"] },
  },
  {
    name: "memory_search",
    description: "Topics that fit a question.",
    inputSchema: { type: "object", properties: { words: text }, required: ["words"] },
  },
  {
    name: "memory_propose",
    description: "Something to be remembered. It waits until the user confirms it.",
    inputSchema: {
      type: "object",
      properties: { name: text, description: text, type: { type: "string", enum: TYPES }, body: text, why: text },
      required: ["name", "description", "type", "body", "why"],
    },
  },
] as const;

/**
 * Offers a memory to other programs, until its input ends. What they write only becomes a proposal: what the user has said to
 * them is not in a log of ours.
 */
export async function serveMemory(memory: Memory): Promise<void> {
  const index = createMemorySearch({ memory });
  const server = new Server({ name: "palimpsest-memory", version: readVersion() }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: TOOLS.map((tool) => ({ ...tool })) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const answer = await answerCall({ memory, index }, params.name, params.arguments ?? {});
    return { content: [{ type: "text", text: answer }] };
  });
  const transport = new StdioServerTransport();
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once("end", () => void server.close());
  });
  await server.connect(transport);
  await closed;
  index.close();
}

async function answerCall(
  { memory, index }: { readonly memory: Memory; readonly index: MemorySearch },
  name: string,
  input: Readonly<Record<string, unknown>>,
): Promise<string> {
  const textOf = (key: string): string => (typeof input[key] === "string" ? input[key] : "");
  switch (name) {
    case "memory_list":
      return (await memory.list()).map(({ slug, type, description }) => `${slug} (${type}): ${description}`).join("\n");
    case "memory_read":
      return (await memory.read(textOf("slug")))?.text ?? "There is no such topic.";
    case "memory_search": {
      const found = await index.search(textOf("words"), 10);
      return found.map(({ slug, description }) => `${slug}: ${description}`).join("\n") || "Nothing fits.";
    }
    case "memory_propose": {
      const type = TYPES.find((known) => known === input["type"]) ?? "project";
      const draft = { name: textOf("name"), description: textOf("description"), type, body: textOf("body") };
      const outcome = await memory.propose(draft, "model", `another program says: ${textOf("why")}`);
      return outcome.kind === "proposed"
        ? "It waits for the user's yes."
        : `Not taken: ${"why" in outcome ? outcome.why : outcome.kind}`;
    }
    default:
      return `There is no tool ${name}.`;
  }
}
