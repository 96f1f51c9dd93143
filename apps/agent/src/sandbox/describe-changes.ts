import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { sanitize } from "palimpsest/sanitize";
import { isInside } from "../workspace/path-guard.ts";
import { type ProtectedReason, protectedName } from "./protected-names.ts";
import type { FoundName, ProjectScan } from "./scan-project.ts";

/** Settings of git whose values git runs. */
const RUNS =
  /^[ \t]{0,100}(hookspath|fsmonitor|sshcommand|editor|pager|clean|smudge|process|command|textconv|driver|program|helper|askpass|cmd|path)[ \t]{0,100}=/gim;

/** What the names mean, in words that complete "It decides ...". */
const MEANING = {
  git: "what WHOSE git runs",
  editor: "what WHOSE editor runs",
  agent: "what coding agents do and run",
  shell: "what WHOSE shell runs",
  packages: "where packages are installed from",
  ci: "what runs after a push",
} as const;

/** A name that programs of the user obey, and that was made or exchanged while a program ran. */
export interface ProjectChange {
  /** From its root. */
  readonly path: string;
  readonly reason: ProtectedReason;
  readonly what: "repository" | "name";
  /** Of a repository: settings whose values git runs. */
  readonly programs: readonly string[];
}

/** The names that were made, or turned into another kind of thing. */
export async function findChanges(
  before: ProjectScan["names"],
  after: ProjectScan["names"],
  roots: readonly string[],
): Promise<readonly ProjectChange[]> {
  const changed = [...after.values()].filter((name) => {
    const old = before.get(name.path);
    return old === undefined || old.kind !== name.kind || old.target !== name.target;
  });
  const gone = [...before.values()].filter(({ path, kind }) => kind === "link" && !after.has(path));
  return Promise.all([...changed, ...gone].map((name) => toChange(name, roots)));
}

async function toChange({ path, kind }: FoundName, roots: readonly string[]): Promise<ProjectChange> {
  const root = roots.find((candidate) => isInside(path, candidate)) ?? "/";
  const from = relative(root, path) || ".";
  if (kind !== "repository" && !/(^|\/)\.git$/.test(from)) {
    return { path: from, reason: protectedName(from)?.reason ?? "git", what: "name", programs: [] };
  }
  const config = await readFile(join(path, "config"), "utf8").catch(() => "");
  const programs = [...new Set([...config.matchAll(RUNS)].map(([, key]) => key!.toLowerCase()))];
  return { path: from, reason: "git", what: "repository", programs };
}

/** For the model, behind the output of the command. */
export function changeNote(change: ProjectChange): string {
  return `[${changeText(change, "the user's")} Tell the user before anything else.]`;
}

/** For the person: a model need not pass on what it is told. */
export function changeWarning(change: ProjectChange, by: string): string {
  return `${by} made or replaced a protected name: ${changeText(change, "your")} Look at it before you use it.`;
}

function changeText({ path, reason, what, programs }: ProjectChange, whose: string): string {
  // Anything can be the name of a folder.
  const name = sanitize(path).replaceAll(/\s+/g, " ");
  if (what === "name") return `changed: ${name}. It decides ${MEANING[reason].replace("WHOSE", whose)}.`;
  const runs = programs.length === 0 ? "" : ` Its settings name programs: ${programs.join(", ")}.`;
  return `new repository: ${name}. Its hooks and settings decide what ${whose} git runs.${runs}`;
}
