import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { isInside } from "../workspace/path-guard.ts";
import { protectedName } from "./protected-names.ts";
import type { FoundName, ProjectScan } from "./scan-project.ts";

/** Settings of git whose values git runs. */
const RUNS =
  /^\s*(hookspath|fsmonitor|sshcommand|editor|pager|clean|smudge|process|command|textconv|driver|program|helper|askpass|cmd|path)\s*=/gim;

/** What the names mean, in words that complete "It decides ...". */
const MEANING = {
  git: "what the user's git runs",
  editor: "what the user's editor runs",
  agent: "what coding agents do and run",
  shell: "what the user's shell runs",
  packages: "where packages are installed from",
  ci: "what runs after a push",
} as const;

/** One line for each name that a command has made, or turned into another kind of thing. */
export async function describeChanges(
  before: ProjectScan["names"],
  after: ProjectScan["names"],
  roots: readonly string[],
): Promise<readonly string[]> {
  const changed = [...after.values()].filter((name) => {
    const old = before.get(name.path);
    return old === undefined || old.kind !== name.kind || old.target !== name.target;
  });
  const gone = [...before.values()].filter(({ path, kind }) => kind === "link" && !after.has(path));
  return Promise.all([...changed, ...gone].map((name) => describe(name, roots)));
}

async function describe({ path, kind }: FoundName, roots: readonly string[]): Promise<string> {
  const root = roots.find((candidate) => isInside(path, candidate)) ?? "/";
  const from = relative(root, path) || ".";
  const tell = "Tell the user before anything else.";
  if (kind !== "repository" && !/(^|\/)\.git$/.test(from)) {
    const { reason } = protectedName(from) ?? { reason: "git" as const };
    return `[changed: ${from}. It decides ${MEANING[reason]}. ${tell}]`;
  }
  const config = await readFile(join(path, "config"), "utf8").catch(() => "");
  const settings = [...new Set([...config.matchAll(RUNS)].map(([, key]) => key!.toLowerCase()))];
  const runs = settings.length === 0 ? "" : ` Its settings name programs: ${settings.join(", ")}.`;
  return `[new repository: ${from}. Its hooks and settings decide what the user's git runs.${runs} ${tell}]`;
}
