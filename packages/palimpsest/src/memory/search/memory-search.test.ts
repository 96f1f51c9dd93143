import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openMemory } from "../open-memory.ts";
import { createMemorySearch } from "./memory-search.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

test("finds what is there now: written, edited by hand, forgotten", async () => {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-search-"));
  folders.push(folder);
  const memory = await openMemory({ folder });
  const search = createMemorySearch({ memory });
  const slugs = async (words: string) => (await search.search(words, 5)).map(({ slug }) => slug);
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
  search.close();
  await memory.close();
});
