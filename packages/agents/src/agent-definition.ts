import { readFrontmatter } from "@palimpsest/memory";

/** A kind of agent: its purpose, its prompt, and its tools. */
export interface AgentDefinition {
  readonly name: string;
  /** When to use it: the model chooses by this text. */
  readonly description: string;
  /** Its system prompt. */
  readonly prompt: string;
  /** Names of tools; `read-only`: the host's tools that change nothing. @default all */
  readonly tools?: readonly string[] | "read-only";
  /** @default the model of the session that starts it */
  readonly model?: string;
  /** The scope of its notes: all projects, the repository, or this project on this machine. @default none */
  readonly memory?: MemoryScope;
}

export type MemoryScope = (typeof MEMORY_SCOPES)[number];

export type ReadDefinition =
  | { readonly kind: "definition"; readonly definition: AgentDefinition }
  | { readonly kind: "invalid"; readonly why: string };

const MEMORY_SCOPES = ["user", "project", "local"] as const;
/** Same rule as names of mailboxes: an agent can be addressed by the name of its definition. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
const MAX_DESCRIPTION_CHARACTERS = 300;

/**
 * Parses a definition: markdown with a head of `name`, `description`, `tools`, `model` and `memory`. Unknown fields are
 * ignored; an error in a known field makes the file invalid, because a limit that is not understood is no limit. @param
 * fileName its name, if the head has none
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
      tools,
      // "inherit" means the default.
      ...(model === undefined || model === "inherit" ? {} : { model }),
      memory: scope,
    },
  };
}

/** An empty field allows nothing: it is not the same as a missing one. */
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

/** For hosts without kinds of their own, or in addition to them. */
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
