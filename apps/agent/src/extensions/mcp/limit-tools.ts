import { sanitize, sanitizeAll } from "palimpsest/sanitize";
import type { ServedTool } from "./to-agent-tool.ts";

export interface LimitedTools {
  readonly tools: readonly ServedTool[];
  /** What was left out or cut, one line each. */
  readonly problems: readonly string[];
}

/** Every request repeats the descriptions of all tools, so a server cannot have any number of words. */
const LIMITS = { descriptionCharacters: 2_000, schemaCharacters: 16_000, serverCharacters: 120_000, tools: 200 };
/** Deeper schemas would overflow the stack of whoever reads them. */
const MAX_DEPTH = 32;
const MAX_NAMES_SHOWN = 5;

/** The tools of a server within the limits, in the order of their names, with texts that have passed the gate. */
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

/** The schema, or why it is not used. */
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
  // What is cut off need not pass the gate.
  const left = Math.max(0, whole.length - most);
  const text = sanitize(whole.slice(0, most).toWellFormed());
  return left === 0 ? { text, left } : { text: `${text}\n[${left} more characters]`, left };
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
