import { readFrontmatter } from "@palimpsest/memory";

/** A kind of agent: what it is for, what it is told, and what it may use. */
export interface AgentDefinition {
  readonly name: string;
  /** When it is of use: the model chooses by it. */
  readonly description: string;
  /** Its system prompt. */
  readonly prompt: string;
  /** Names of tools; `read-only`: those of the host's tools that change nothing. @default all */
  readonly tools?: readonly string[] | "read-only";
  /** @default that of the session which starts it */
  readonly model?: string;
  /** Whose notes it keeps: all projects', the repository's, or this project's on this machine. @default none */
  readonly memory?: MemoryScope;
}

export type MemoryScope = (typeof MEMORY_SCOPES)[number];

export type ReadDefinition =
  | { readonly kind: "definition"; readonly definition: AgentDefinition }
  | { readonly kind: "invalid"; readonly why: string };

const MEMORY_SCOPES = ["user", "project", "local"] as const;
/** As names of mailboxes: an agent can be written to by its definition's name. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
const MAX_DESCRIPTION_CHARACTERS = 300;

/**
 * Reads a definition: markdown with a head of `name`, `description`, `tools`, `model` and `memory`. Fields of others are
 * passed over; what is wrong with one of ours makes the file invalid, because a limit that is not understood is no limit.
 * @param fileName its name, if the head has none
 */
export function readAgentDefinition(text: string, fileName = ""): ReadDefinition {
  const { values, lists, body } = readFrontmatter(text);
  const name = values.get("name") || fileName;
  if (!NAME.test(name)) return invalid(`${JSON.stringify(name)} is no name: use 1 to 64 of A-Z a-z 0-9 _ . -`);
  const description = values.get("description")?.trim();
  if (!description) return invalid(`${name} has no description: say when it is of use`);
  if (body === "") return invalid(`${name} has no text: what stands below the head is its system prompt`);
  const memory = values.get("memory") || undefined;
  const scope = MEMORY_SCOPES.find((known) => known === memory);
  if (memory !== undefined && scope === undefined)
    return invalid(`${name}: memory is one of ${MEMORY_SCOPES.join(", ")}, not ${JSON.stringify(memory)}`);
  const tools = toolsOf(lists.get("tools") ?? values.get("tools"));
  const model = values.get("model") || undefined;
  return {
    kind: "definition",
    definition: {
      name,
      prompt: body,
      description: description.slice(0, MAX_DESCRIPTION_CHARACTERS).toWellFormed(),
      ...(tools === undefined ? {} : { tools }),
      // Whoever writes "inherit" says what is so anyway.
      ...(model === undefined || model === "inherit" ? {} : { model }),
      ...(scope === undefined ? {} : { memory: scope }),
    },
  };
}

/** A field that is there and empty allows nothing: it is not taken for one that was left out. */
function toolsOf(written: string | readonly string[] | undefined): AgentDefinition["tools"] {
  if (written === undefined || typeof written !== "string") return written;
  const line = written.replace(/^\[(.*)\]$/, "$1").trim();
  if (line === "read-only") return "read-only";
  return line
    .split(",")
    .map((name) => name.trim().replace(/^(["'])(.*)\1$/, "$2"))
    .filter((name) => name !== "");
}

function invalid(why: string): ReadDefinition {
  return { kind: "invalid", why };
}

const REPORT =
  "Do what you are asked, and no more. Your last message is your report: say what you found and did, briefly.";

/** For hosts that have no kinds of their own, or want these beside them. */
export const STANDARD_AGENTS: readonly AgentDefinition[] = [
  {
    name: "general",
    description: "Works on a task of several steps by itself, with all tools.",
    prompt: `You are an agent that works on one task by itself. ${REPORT}`,
  },
  {
    name: "reader",
    description: "Searches and reads, and changes nothing.",
    prompt: `You are an agent that searches and reads, and changes nothing. ${REPORT} Name files with their lines.`,
    tools: "read-only",
  },
];
