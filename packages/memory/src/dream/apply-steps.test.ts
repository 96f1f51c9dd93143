import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { BatchStep } from "../batch.ts";
import { type FolderMemory, openMemory } from "../open-memory.ts";
import type { TopicDraft } from "../topic.ts";
import { applySteps } from "./apply-steps.ts";

const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

const draft = (slug: string, body: string): TopicDraft & { readonly slug: string } => ({
  slug,
  name: slug,
  description: `About ${slug}.`,
  type: "project",
  body,
  evidence: [],
});

/** A memory with two topics, and a clock that goes on. */
async function open(): Promise<FolderMemory> {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-steps-"));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  let nowMs = Date.parse("2026-11-01T12:00:00Z");
  const memory = await openMemory({ folder, clock: { now: () => (nowMs += 60_000) } });
  closers.push(() => memory.close());
  for (const slug of ["parser", "printer"]) await memory.write(draft(slug, "It is slow."), "model", "none");
  return memory;
}

async function forget(memory: FolderMemory, slug: string): Promise<BatchStep> {
  return { kind: "forget", slug, because: "It is gone.", expected: (await memory.read(slug))!.version };
}

test("all changes are one commit", async () => {
  const memory = await open();
  const steps = [await forget(memory, "parser"), await forget(memory, "printer")];
  expect(await applySteps(memory, steps)).toMatchObject({
    kind: "written",
    summary: { removed: ["parser", "printer"] },
  });
  expect(await memory.list()).toEqual([]);
});

test("if a topic has changed since, it is named, and none of the changes is written", async () => {
  const memory = await open();
  const steps = [await forget(memory, "parser"), await forget(memory, "printer")];
  await memory.write(draft("printer", "It is quick now."), "model", (await memory.read("printer"))!.version);
  expect(await applySteps(memory, steps)).toEqual({ kind: "stale", slugs: ["printer"] });
  expect((await memory.list()).map(({ slug }) => slug)).toEqual(["parser", "printer"]);
});

test("if the user has written a topic since, the reason is told, and none of the changes is written", async () => {
  const memory = await open();
  const steps = [await forget(memory, "parser"), await forget(memory, "printer")];
  await memory.write(draft("printer", "I want to keep this."), "user", (await memory.read("printer"))!.version);
  expect((await applySteps(memory, steps)).kind).toMatch(/stale|refused/);
  expect((await memory.list()).map(({ slug }) => slug)).toEqual(["parser", "printer"]);
});

test("a topic that is changed twice is changed twice at a later time, too", async () => {
  const memory = await open();
  const staged = await memory.batch(
    "dream",
    "twice",
    async (batch) => {
      const first = await batch.write(draft("parser", "It is quick."), batch.read("parser")!.version);
      if (first.kind === "written") await batch.write(draft("parser", "It is quick and small."), first.version);
    },
    () => "held",
  );
  if (staged.kind !== "held") throw new Error(staged.kind);
  expect(await applySteps(memory, staged.steps)).toMatchObject({ kind: "written" });
  expect((await memory.read("parser"))?.body).toBe("It is quick and small.");
});
