import { isAbsolute } from "node:path";
import { type PathBase, placePattern } from "../../permissions/path-pattern.ts";

/** The ripgrep arguments that skip hidden files below a root, and the `.git` folder. */
export function hidingGlobs(hidden: readonly string[], base: PathBase): readonly string[] {
  const placed = hidden.map((pattern) => placePattern(pattern, base)).filter((pattern) => !isAbsolute(pattern));
  return [".git", ...placed].flatMap((pattern) => ["--glob", `!${toRipgrep(pattern)}`]);
}

/** Converts a pattern: only stars are special in ours, but brackets, braces and question marks are special in ripgrep's. */
function toRipgrep(placed: string): string {
  if (placed === "./") return "*";
  const anchored = placed.replace(/^\.\//, "/").replaceAll(/[?[\]{}\\!]/g, "\\$&");
  // In ripgrep, "**" matches across folders only if it is alone between slashes.
  return anchored.replaceAll(/(?<=[^/*])\*{2,}|\*{2,}(?=[^/*])/g, "{*,*/**/*}");
}
