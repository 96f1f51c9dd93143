import { isAbsolute, posix, relative } from "node:path";
import { isInside } from "../workspace/path-guard.ts";

/** How far a star reaches: in a text over everything; in a path `*` stays within a folder, and `**` does not. */
export type GlobKind = "text" | "path";

const SLASH = 47;
const BITS = 32;

/**
 * Whether a whole text fits a pattern. Stars are all that is special in it. Patterns may come from a repository that nobody
 * trusts: the time is at most the length of the text times that of the pattern, whatever they are, and 32 places of the pattern
 * are looked at together (the shift-and method). Bit n says: the first n characters of the pattern, and the stars among them,
 * fit the text so far.
 */
export function fitsGlob(pattern: string, text: string, kind: GlobKind): boolean {
  const shape = readShape(pattern, kind);
  const reached = reach(shape, text);
  return ((reached[Math.floor(shape.length / BITS)]! >>> (shape.length % BITS)) & 1) === 1;
}

/** Whether a text that begins like this may fit a pattern, whatever follows. */
export function mayFitGlob(pattern: string, beginning: string, kind: GlobKind): boolean {
  return reach(readShape(pattern, kind), beginning).some((word) => word !== 0);
}

function reach(shape: Shape, text: string): Uint32Array {
  const words = Math.ceil((shape.length + 1) / BITS);
  const [any, name, folders] = [toBits(shape.any, words), toBits(shape.name, words), toBits(shape.folders, words)];
  const nothing = new Uint32Array(words);
  const follows = new Map([...shape.places].map(([code, places]) => [code, toBits(places, words)]));
  const reached = toBits([0], words);
  // Where folders of any number have begun: they go on until the end, and each slash may be their last.
  const inFolders = and(reached, folders);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const fitting = follows.get(code) ?? nothing;
    let carry = 0;
    for (let word = 0; word < words; word++) {
      const now = reached[word]!;
      const moved = now & fitting[word]!;
      const stayed = now & (code === SLASH ? any[word]! : any[word]! | name[word]!);
      const next = (moved << 1) | carry | stayed | (code === SLASH ? inFolders[word]! : 0);
      carry = moved >>> (BITS - 1);
      reached[word] = next;
      inFolders[word] = inFolders[word]! | (next & folders[word]!);
    }
  }
  return reached;
}

interface Shape {
  /** Characters that are no stars. */
  readonly length: number;
  /** Before which characters each one has to come: the places, by code. */
  readonly places: ReadonlyMap<number, readonly number[]>;
  /** Where any characters may stand. */
  readonly any: readonly number[];
  /** Where any characters but "/" may stand. */
  readonly name: readonly number[];
  /** Where nothing may stand, or any folders with the slash behind them. */
  readonly folders: readonly number[];
}

function readShape(pattern: string, kind: GlobKind): Shape {
  const pieces = pattern.match(kind === "path" ? /(?:\*\*\/)+|\*+|./gs : /\*+|./gs) ?? [];
  const places = new Map<number, number[]>();
  const [any, name, folders]: number[][] = [[], [], []];
  let length = 0;
  for (const piece of pieces) {
    if (!piece.startsWith("*")) {
      const code = piece.charCodeAt(0);
      const known = places.get(code);
      if (known === undefined) places.set(code, [length]);
      else known.push(length);
      length++;
    } else if (piece.endsWith("/")) folders!.push(length);
    else if (kind === "path" && piece === "*") name!.push(length);
    else any!.push(length);
  }
  return { length, places, any: any!, name: name!, folders: folders! };
}

function toBits(places: readonly number[], words: number): Uint32Array {
  const bits = new Uint32Array(words);
  for (const place of places) bits[Math.floor(place / BITS)]! |= 1 << (place % BITS);
  return bits;
}

function and(one: Uint32Array, other: Uint32Array): Uint32Array {
  return one.map((word, index) => word & other[index]!);
}

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
