import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { projectFolderOf } from "@palimpsest/coordination/project-places";
import { type LoadedFile, loadFile } from "../workspace/open-inside.ts";
import type { PathGuard } from "../workspace/path-guard.ts";
import { writePrivateFile } from "../workspace/private-files.ts";
import {
  type AgentSettings,
  MAX_SETTINGS_BYTES,
  type MergedSettings,
  mergeSettings,
  type ReadSettings,
  readSettings,
} from "./settings.ts";

interface LoadSettingsOptions {
  readonly guard: PathGuard;
  /** Our folder in the user's home. */
  readonly agentHome: string;
}

/** The settings of the user and of the project, merged, with their problems. */
export interface LoadedSettings extends MergedSettings {
  readonly problems: readonly string[];
  /** The project's settings, if it has any. The user trusts these bytes, and those of the files that hooks and servers run. */
  readonly project?: { readonly path: string; readonly hash: string; readonly trust: "trusted" | "untrusted" };
}

/** Reads the settings of the user and of the project, and whether the user has trusted the latter as they are. */
export async function loadSettings({ guard, agentHome }: LoadSettingsOptions): Promise<LoadedSettings> {
  const own = await readOwnSettings(agentHome, guard.roots[0]!);
  const located = await guard.locate(".palimpsest/settings.json");
  const file = located.kind === "inside" ? await loadProjectFile(located.path, located.root) : undefined;
  if (located.kind !== "inside" || file === undefined || "problem" in file) {
    const problems = file !== undefined && "problem" in file ? [`settings of the project: ${file.problem}`] : [];
    return {
      ...mergeSettings({ user: own.settings, trust: "untrusted" }),
      problems: [...own.problems, ...problems],
    };
  }
  const project = readSettings(file.bytes.toString("utf8"), "project");
  const hash = await hashWithFiles(file.facts.hash, await namedFiles(project.settings, guard));
  const trust = (await readTrust(agentHome))[located.path] === hash ? "trusted" : "untrusted";
  return {
    ...mergeSettings({ user: own.settings, project: project.settings, trust }),
    problems: [...own.problems, ...project.problems],
    project: { path: located.path, hash, trust },
  };
}

/** The user's own settings. */
export async function readUserSettings(agentHome: string): Promise<ReadSettings> {
  return readSettingsOf("user", agentHome);
}

/** The user's own settings, with the rules that hold in this project only. */
async function readOwnSettings(agentHome: string, folder: string): Promise<ReadSettings> {
  const user = await readUserSettings(agentHome);
  const local = await readSettingsOf("local", projectFolderOf(folder, agentHome));
  const rules = [...(user.settings.rules ?? []), ...(local.settings.rules ?? [])];
  return { settings: { ...user.settings, rules }, problems: [...user.problems, ...local.problems] };
}

async function readSettingsOf(from: "user" | "local", folder: string): Promise<ReadSettings> {
  const whose = from === "user" ? "settings of the user" : "settings of the user for this project";
  try {
    return readSettings((await readOwn(join(folder, "settings.json"))) ?? "{}", from);
  } catch (error) {
    return { settings: {}, problems: [`${whose}: ${(error as Error).message}. They are not used.`] };
  }
}

/** Whatever a repository has put in its place is no reason not to start. */
async function loadProjectFile(
  path: string,
  root: string,
): Promise<LoadedFile | { readonly problem: string } | undefined> {
  return loadFile(path, root, MAX_SETTINGS_BYTES).catch((error: Error) => ({ problem: error.message }));
}

/** The user has said yes to a project's file as it is; once it changes, he is asked again. */
export async function trustFile(
  { path, hash }: { readonly path: string; readonly hash: string },
  agentHome: string,
): Promise<void> {
  const trusted = { ...(await readTrust(agentHome)), [path]: hash };
  await writePrivateFile(join(agentHome, "trust.json"), `${JSON.stringify(trusted, undefined, 2)}\n`);
}

/** Hashes of trusted files by path. What is damaged trusts nothing. */
export async function readTrust(agentHome: string): Promise<Readonly<Record<string, string>>> {
  try {
    const read: unknown = JSON.parse((await readOwn(join(agentHome, "trust.json"))) ?? "{}");
    const pairs = Object.entries(read as object).filter(([, hash]) => typeof hash === "string");
    return Object.assign(Object.create(null), Object.fromEntries(pairs));
  } catch {
    return {};
  }
}

async function readOwn(path: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    if (size > MAX_SETTINGS_BYTES) throw new Error(`${path} has ${size} bytes, at most ${MAX_SETTINGS_BYTES} are read`);
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** What a hook writes to is not what it runs: a log that it keeps must stay writable. */
const WRITTEN = />>?\|?\s*[^\s;|&()<>]+/g;
/** More than a program in a repository has; of a larger file the beginning counts. */
const MAX_BYTES = 16_777_216;

/**
 * Files of the project that hooks and servers of the settings name, as far as can be told from their words. They run with the
 * user's rights, so commands cannot change them, and trust in the settings covers what is in them.
 */
export async function namedFiles(
  { hooks = [], servers = [] }: Partial<Pick<AgentSettings, "hooks" | "servers">>,
  guard: PathGuard,
): Promise<readonly string[]> {
  const lines = [
    ...hooks.map(({ command }) => (typeof command === "string" ? command : command.join(" "))),
    ...servers.flatMap((server) => ("command" in server ? [server.command.join(" ")] : [])),
  ];
  const words = new Set(
    lines.flatMap((line) =>
      line
        .replace(WRITTEN, " ")
        .split(/[\s'"`;|&()<>=$]+/)
        .filter(Boolean),
    ),
  );
  // What `npm run lint` runs stands in here.
  if (lines.some((line) => /\b(npm|npx|yarn|pnpm|bun)\b/.test(line))) words.add("package.json");
  if (lines.some((line) => /\bmake\b/.test(line))) words.add("Makefile");
  const found = await Promise.all([...words].map((word) => fileInside(word, guard)));
  return [...new Set(found.flat())].sort();
}

/** The hash of settings together with the files that they name. Settings that name none keep their own hash. */
export async function hashWithFiles(hash: string, paths: readonly string[]): Promise<string> {
  if (paths.length === 0) return hash;
  const digest = createHash("sha256").update(hash);
  for (const path of paths) {
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    digest.update(`\0${path}\0${bytes.length}\0`).update(bytes.subarray(0, MAX_BYTES));
  }
  return digest.digest("hex");
}

async function fileInside(word: string, guard: PathGuard): Promise<readonly string[]> {
  const located = await guard.locate(word).catch(() => undefined);
  if (located?.kind !== "inside") return [];
  const facts = await stat(located.path).catch(() => undefined);
  return facts?.isFile() === true ? [located.path] : [];
}
