import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
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

/** Where homes lie, which programs do not see. */
const HOMES = ["/home", "/root"];

/**
 * The folders of homes that the user's PATH names, and the libraries beside them (`bin/npm` is a link into `lib`). Toolchains lie
 * at more places of a home than any list knows, and a folder of programs holds no secrets. One that holds the home itself is not
 * shown, and one in a root is the project's.
 */
export function programFolders(
  path: string | undefined,
  { home, roots }: { readonly home: string; readonly roots: readonly string[] },
): readonly string[] {
  const folders = (path ?? "").split(delimiter).filter(isAbsolute);
  const withLibraries = folders.flatMap((folder) =>
    basename(folder) === "bin" && dirname(folder) !== home ? [folder, join(dirname(folder), "lib")] : [folder],
  );
  return withLibraries.filter(
    (folder) =>
      [home, ...HOMES].some((place) => isInside(folder, place)) &&
      !isInside(home, folder) &&
      !roots.some((root) => isInside(folder, root) || isInside(root, folder)),
  );
}
