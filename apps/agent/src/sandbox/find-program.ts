import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { isInside } from "../workspace/path-guard.ts";

/**
 * The absolute path of a program. What lies in one of the roots is passed over: a command could have written it, and
 * `npx` puts the project's own programs first in PATH.
 */
export function findProgram(name: string, path: string | undefined, roots: readonly string[]): string | undefined {
  for (const folder of (path ?? "").split(delimiter).filter(isAbsolute)) {
    const found = join(folder, name);
    const places = realPlaces(folder, found);
    if (places !== undefined && !places.some((place) => roots.some((root) => isInside(place, root)))) return found;
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
export function findShell(path: string | undefined, roots: readonly string[]): string {
  return findProgram("bash", path, roots) ?? "/bin/bash";
}
