import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "../workspace/command-environment.ts";
import { isInside } from "../workspace/path-guard.ts";
import { type System, systemOf } from "../workspace/system.ts";

/**
 * The absolute path of a program. What lies in one of the roots is passed over: a command could have written it, and
 * `npx` puts the project's own programs first in PATH.
 */
export function findProgram(
  name: string,
  path: string | undefined,
  roots: readonly string[],
  { programFiles, isForeign }: System = systemOf(),
): string | undefined {
  const folders = (path ?? "").split(delimiter).filter((folder) => isAbsolute(folder) && !isForeign(folder));
  for (const folder of folders) {
    for (const file of programFiles(name)) {
      const found = join(folder, file);
      const places = realPlaces(folder, found);
      if (places !== undefined && !places.some((place) => roots.some((root) => isInside(place, root)))) return found;
    }
  }
  return undefined;
}

/** Of the folder and of the program; undefined where there is none. */
function realPlaces(folder: string, program: string): readonly string[] | undefined {
  try {
    accessSync(program, constants.X_OK);
    return statSync(program).isFile() ? [realpathSync(folder), realpathSync(program)] : undefined;
  } catch {
    return undefined;
  }
}

/** Bash, which commands are written for. */
export function findShell(environment: Environment, roots: readonly string[], system: System = systemOf()): string {
  return findProgram("bash", environment["PATH"], roots, system) ?? system.usualShell(environment);
}
