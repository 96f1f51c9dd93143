import assert from "node:assert/strict";
import type { Emit } from "palimpsest";
import type { MemoryLimits } from "../limits.ts";
import type { Memory } from "../memory.ts";
import type { MemoryCommit } from "../memory-files.ts";
import type { TopicDraft } from "../topic.ts";

/** The clock and the limits that a case of the contract suite needs. */
export interface OpenedAs {
  readonly clock: { now(): number };
  readonly limits?: Partial<MemoryLimits>;
  readonly emit?: Emit;
}

/** A new, empty memory that several processes can use. */
export interface MemoryPlace {
  /** Opens the memory as one more process. Whatever is opened is closed by the place. */
  open(options: OpenedAs): Promise<Memory>;
  /** Called at the end of a case, whether it passed or not. */
  remove(): Promise<void>;
}

/** The memory of one case, and others who use it. */
export interface MemoryCase {
  readonly memory: Memory;
  reopen(): Promise<Memory>;
}

/** Runs one case of the contract in a new place. */
export type MemoryCheck = (
  name: string,
  run: (memory: MemoryCase) => Promise<void>,
  options?: Omit<OpenedAs, "clock">,
) => void;

/** The time of the first question; every further one is a second later. */
export const FIRST_AT_MS: number = Date.UTC(2026, 10, 15, 0, 0, 1);

export function tickingClock(): { now(): number } {
  let nowMs = FIRST_AT_MS - 1_000;
  return { now: () => (nowMs += 1_000) };
}

export function draft(slug: string, more: Partial<TopicDraft> = {}): TopicDraft {
  return {
    slug,
    name: `About ${slug}`,
    description: `what ${slug} is`,
    type: "project",
    body: `The fact of ${slug}.`,
    ...more,
  };
}

/** The version that a change has led to; what came of it otherwise is the failure's message. */
export function versionIn(outcome: { readonly kind: string }): string {
  if ("version" in outcome && outcome.kind === "written") return String(outcome.version);
  throw new Error(`not written: ${JSON.stringify(outcome)}`);
}

/** The newest first. */
export async function commitsOf(memory: Memory): Promise<readonly MemoryCommit[]> {
  const log = await memory.log(100);
  if (log.kind === "no-history") throw new Error(log.why);
  return log.commits;
}

/** Who did what, the newest first. */
export async function messagesOf(memory: Memory): Promise<readonly string[]> {
  return (await commitsOf(memory)).map(({ by, message }) => `${by}: ${message}`);
}

export async function slugsOf(memory: Memory): Promise<readonly string[]> {
  return (await memory.list()).map(({ slug }) => slug);
}

/** Asserts that a value has these fields; a list has to have these elements and no others. */
export function assertLike(value: unknown, like: object): void {
  if (Array.isArray(like)) assert.equal((value as readonly unknown[]).length, like.length, JSON.stringify(value));
  assert.partialDeepStrictEqual(value, like);
}
