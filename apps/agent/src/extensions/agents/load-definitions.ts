import { type AgentDefinition, readAgentDefinition, STANDARD_AGENTS } from "@palimpsest/agents";
import {
  type HeldBackFile,
  loadMarkdownFiles,
  type MarkdownFilesOptions,
} from "../../permissions/load-markdown-files.ts";

interface LoadedDefinitions {
  /** The standard kinds, the user's and the project's; a later definition replaces an earlier one of the same name. */
  readonly definitions: readonly AgentDefinition[];
  /** Definitions of the project that the user has not trusted. */
  readonly heldBack: readonly HeldBackFile[];
  /** Files that are not valid definitions, one line each. */
  readonly problems: readonly string[];
}

/**
 * Reads the kinds of agents: `.palimpsest/agents/NAME.md` of the project, `agents/NAME.md` of the user. A file of the project
 * is used only after the user has trusted it.
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

/** The messages to the user about unusable definitions. */
export function definitionProblems({ heldBack, problems }: LoadedDefinitions): readonly string[] {
  if (heldBack.length === 0) return problems;
  const names = heldBack.map(({ name }) => name).join(", ");
  return [
    ...problems,
    `This project is not trusted, so these agents are not available: ${names}. To review them: palimpsest trust`,
  ];
}
