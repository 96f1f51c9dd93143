import { readFileSync } from "node:fs";
import { problemOf } from "../../packages/palimpsest/src/compact/parts/safe-pattern.ts";
import type { SourcePattern } from "./find-patterns.ts";

/** A pattern that is not proven linear. Its text is cut, or has a length that somebody else limits. */
export interface BoundedPattern {
  /** `/source/flags` */
  readonly pattern: string;
  readonly file: string;
  /** The longest text that the pattern runs on, in characters. */
  readonly atMost: number;
  /** Who limits the text. */
  readonly because: string;
  /** The worst text that recheck found: each pump is a prefix and a text to repeat. */
  readonly attack?: {
    readonly pumps: readonly (readonly [prefix: string, repeated: string])[];
    readonly suffix: string;
  };
}

const readList = <Row>(name: string): readonly Row[] =>
  JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));

export const BOUNDED: readonly BoundedPattern[] = readList("./bounded.json");
/** Patterns that the automaton of recheck has proven linear. A cache: `check-patterns.ts --prove` proves all of them again. */
export const PROVEN: ReadonlySet<string> = new Set(readList<string>("./proven.json"));

/** The steps that a pattern may take at one place, so that it still counts as linear. */
const MAX_STEPS = 128;
/** The same for a pattern that is tried at the beginning of a text only. */
const MAX_STEPS_AT_START = 5_000;

export function nameOf({ source, flags }: Pick<SourcePattern, "source" | "flags">): string {
  return `/${source}/${flags}`;
}

/** Whether the bounded repetitions of a pattern alone show that its time is linear: see safe-pattern.ts. */
export function isBoundedByForm({ source, flags }: Pick<SourcePattern, "source" | "flags">): boolean {
  const isTriedOnce = source.startsWith("^") && !flags.includes("m") && !source.includes("|");
  return problemOf(new RegExp(source, flags), isTriedOnce ? MAX_STEPS_AT_START : MAX_STEPS) === undefined;
}

/** Hostile texts of the longest length for a bounded pattern: the attack that is known, and repetitions of its own characters. */
export function hostileTexts({ pattern, atMost, attack }: BoundedPattern): readonly string[] {
  const letters = [...new Set([...pattern.replaceAll(/\\./g, ""), " ", "\n", "\t", "a", "0", "A", "/"])].slice(0, 24);
  const repeated = [...letters, "a ", "1,", "- ", "a\n"].map((one) => one.repeat(Math.floor(atMost / one.length)));
  const found = attack === undefined ? [] : [attackOf(attack, atMost)];
  return [...found, ...repeated].flatMap((text) => [text, `${text.slice(0, -1)}\u0001`]);
}

function attackOf({ pumps, suffix }: NonNullable<BoundedPattern["attack"]>, atMost: number): string {
  const fixed = pumps.reduce((sum, [prefix]) => sum + prefix.length, suffix.length);
  const each = Math.max(1, Math.floor((atMost - fixed) / pumps.length));
  const body = pumps.map(([prefix, text]) => prefix + text.repeat(Math.max(1, Math.floor(each / text.length))));
  return body.join("") + suffix;
}
