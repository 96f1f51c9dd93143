import type { Part, ToolDefinition } from "palimpsest";
import { sanitize } from "palimpsest/sanitize";
import { type AgentTool, failed, type ToolOutcome } from "../../extension/tool.ts";

/** A tool as a server describes it. What it says of its own harmlessness is not believed. */
export interface ServedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: ToolDefinition["inputSchema"];
  /** Shown to the user when the tool asks for permission. */
  readonly claims?: "reads-only";
  /** A second call with the same input does no more than the first, as the server says. @default "never" */
  readonly repeat?: "free";
}

/** What a server answers to a call: content by type. */
export interface ServedResult {
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly status: "ok" | "error";
}

export type CallServer = (tool: string, input: unknown, signal: AbortSignal) => Promise<ServedResult>;

/** The longest name that providers take. */
const MAX_NAME_CHARACTERS = 64;

/**
 * The tools of a server as tools of the agent, in the order of their names: a server may list them in another one each time.
 * @param served within the limits (`limitTools`)
 */
export function toAgentTools(server: string, served: readonly ServedTool[], call: CallServer): readonly AgentTool[] {
  const tools = served.map((tool) => toAgentTool(server, tool, call));
  const byName = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** What the names of a server's tools begin with. */
export function prefixOf(server: string): string {
  return `mcp__${server}__`;
}

function toAgentTool(server: string, served: ServedTool, call: CallServer): AgentTool {
  const { name, description = "", inputSchema, claims, repeat } = served;
  return {
    name: `${prefixOf(server)}${name.replaceAll(/[^\w-]/g, "_")}`.slice(0, MAX_NAME_CHARACTERS),
    description,
    inputSchema,
    provenance: { kind: "tool", name: server },
    concurrency: "alone",
    effect: "execute",
    origin: { kind: "server", name: server, ...(claims === undefined ? {} : { claims }) },
    results: "clearable",
    loading: "when-large",
    ...(repeat === undefined ? {} : { repeat }),
    async run(input, { signal }): Promise<ToolOutcome> {
      signal.throwIfAborted();
      try {
        const { content, status } = await call(name, input, signal);
        return { content: content.map(toPart), status };
      } catch (error) {
        signal.throwIfAborted();
        return failed(`${server} failed: ${sanitize(error instanceof Error ? error.message : String(error))}`);
      }
    },
  };
}

function toPart(block: Readonly<Record<string, unknown>>): Part {
  const { type, text, data, mimeType, uri, resource } = block;
  if (type === "text" && typeof text === "string") return { kind: "text", text: sanitize(text) };
  if (type === "image" && typeof data === "string" && typeof mimeType === "string") {
    return { kind: "image", source: { kind: "base64", mediaType: mimeType, data } };
  }
  const said = type === "resource" && typeof resource === "object" && resource !== null ? resource : { uri };
  if ("text" in said && typeof said.text === "string") return { kind: "text", text: sanitize(said.text) };
  return { kind: "text", text: sanitize(`[${String(type)} ${"uri" in said ? String(said.uri ?? "") : ""}]`) };
}
