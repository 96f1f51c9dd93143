import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { packageOf } from "./read-package.ts";
import type { ChangedFile } from "./tests-process.ts";

const run = promisify(execFile);

/** Whether the package of a changed file still compiles. The file is put back. @param folder the root of a copy of the repository */
export async function checkTypes(folder: string, { file, text }: ChangedFile): Promise<"right" | "wrong"> {
  const path = join(folder, file);
  const before = readFileSync(path, "utf8");
  const config = join(packageOf(file), "tsconfig.build.json");
  // As sources: a copy has built nothing.
  const asSources = ["--noEmit", "--customConditions", "palimpsest-source", "--rootDir", "."];
  writeFileSync(path, text);
  try {
    await run("node_modules/.bin/tsc", ["-p", config, ...asSources], { cwd: folder });
    return "right";
  } catch (error) {
    // It says by its code that it found errors, and by their text that it could begin.
    if (String((error as { stdout?: unknown }).stdout).includes("error TS")) return "wrong";
    throw error;
  } finally {
    writeFileSync(path, before);
  }
}
