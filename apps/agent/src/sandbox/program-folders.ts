import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { isInside } from "../workspace/path-guard.ts";

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
