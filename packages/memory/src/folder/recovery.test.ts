import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type AuthoredChange, versionOf } from "../change-set.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { commitsOf, draft, messagesOf, temporaryMemory, versionIn } from "../testing/temporary-memory.ts";
import { applyChanges } from "./apply-changes.ts";
import { type OpenFolders, openFolders } from "./files/open-folders.ts";
import { writePending } from "./files/pending.ts";
import { placeFile } from "./files/place-file.ts";
import { createMemoryDirectory } from "./memory-directory.ts";

/** A memory in which a process has died while it changed `a` and added `b`: so far as `until` has carried it. */
async function dieInMidst(
  until: (died: { folders: OpenFolders; changes: readonly AuthoredChange[] }) => Promise<void>,
) {
  const made = await temporaryMemory();
  versionIn(await made.memory.write(draft("a"), "model", "none"));
  const after = (slug: string) => Buffer.from(made.text("a.md").replace("The fact of a.", `Consolidated ${slug}.`));
  const changes: readonly AuthoredChange[] = [
    { path: "a.md", before: versionOf(Buffer.from(made.text("a.md"))), after: after("a"), author: "dream" },
    { path: "b.md", before: "none", after: after("b"), author: "dream" },
  ];
  const folders = openFolders(made.memory.folder);
  await writePending(folders, { by: "dream", message: "consolidate", changes });
  await until({ folders, changes });
  folders.close();
  return made;
}

const TERMS = {
  limits: DEFAULT_LIMITS,
  gitProgram: "git",
  lockTimeoutMs: 5_000,
} as const;

const place = (folders: OpenFolders, change: AuthoredChange) => placeFile(folders, change);

describe("what a process that died had decided is carried through", () => {
  test.each<[string, Parameters<typeof dieInMidst>[0]]>([
    ["before the first file", async () => undefined],
    [
      "with the first file moved aside",
      async ({ folders, changes: [first] }) =>
        renameSync(
          folders.locate(first!.path)!,
          folders.locateNew(`.palimpsest/aside/${Date.now()}~${first!.before}~${first!.path}~x`),
        ),
    ],
    ["after the first file", async ({ folders, changes: [first] }) => void (await place(folders, first!))],
    [
      "after all files",
      async ({ folders, changes }) => {
        for (const change of changes) expect(await place(folders, change)).toBe("placed");
      },
    ],
  ])("%s", async (_, until) => {
    const { memory, reopen, text } = await dieInMidst(until);
    const next = await reopen();
    await next.write(draft("c"), "model", "none");
    for (const one of [memory, next]) {
      expect(await one.list()).toMatchObject([
        { slug: "a", author: "dream" },
        { slug: "b", author: "dream" },
        { slug: "c", author: "model" },
      ]);
    }
    expect(text("a.md")).toContain("Consolidated a.");
    expect(await messagesOf(memory)).toEqual(["model: write c", "dream: consolidate", "model: write a"]);
    expect((await commitsOf(memory))[1]!.changes.map(({ path }) => path)).toEqual(["MEMORY.md", "a.md", "b.md"]);
  });

  test("once: a second time it is not done again", async () => {
    const { memory, reopen, put, text } = await dieInMidst(async () => undefined);
    await memory.write(draft("c"), "model", "none");
    put("a.md", "Mine.");
    const next = await reopen();
    await next.write(draft("d"), "model", "none");
    expect(text("a.md")).toBe("Mine.");
    expect((await messagesOf(next)).filter((message) => message.includes("consolidate"))).toHaveLength(1);
  });

  test("but what was edited by hand meanwhile stays", async () => {
    const { memory, put, text } = await dieInMidst(async () => undefined);
    put("a.md", "Mine.");
    await memory.write(draft("c"), "model", "none");
    expect(text("a.md")).toBe("Mine.");
    expect(await memory.list()).toMatchObject([{ author: "user" }, { slug: "b", author: "dream" }, { slug: "c" }]);
  });

  test("and has one commit, also where that was made before it died", async () => {
    const { memory, folder, clock } = await temporaryMemory();
    versionIn(await memory.write(draft("a"), "model", "none"));
    const directory = createMemoryDirectory({ ...TERMS, folder, clock });
    const change = { path: "b.md", before: "none", after: Buffer.from("Found."), author: "dream" } as const;
    const dying = directory.transact(async (transaction) => {
      await applyChanges(transaction, { by: "dream", message: "consolidate", changes: [change] });
      // What was noted is lost with the transaction.
      throw new Error("died");
    });
    await expect(dying).rejects.toThrow("died");
    await directory.close();
    expect(await memory.list()).toMatchObject([{ slug: "a" }, { slug: "b", author: "dream" }]);
    expect(await messagesOf(memory)).toEqual(["dream: consolidate", "model: write a"]);
    expect(readdirSync(join(folder, ".palimpsest")).filter((name) => name.startsWith("pending-"))).toEqual([]);
  });
});

test("a set that meets an edit of the last moment is taken back as a whole, and the edit stays", async () => {
  const { memory, folder, clock, put, text, has } = await temporaryMemory();
  for (const slug of ["a", "b", "c"]) versionIn(await memory.write(draft(slug), "model", "none"));
  const before = text("a.md");
  const directory = createMemoryDirectory({ ...TERMS, folder, clock });
  const outcome = await directory.transact(async (transaction) => {
    const versionAt = (path: string): string => transaction.rows.get(path)!.version!;
    put("c.md", "Mine.");
    const changes: readonly AuthoredChange[] = [
      { path: "new.md", before: "none", after: Buffer.from("New."), author: "dream" },
      { path: "a.md", before: versionAt("a.md"), after: Buffer.from("Rewritten."), author: "dream" },
      { path: "b.md", before: versionAt("b.md"), after: undefined, author: "dream" },
      { path: "c.md", before: versionAt("c.md"), after: Buffer.from("Rewritten."), author: "dream" },
    ];
    return applyChanges(transaction, { by: "dream", message: "consolidate", changes });
  });
  await directory.close();
  expect(outcome).toMatchObject({ kind: "stale", path: "c.md" });
  expect([text("a.md"), has("b.md"), text("c.md"), has("new.md")]).toEqual([before, true, "Mine.", false]);
  expect(await memory.list()).toMatchObject([{ author: "model" }, { author: "model" }, { slug: "c", author: "user" }]);
  expect(await messagesOf(memory)).not.toContain("dream: consolidate");
});
