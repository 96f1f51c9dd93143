import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openMemory } from "../open-memory.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function openTwo() {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-search-"));
  folders.push(folder);
  const memory = await openMemory({ folder });
  for (const name of ["Build tool", "Build machine", "Lunch"]) {
    const draft = {
      name,
      type: "project" as const,
      description: `What is known of the ${name}.`,
      body: `${name}: it is.`,
    };
    await memory.write(draft, "user", "none");
  }
  return memory;
}

test("uses are counted by all who have the memory open, and outlive them", async () => {
  const memory = await openTwo();
  let nowMs = 5_000;
  const open = () => openMemory({ folder: memory.folder, clock: { now: () => nowMs } });
  const [one, other] = [await open(), await open()];
  expect((await one.uses()).size).toBe(0);
  await one.noteUse(["lunch", "build-tool"]);
  nowMs = 9_000;
  await other.noteUse(["lunch"]);
  await Promise.all([one.close(), other.close()]);
  expect(Object.fromEntries(await memory.uses())).toEqual({
    lunch: { count: 2, lastAtMs: 9_000 },
    "build-tool": { count: 1, lastAtMs: 5_000 },
  });
  await memory.close();
});

test("a memory of which nothing is there is not made by looking or counting", async () => {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-search-"));
  folders.push(folder);
  const memory = await openMemory({ folder: join(folder, "none") });
  await memory.noteUse(["lunch"]);
  expect([(await memory.uses()).size, await memory.search("lunch", 5), await readdir(folder)]).toEqual([0, [], []]);
});

test("finds what is there now: written, edited by hand, forgotten", async () => {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-search-"));
  folders.push(folder);
  const memory = await openMemory({ folder });
  const slugs = async (words: string) => (await memory.search(words, 5)).map(({ slug }) => slug);
  expect(await slugs("package manager")).toEqual([]);
  const draft = {
    type: "feedback" as const,
    description: "pnpm is the package manager here.",
    body: "Use pnpm, never npm.",
  };
  await memory.write({ ...draft, name: "Package manager" }, "user", "none");
  const other = { type: "project" as const, description: "When the release is due.", body: "Release on 2026-12-01." };
  await memory.write({ ...other, name: "Release date" }, "user", "none");
  expect(await slugs("which package manager do we use?")).toEqual(["package-manager"]);

  await writeFile(
    join(memory.folder, "staging.md"),
    "---\nname: Staging database\ndescription: Where staging lives.\n---\ndb-7\n",
  );
  expect(await slugs("where is the staging database")).toEqual(["staging"]);
  const { version } = (await memory.read("package-manager"))!;
  await memory.forget("package-manager", "user", "over", version);
  expect(await slugs("which package manager do we use?")).toEqual([]);
  await memory.close();
});
