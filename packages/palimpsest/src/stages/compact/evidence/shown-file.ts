import type { LineRange } from "./file-touch.ts";

/** A file that a command shows. */
export interface ShownFile {
  readonly path: string;
  /** Its lines, if the command names them. */
  readonly range?: LineRange;
}

/** A path without anything that a shell would replace. */
const PATH = String.raw`(?:'([^'\n]+)'|"([^"$\`\n]+)"|([\w@%+=:,./~-]+))`;
const LINES = String.raw`['"]?(\d{1,7}),(\d{1,7})p['"]?`;
/** Ways to look at a file, with the places of its path, of its first line and of its last line. */
const WAYS: readonly (readonly [pattern: RegExp, first: number, last: number, path: number])[] = [
  [new RegExp(String.raw`^sed\s+-n\s+${LINES}\s+${PATH}$`), 1, 2, 3],
  [new RegExp(String.raw`^(?:nl(?:\s+-ba)?|cat(?:\s+-n)?)\s+${PATH}\s*\|\s*sed\s+-n\s+${LINES}$`), 4, 5, 1],
  [new RegExp(String.raw`^(?:nl(?:\s+-ba)?|cat(?:\s+-n)?)\s+${PATH}$`), 0, 0, 1],
  [new RegExp(String.raw`^head\s+(?:-n\s*|-)(\d{1,7})\s+${PATH}$`), 0, 1, 2],
];

/**
 * Returns the file that a command shows, if that is all it does: many agents read files by `sed -n '1,200p' file` and `cat file`.
 * `npm run -s lab -- economics`: of the lines that recorded agents edited and no longer saw, a tenth had been shown so.
 */
export function shownFile(command: string): ShownFile | undefined {
  const [, folder, shows] = /^(?:cd\s+([\w@%+=:,./~-]+)\s*&&\s*)?(.*)$/s.exec(command.trim())!;
  for (const [pattern, firstAt, lastAt, pathAt] of WAYS) {
    const found = pattern.exec(shows!);
    if (found === null) continue;
    const path = found[pathAt] ?? found[pathAt + 1] ?? found[pathAt + 2]!;
    const whole = folder === undefined || path.startsWith("/") ? path : `${folder.replace(/\/$/, "")}/${path}`;
    if (lastAt === 0) return { path: whole };
    const range = [firstAt === 0 ? 1 : Number(found[firstAt]), Number(found[lastAt])] as const;
    return range[0] >= 1 && range[0] <= range[1] ? { path: whole, range } : undefined;
  }
  return undefined;
}
