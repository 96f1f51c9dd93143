import { isAbsolute, posix, relative } from "node:path";
import { isInside } from "../workspace/path-guard.ts";
import { fitsGlob } from "./glob.ts";

/** The folders that patterns of paths begin at. */
export interface PathBase {
  /** The project's, links followed. */
  readonly folder: string;
  /** The user's home, for "~". */
  readonly home: string;
}

/**
 * A pattern in one of three forms, whatever way it was written: `name` for a name in any folder, `./path` from the project's
 * folder, or an absolute path outside of it. `secrets/` is `secrets`: a pattern always holds for all that lies in a folder.
 */
export function placePattern(pattern: string, { folder, home }: PathBase): string {
  const whole = /^~(?=\/|$)/.test(pattern) ? home + pattern.slice(1) : pattern;
  if (isAbsolute(whole)) {
    const path = withoutEnd(posix.normalize(whole));
    return isInside(path, folder) ? `./${relative(folder, path)}` : path;
  }
  const isName = !withoutEnd(whole).includes("/");
  const path = withoutEnd(posix.normalize(whole));
  if (isName && path !== "." && path !== "..") return path;
  return path.startsWith("..") ? withoutEnd(posix.join(folder, path)) : `./${path === "." ? "" : path}`;
}

/**
 * Whether a path, from the project's folder or absolute, fits a pattern that was placed: "*" stays within a folder, "**" does
 * not, and what fits a folder fits all that lies in it.
 */
export function fitsPath(placed: string, path: string): boolean {
  if (placed === "./") return !isAbsolute(path);
  const shape = placed.startsWith("./") ? placed.slice(2) : placed.includes("/") ? placed : `**/${placed}`;
  return fitsGlob(shape, path, "path") || fitsGlob(`${shape}/**`, path, "path");
}

function withoutEnd(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, "") : path;
}
