import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Author, type Memory, openMemory } from "@palimpsest/memory";
import { openPostgresMemory } from "@palimpsest/postgres";
import { type StartedDatabase, startDatabase } from "@palimpsest/postgres/test-server";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hold, isReplay } from "./hold.ts";

/** Every look at the history of a folder is a process of git: few lives, of which each is looked at closely. */
const RUNS = process.env["PALIMPSEST_SLOW"] === undefined ? 12 : 200;

type Step =
  | {
      readonly kind: "write";
      readonly slug: string;
      readonly by: Author;
      readonly body: string;
      readonly read: boolean;
    }
  | { readonly kind: "forget" | "propose"; readonly slug: string; readonly by: Author }
  | { readonly kind: "accept" | "reject"; readonly slug: string }
  | { readonly kind: "rename"; readonly slug: string; readonly to: string; readonly by: Author }
  | { readonly kind: "batch"; readonly slug: string; readonly other: string; readonly body: string }
  | { readonly kind: "undo"; readonly back: number };

const slug = fc.constantFrom("a", "b", "c");
const by = fc.constantFrom<Author>("user", "model", "dream");
const body = fc.constantFrom("One.", "Two.", "Three.", "Four.");
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("write" as const), slug, by, body, read: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("forget" as const, "propose" as const), slug, by }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("accept" as const, "reject" as const), slug }) },
  fc.record({ kind: fc.constant("rename" as const), slug, to: slug, by }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("batch" as const), slug, other: slug, body }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("undo" as const), back: fc.nat({ max: 3 }) }) },
);
const lists = { minLength: 4, maxLength: 12 };

let database: StartedDatabase;
const folder = mkdtempSync(join(tmpdir(), "palimpsest-laws-"));

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(async () => {
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface World {
  readonly memory: Memory;
  pass(): void;
}

async function openWorld(place: "folder" | "PostgreSQL"): Promise<World> {
  let nowMs = Date.UTC(2026, 10, 15);
  const clock = { now: () => nowMs };
  const memory =
    place === "folder"
      ? await openMemory({ folder: join(folder, randomUUID()), clock })
      : openPostgresMemory({ pool: database.workers, tenant: randomUUID(), name: "project", clock });
  return {
    memory,
    pass() {
      nowMs += 1_000;
    },
  };
}

test("a folder and PostgreSQL answer the same to any steps, have the same texts after each, and find the same with the same scores", async () => {
  let written = 0;
  await hold(
    "memory in a folder and in PostgreSQL",
    [fc.array(steps, lists)],
    async (taken) => {
      const worlds = [await openWorld("folder"), await openWorld("PostgreSQL")];
      for (const step of taken) {
        const [one, other] = await Promise.all(
          worlds.map(async ({ memory, pass }) => {
            pass();
            const outcome = withoutIds(await take(memory, step));
            return {
              outcome,
              contents: await contentsOf(memory),
              found: await memory.search("what is b, and two?", 5),
            };
          }),
        );
        expect(other).toEqual(one);
        if ((one!.outcome as { kind: string }).kind === "written") written++;
      }
      const [messages, otherMessages] = await Promise.all(worlds.map(({ memory }) => messagesOf(memory)));
      expect(otherMessages).toEqual(messages);
      for (const { memory } of worlds) await memory.close();
    },
    { numRuns: RUNS, counts: () => ({ written }) },
  );
  if (isReplay()) return;
  expect(written).toBeGreaterThan(RUNS);
}, 3_600_000);

test.each(["folder", "PostgreSQL"] as const)(
  "in a %s every commit can be undone, from the newest to the first, and the texts before it are back",
  async (place) => {
    let undone = 0;
    await hold(
      `commits undone, ${place}`,
      [fc.array(steps, lists)],
      async (taken) => {
        const { memory, pass } = await openWorld(place);
        const made: { readonly commit: string; readonly before: unknown }[] = [];
        for (const step of taken) {
          pass();
          const before = await contentsOf(memory);
          await take(memory, step);
          const newest = (await commitsOf(memory))[0]?.commit;
          if (newest !== undefined && newest !== made.at(-1)?.commit) made.push({ commit: newest, before });
          const { topics, head } = await contentsOf(memory);
          for (const [name] of topics) expect(head).toContain(`(${name}.md)`);
        }
        expect(await commitsOf(memory)).toHaveLength(made.length);
        for (const { commit, before } of made.toReversed()) {
          pass();
          expect(await memory.undo(commit)).toMatchObject({ kind: "undone", stale: [] });
          expect(await contentsOf(memory)).toEqual(before);
          undone++;
        }
        expect((await memory.list()).length + (await memory.inbox()).length).toBe(0);
        await memory.close();
      },
      { numRuns: RUNS, counts: () => ({ undone }) },
    );
    if (isReplay()) return;
    expect(undone).toBeGreaterThan(RUNS);
  },
  3_600_000,
);

async function take(memory: Memory, step: Step): Promise<unknown> {
  const versionOf = async (name: string) => (await memory.read(name))?.version ?? "none";
  const draft = (name: string, text: string) =>
    ({ slug: name, name: `About ${name}`, description: `what ${name} is`, type: "project", body: text }) as const;
  switch (step.kind) {
    case "write": {
      const expected = step.read ? await versionOf(step.slug) : "none";
      return memory.write(draft(step.slug, step.body), step.by, expected);
    }
    case "forget":
      return memory.forget(step.slug, step.by, "old", await versionOf(step.slug));
    case "propose":
      return memory.propose(draft(step.slug, `Proposed ${step.slug}.`), step.by, "seen on a page");
    case "accept":
      return memory.accept(step.slug);
    case "reject":
      return memory.reject(step.slug);
    case "rename":
      return memory.rename(step.slug, step.to, step.by, await versionOf(step.slug));
    case "batch":
      return memory.batch("dream", "Go over the memory", async (batch) => {
        await batch.write(draft(step.slug, step.body), batch.read(step.slug)?.version ?? "none");
        await batch.forget(step.other, "merged", batch.read(step.other)?.version ?? "none");
        await batch.propose(draft(step.other, step.body), "seen in a session");
      });
    case "undo": {
      const commit = (await commitsOf(memory))[step.back]?.commit;
      return commit === undefined ? { kind: "unchanged" } : memory.undo(commit);
    }
  }
}

async function contentsOf(memory: Memory) {
  const topics = await memory.readAll((await memory.list()).map(({ slug: name }) => name));
  return {
    topics: topics.map(({ slug: name, text, author }) => [name, text, author] as const),
    head: await memory.head(),
    inbox: await memory.inbox(),
    forgotten: await memory.forgotten(),
  };
}

async function commitsOf(memory: Memory) {
  const log = await memory.log(1_000);
  if (log.kind === "no-history") throw new Error(log.why);
  return log.commits;
}

async function messagesOf(memory: Memory): Promise<readonly string[]> {
  return (await commitsOf(memory)).map(
    ({ by: author, message, atMs, changes: changed }) =>
      `${author} ${atMs} ${withoutId(message)} ${JSON.stringify(changed.filter(({ path }) => isNoIndex(path)))}`,
  );
}

function withoutId(message: string): string {
  return message.replaceAll(/undo [0-9a-f]{10}/g, "undo");
}

function isNoIndex(path: string): boolean {
  return path !== "MEMORY.md";
}

/** Only a folder has the index as a file, so that its commits have other ids. */
function withoutIds(outcome: unknown): unknown {
  const {
    commit: _,
    restored,
    ...rest
  } = outcome as { readonly commit?: string; readonly restored?: readonly string[] };
  return { ...rest, restored: restored?.filter(isNoIndex) };
}
