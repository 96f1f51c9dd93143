import { type AgentDefinition, readAgentDefinition, STANDARD_AGENTS } from "@palimpsest/agents";
import {
  type HeldBackFile,
  loadMarkdownFiles,
  type MarkdownFilesOptions,
} from "../../permissions/load-markdown-files.ts";

interface LoadedDefinitions {
  /**
   * The built-in kinds, the user's and the project's. A later definition replaces an earlier definition of the same
   * name.
   */
  readonly definitions: readonly AgentDefinition[];
  /** The project's definitions that the user has not trusted. */
  readonly heldBack: readonly HeldBackFile[];
  /** Invalid files, one line each. */
  readonly problems: readonly string[];
}

/**
 * Reads the kinds of agents: `.palimpsest/agents/NAME.md` in the project, `agents/NAME.md` in the user's folder. Uses
 * the project's files only after the user has trusted them.
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
