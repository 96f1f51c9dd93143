/**
 * A process that works on a memory until it has made its share of changes, or is killed. Every change that was acknowledged is
 * told on standard output, one line each, after it has resolved and not before: what was told must never be lost.
 *
 * Arguments: folder, and as JSON the terms of `MemoryWriterPlan`.
 */
import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { type Memory, openMemory, type TopicDraft } from "@palimpsest/memory";
import { bodyFor } from "./marked-body.ts";

export interface MemoryWriterPlan {
  readonly writer: number;
  readonly changes: number;
  readonly ownTopics: number;
  readonly sharedTopics: number;
}

/** One line of output: a change that the memory has acknowledged. */
export interface AcknowledgedChange {
  readonly commit: string;
  /** For each topic that was written: what was read before, and what it is now. */
  readonly written: readonly { readonly slug: string; readonly expected: string; readonly version: string }[];
}

/** Eight writers on a machine that does other work, too: waiting long for one's turn is no fault that is looked for here. */
const LOCK_TIMEOUT_MS = 300_000;

const [folder = "", options = "{}"] = process.argv.slice(2);
await work(JSON.parse(options) as MemoryWriterPlan);

async function work({ writer, changes, ownTopics, sharedTopics }: MemoryWriterPlan): Promise<void> {
  const memory = await openMemory({ folder, limits: { proposals: 10_000 }, lockTimeoutMs: LOCK_TIMEOUT_MS });
  const slugs = [
    ...Array.from({ length: ownTopics }, (_, number) => `own-${writer}-${number}`),
    ...Array.from({ length: sharedTopics }, (_, number) => `shared-${number}`),
  ];
  for (let made = 0; made < changes; ) {
    const dice = Math.random();
    const acknowledged =
      dice < 0.8
        ? await writeOne(memory, pick(slugs))
        : dice < 0.9
          ? await writeSeveral(memory, [pick(slugs), pick(slugs), pick(slugs)])
          : await forgetOne(memory, pick(slugs));
    if (acknowledged === undefined) continue;
    made++;
    writeSync(1, `${JSON.stringify(acknowledged)}\n`);
  }
  await memory.close();
}

async function writeOne(memory: Memory, slug: string): Promise<AcknowledgedChange | undefined> {
  const now = await memory.read(slug);
  const expected = now?.version ?? "none";
  // What the user has edited is the user's: the user's agent goes on in the user's name.
  const outcome = await memory.write(draftOf(slug), now?.author === "user" ? "user" : "model", expected);
  if (outcome.kind !== "written") return undefined;
  return { commit: outcome.commit, written: [{ slug, expected, version: outcome.version }] };
}

async function writeSeveral(memory: Memory, slugs: readonly string[]): Promise<AcknowledgedChange | undefined> {
  const written: { slug: string; expected: string; version: string }[] = [];
  const outcome = await memory.batch("user", "several at once", async (batch) => {
    for (const slug of new Set(slugs)) {
      const expected = batch.read(slug)?.version ?? "none";
      const staged = await batch.write(draftOf(slug), expected);
      if (staged.kind === "written") written.push({ slug, expected, version: staged.version });
    }
  });
  return outcome.kind === "written" ? { commit: outcome.commit, written } : undefined;
}

async function forgetOne(memory: Memory, slug: string): Promise<AcknowledgedChange | undefined> {
  const now = await memory.read(slug);
  if (now === undefined) return undefined;
  const outcome = await memory.forget(slug, "user", "to see what happens", now.version);
  return outcome.kind === "written" ? { commit: outcome.commit, written: [] } : undefined;
}

function draftOf(slug: string): TopicDraft {
  const id = randomUUID();
  return { slug, name: `About ${slug}`, description: `change ${id}`, type: "project", body: bodyFor(id) };
}

function pick<T>(of: readonly T[]): T {
  return of[Math.floor(Math.random() * of.length)]!;
}
