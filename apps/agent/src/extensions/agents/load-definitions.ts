import { type AgentDefinition, readAgentDefinition, STANDARD_AGENTS } from "@palimpsest/agents";
import {
  type HeldBackFile,
  loadMarkdownFiles,
  type MarkdownFilesOptions,
} from "../../permissions/load-markdown-files.ts";

export interface LoadedDefinitions {
  /** The standard ones, the user's and the project's; of two with one name the latter counts. */
  readonly definitions: readonly AgentDefinition[];
  /** Of the project, and not trusted as they are. */
  readonly heldBack: readonly HeldBackFile[];
  /** Files that are no definitions, one line each. */
  readonly problems: readonly string[];
}

/**
 * Reads the kinds of agents: `.palimpsest/agents/NAME.md` of the project, `agents/NAME.md` of the user. What a project says an
 * agent is told is heard only once the user has trusted the file as it is.
 */
export async function loadDefinitions(options: MarkdownFilesOptions): Promise<LoadedDefinitions> {
  const definitions = new Map(STANDARD_AGENTS.map((definition) => [definition.name, definition]));
  const heldBack: HeldBackFile[] = [];
  const problems: string[] = [];
  for (const { path, name, text, trust, hash } of await loadMarkdownFiles("agents", options)) {
    const read = readAgentDefinition(text, name);
    if (read.kind === "invalid") problems.push(`${path}: ${read.why}`);
    else if (trust === "untrusted") heldBack.push({ name: read.definition.name, path, hash });
    else definitions.set(read.definition.name, read.definition);
  }
  return { definitions: [...definitions.values()], heldBack, problems };
}

/** What the user is told of them. */
export function definitionProblems({ heldBack, problems }: LoadedDefinitions): readonly string[] {
  if (heldBack.length === 0) return problems;
  const names = heldBack.map(({ name }) => name).join(", ");
  return [
    ...problems,
    `This project's agents are not trusted, so there are none of these: ${names}. (palimpsest trust)`,
  ];
}
