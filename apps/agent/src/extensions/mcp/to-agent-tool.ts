import type { Part, ToolDefinition, ToolOutput } from "palimpsest";
import { sanitize, sanitizeAll } from "palimpsest/sanitize";
import { failed } from "../../extension/make-tool.ts";
import type { AgentTool } from "../../permissions/agent-tool.ts";

/** A tool as its server describes it. The agent does not trust claims that the tool is harmless. */
export interface ServedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: ToolDefinition["inputSchema"];
  /** The server's claim, which is shown to the user when the tool asks for permission. */
  readonly claims?: "reads-only";
  /** Whether a second call with the same input has no further effect, as the server claims. @default "never" */
  readonly repeat?: "free";
}

/** A server's answer to a call: content by type. */
export interface ServedResult {
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly status: "ok" | "error";
}

type CallServer = (tool: string, input: unknown, signal: AbortSignal) => Promise<ServedResult>;

/** The longest tool name that providers accept. */
const MAX_NAME_CHARACTERS = 64;

/**
 * Converts a server's tools to agent tools. Sorts them by name, because a server may list them in another order
 * each time.
 * @param served tools within the limits (`limitTools`)
 */
export function toAgentTools(server: string, served: readonly ServedTool[], call: CallServer): readonly AgentTool[] {
  const tools = served.map((tool) => toAgentTool(server, tool, call));
  const byName = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The prefix of the names of a server's tools. */
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
    effect: "run",
    origin: { kind: "server", name: server, claims },
    results: "clearable",
    loading: "when-large",
    repeat,
    async execute(input, { signal }): Promise<ToolOutput> {
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

interface LimitedTools {
  readonly tools: readonly ServedTool[];
  /** What was left out or cut, one line each. */
  readonly problems: readonly string[];
}

/** The limits of one server, because every request repeats the descriptions of all tools. */
const LIMITS = { descriptionCharacters: 2_000, schemaCharacters: 16_000, serverCharacters: 120_000, tools: 200 };
/** Deeper schemas would overflow the stack of their readers. */
const MAX_DEPTH = 32;
const MAX_NAMES_SHOWN = 5;

/** Limits a server's tools, sorts them by name, and sanitizes their texts. */
export function limitTools(server: string, served: readonly ServedTool[]): LimitedTools {
  const problems: string[] = [];
  const kept: ServedTool[] = [];
  const beyond: string[] = [];
  let characters = 0;
  for (const tool of served.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const name = sanitize(tool.name.slice(0, 100));
    const inputSchema = fittingSchema(tool);
    if (typeof inputSchema === "string") {
      problems.push(`The tool ${name} of the server ${server} is left out: ${inputSchema}.`);
      continue;
    }
    const description = cutDescription(tool.description ?? "");
    const size = description.text.length + JSON.stringify(inputSchema).length;
    if (kept.length >= LIMITS.tools || characters + size > LIMITS.serverCharacters) {
      beyond.push(name);
      continue;
    }
    characters += size;
    if (description.left > 0) {
      const { descriptionCharacters: most } = LIMITS;
      problems.push(
        `The description of the tool ${name} of the server ${server} is cut: it has ${most + description.left} characters, ${most} are used.`,
      );
    }
    kept.push({ ...tool, description: description.text, inputSchema });
  }
  if (beyond.length > 0) {
    const more = beyond.length - MAX_NAMES_SHOWN;
    const names = beyond.slice(0, MAX_NAMES_SHOWN).join(", ") + (more > 0 ? ` and ${more} more` : "");
    problems.push(
      `${beyond.length} of ${served.length} tools of the server ${server} are left out: at most ${LIMITS.tools} tools with ` +
        `${LIMITS.serverCharacters} characters are used of one server. Left out: ${names}.`,
    );
  }
  return { tools: kept, problems };
}

/** The schema, or the reason why it cannot be used. */
function fittingSchema({ inputSchema }: ServedTool): ServedTool["inputSchema"] | string {
  if (isDeeper(inputSchema, MAX_DEPTH)) return `its schema is nested deeper than ${MAX_DEPTH} levels`;
  const clean = JSON.stringify(inputSchema).length > LIMITS.schemaCharacters ? inputSchema : sanitizeAll(inputSchema);
  const { length } = JSON.stringify(clean);
  return length <= LIMITS.schemaCharacters
    ? clean
    : `its schema has ${length} characters, at most ${LIMITS.schemaCharacters} are used`;
}

function cutDescription(whole: string): { readonly text: string; readonly left: number } {
  const { descriptionCharacters: most } = LIMITS;
  // The part that is cut off is not sanitized.
  const left = Math.max(0, whole.length - most);
  const text = sanitize(whole.slice(0, most).toWellFormed());
  return left === 0 ? { text, left } : { text: `${text}\n[${left} more characters]`, left };
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
