import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const ADOPT = /\/\/ adopt$/;

/** The lines of a door's file that an application would add. */
export function countLines(url: string): number {
  return readFileSync(new URL(url), "utf8")
    .split("\n")
    .filter((line) => ADOPT.test(line.trimEnd())).length;
}

/** Names and versions of installed packages. */
export function versionsOf(url: string, names: readonly string[]): readonly string[] {
  const require = createRequire(url);
  return names.map((name) => `${name}@${(require(`${name}/package.json`) as { version: string }).version}`);
}
