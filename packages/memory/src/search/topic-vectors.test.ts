import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openMemory } from "../open-memory.ts";
import type { Embedder } from "./embedder.ts";
import { fuseRanks } from "./fuse-ranks.ts";

/** One dimension for each meaning, so that words that share no letter are near each other. */
const MEANINGS = [
  ["pnpm", "package", "manager", "dependencies", "install"],
  ["deploys", "staging", "production", "ship", "release"],
  ["lunch", "eat", "food"],
];

function byMeaning(name = "meanings") {
  const embedded: string[] = [];
  const state = { works: "yes" as "yes" | "no" };
  const embedder: Embedder = {
    name,
    clearAt: 0.9,
    async embed(texts) {
      if (state.works === "no") throw new Error("The embedder is down.");
      embedded.push(...texts);
      return texts.map((text) =>
        MEANINGS.map((words) => words.filter((word) => text.toLowerCase().includes(word)).length),
      );
    },
  };
  return { embedder, embedded, state };
}

async function setUp(embedder: Embedder) {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-vectors-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const memory = await openMemory({ folder, embedder });
  for (const [name, fact] of Object.entries({
    Tool: "Use pnpm, never npm.",
    Deploys: "Deploys go to staging first.",
    Noon: "Lunch is at twelve.",
  })) {
    await memory.write({ name, type: "project", description: fact, body: fact }, "user", "none");
  }
  return { folder, memory };
}

test("a topic that shares no word with the message is found by its meaning, and nothing where nothing is meant", async () => {
  const { embedder } = byMeaning();
  const { folder, memory } = await setUp(embedder);
  const slugs = async (words: string) => (await memory.search(words, 5)).map(({ slug }) => slug);
  expect(await slugs("How do we install dependencies?")).toEqual(["tool"]);
  expect(await slugs("When do we eat?")).toEqual(["noon"]);
  expect(await slugs("Rewrite the parser.")).toEqual([]);
  // By words and by meaning: it is there once.
  expect(await slugs("Do deploys go to staging or production?")).toEqual(["deploys"]);
  await memory.close();
  const byWords = await openMemory({ folder });
  expect(await byWords.search("How do we install dependencies?", 5)).toEqual([]);
  await byWords.close();
});

test("a topic is embedded once, again when it changes or the model does, and its vector goes with it", async () => {
  const { embedder, embedded } = byMeaning();
  const { folder, memory } = await setUp(embedder);
  await memory.search("install", 5);
  expect(embedded).toHaveLength(4);
  await memory.search("install", 5);
  expect(embedded).toHaveLength(5);
  const { version } = (await memory.read("tool"))!;
  const changed = { slug: "tool", name: "Tool", type: "project" as const, description: "It is lunch.", body: "Food." };
  expect(await memory.write(changed, "user", version)).toMatchObject({ kind: "written" });
  await memory.forget("noon", "user", "Over.", (await memory.read("noon"))!.version);
  expect((await memory.search("When do we eat?", 5)).map(({ slug }) => slug)).toEqual(["tool"]);
  expect(embedded).toHaveLength(7);
  await memory.close();
  const other = byMeaning("another model");
  const reopened = await openMemory({ folder, embedder: other.embedder });
  await reopened.search("ship", 5);
  expect(other.embedded).toHaveLength(3);
  await reopened.close();
});

test("while the embedder fails, the words decide", async () => {
  const { embedder, state } = byMeaning();
  state.works = "no";
  const { memory } = await setUp(embedder);
  expect((await memory.search("pnpm or npm?", 5)).map(({ slug }) => slug)).toEqual(["tool"]);
  await memory.close();
});

test("what two rankings place well comes before what one of them places first", () => {
  const fused = fuseRanks([
    ["a", "b"],
    ["c", "b"],
  ]);
  expect(fused.map(({ slug }) => slug)).toEqual(["b", "a", "c"]);
});
