import { readFileSync } from "node:fs";
import { parseSync } from "oxc-parser";

/** A regular expression of the sources, as it is written. */
export interface SourcePattern {
  readonly file: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

/** Finds the regular expressions in the files of the product, except those of tests, of the simulator and of test helpers. */
export function findPatterns(files: readonly string[]): readonly SourcePattern[] {
  return files.filter((file) => !EXEMPT.test(file)).flatMap(patternsIn);
}

/** The simulator reads what our own adapters send, in tests. */
const EXEMPT = /\.test\.ts$|\.d\.ts$|\/testing\/|\/testing\.ts$|^packages\/provider-simulator\//;

function patternsIn(file: string): readonly SourcePattern[] {
  const text = readFileSync(file, "utf8");
  const found: SourcePattern[] = [];
  const waiting: unknown[] = [parseSync(file, text).program];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node !== "object" || node === null) continue;
    const { regex, start } = node as {
      readonly regex?: { readonly pattern: string; readonly flags: string };
      readonly start?: number;
    };
    if (regex !== undefined && start !== undefined) {
      const line = text.slice(0, start).split("\n").length;
      found.push({ file, line, source: regex.pattern, flags: regex.flags });
    } else waiting.push(...Object.values(node));
  }
  return found;
}
