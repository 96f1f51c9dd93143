import { isAbsolute } from "node:path";
import { type PathBase, placePattern } from "../../permissions/path-pattern.ts";

/** What ripgrep is told so that it passes over hidden files below a root, and over git's own. */
export function hidingGlobs(hidden: readonly string[], base: PathBase): readonly string[] {
  const placed = hidden.map((pattern) => placePattern(pattern, base)).filter((pattern) => !isAbsolute(pattern));
  return [".git", ...placed].flatMap((pattern) => ["--glob", `!${toRipgrep(pattern)}`]);
}

/** In our patterns only stars are special; in ripgrep's brackets, braces and question marks are, too. */
function toRipgrep(placed: string): string {
  if (placed === "./") return "*";
  const anchored = placed.replace(/^\.\//, "/").replaceAll(/[?[\]{}\\!]/g, "\\$&");
  // To ripgrep "**" reaches over folders only where it stands alone between slashes.
  return anchored.replaceAll(/(?<=[^/*])\*{2,}|\*{2,}(?=[^/*])/g, "{*,*/**/*}");
}
