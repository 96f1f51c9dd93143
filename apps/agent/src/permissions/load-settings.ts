import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadFile } from "../workspace/load-file.ts";
import type { PathGuard } from "../workspace/path-guard.ts";
import { writePrivateFile } from "../workspace/private-files.ts";
import { type MergedSettings, mergeSettings, type ReadSettings, readSettings } from "./settings.ts";

export interface LoadSettingsOptions {
  readonly guard: PathGuard;
  /** Our folder in the user's home. */
  readonly agentHome: string;
}

export interface LoadedSettings extends MergedSettings {
  readonly problems: readonly string[];
  /** The project's settings, if it has any: what the user says yes to is these bytes. */
  readonly project?: { readonly path: string; readonly hash: string; readonly trust: "trusted" | "untrusted" };
}

/** Reads the settings of the user and of the project, and whether the user has trusted the latter as they are. */
export async function loadSettings({ guard, agentHome }: LoadSettingsOptions): Promise<LoadedSettings> {
  const user = await readUserSettings(agentHome);
  const located = await guard.locate(".palimpsest/settings.json");
  const file = located.kind === "inside" ? await loadFile(located.path, located.root) : undefined;
  if (located.kind !== "inside" || file === undefined) {
    return { ...mergeSettings({ user: user.settings, trust: "untrusted" }), problems: user.problems };
  }
  const { hash } = file.facts;
  const trust = (await readTrust(agentHome))[located.path] === hash ? "trusted" : "untrusted";
  const project = readSettings(file.bytes.toString("utf8"), "project");
  return {
    ...mergeSettings({ user: user.settings, project: project.settings, trust }),
    problems: [...user.problems, ...project.problems],
    project: { path: located.path, hash, trust },
  };
}

/** The user's own settings. */
export async function readUserSettings(agentHome: string): Promise<ReadSettings> {
  return readSettings((await readOwn(join(agentHome, "settings.json"))) ?? "{}", "user");
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
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}
