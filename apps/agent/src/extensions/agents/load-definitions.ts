import { join } from "node:path";
import { type AgentDefinition, readAgentDefinition, STANDARD_AGENTS } from "@palimpsest/agents";
import { readTrust } from "../../permissions/load-settings.ts";
import { hashOf, loadFile } from "../../workspace/load-file.ts";
import type { PathGuard } from "../../workspace/path-guard.ts";
import { readFolder } from "../../workspace/read-folder.ts";
import { readUnlinked } from "../../workspace/read-unlinked.ts";

export interface DefinitionsOptions {
  readonly guard: PathGuard;
  /** Our folder in the user's home. */
  readonly agentHome: string;
}

export interface LoadedDefinitions {
  /** The standard ones, the user's and the project's; of two with one name the latter counts. */
  readonly definitions: readonly AgentDefinition[];
  /** Of the project, and not trusted as they are. */
  readonly heldBack: readonly { readonly name: string; readonly path: string; readonly hash: string }[];
  /** Files that are no definitions, one line each. */
  readonly problems: readonly string[];
}

/**
 * Reads the kinds of agents: `.palimpsest/agents/NAME.md` of the project, `agents/NAME.md` of the user. What a project says an
 * agent is told is heard only once the user has trusted the file as it is.
 */
export async function loadDefinitions({ guard, agentHome }: DefinitionsOptions): Promise<LoadedDefinitions> {
  const located = await guard.locate(".palimpsest/agents");
  const ofProject =
    located.kind === "inside" ? await readFolder(located.path, (path) => readInside(path, located.root)) : [];
  const ofUser = await readFolder(join(agentHome, "agents"), readUnlinked);
  const trusted = ofProject.length === 0 ? {} : await readTrust(agentHome);
  const definitions = new Map(STANDARD_AGENTS.map((definition) => [definition.name, definition]));
  const heldBack: LoadedDefinitions["heldBack"][number][] = [];
  const problems: string[] = [];
  for (const { path, name, text } of [...ofUser, ...ofProject]) {
    const read = readAgentDefinition(text, name);
    const hash = hashOf(text);
    if (read.kind === "invalid") problems.push(`${path}: ${read.why}`);
    else if (!ofUser.some((one) => one.path === path) && trusted[path] !== hash)
      heldBack.push({ name: read.definition.name, path, hash });
    else definitions.set(read.definition.name, read.definition);
  }
  return { definitions: [...definitions.values()], heldBack, problems };
}

async function readInside(path: string, root: string): Promise<string | undefined> {
  return (await loadFile(path, root))?.bytes.toString("utf8");
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
