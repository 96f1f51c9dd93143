import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { indexedSlugs } from "./index-text.ts";
import type { Memory } from "./memory.ts";
import { commitsOf, draft, temporaryMemory } from "./testing/temporary-memory.ts";
import type { Author } from "./topic.ts";

type Step =
  | {
      readonly kind: "write";
      readonly slug: string;
      readonly by: Author;
      readonly body: string;
      readonly seen: boolean;
    }
  | { readonly kind: "forget" | "propose"; readonly slug: string; readonly by: Author }
  | { readonly kind: "accept" | "reject" | "remove-by-hand"; readonly slug: string }
  | { readonly kind: "edit-by-hand"; readonly slug: string; readonly body: string }
  | { readonly kind: "edit-index"; readonly body: string }
  | { readonly kind: "undo"; readonly back: number }
  | { readonly kind: "reopen" };

const slug = fc.constantFrom("a", "b", "c");
const by = fc.constantFrom<Author>("user", "model", "dream");
const body = fc.constantFrom("One.", "Two.", "Three.", "Four.");
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("write" as const), slug, by, body, seen: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("forget" as const, "propose" as const), slug, by }) },
  fc.record({ kind: fc.constantFrom("accept" as const, "reject" as const, "remove-by-hand" as const), slug }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("edit-by-hand" as const), slug, body }) },
  fc.record({ kind: fc.constant("edit-index" as const), body }),
  fc.record({ kind: fc.constant("undo" as const), back: fc.nat({ max: 3 }) }),
  fc.record({ kind: fc.constant("reopen" as const) }),
);

test("after any steps: files, list, index and history say the same, and nothing that was ever there is lost", async () => {
  const { folder, reopen } = await temporaryMemory();
  let written = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
      rmSync(folder, { recursive: true, force: true });
      let memory = await reopen();
      const everThere = new Set<string>();
      for (const one of steps) {
        if (one.kind === "reopen") memory = await reopen();
        else written += await take(memory, folder, one);
        // An edit by hand that another one follows before anyone has looked was never seen.
        await memory.list();
        for (const text of Object.values(filesIn(folder))) everThere.add(text);
      }
      const files = filesIn(folder);
      const slugs = Object.keys(files).flatMap((name) => (/^[a-c]\.md$/.test(name) ? [name.slice(0, 1)] : []));
      const list = await memory.list();
      expect(list.map((topic) => topic.slug)).toEqual(slugs.sort());
      expect(indexedSlugs(files["MEMORY.md"] ?? "").sort()).toEqual(slugs);
      if (list.length === 0) return;
      expect(readHistory(folder, "main")).toEqual(files);
      const kept = allContents(folder);
      expect([...everThere].filter((text) => !kept.has(text))).toEqual([]);
      await memory.close();
    }),
    { numRuns: 8 },
  );
  expect(written).toBeGreaterThan(10);
});

/** Returns 1 if it has changed something. */
async function take(memory: Memory, folder: string, one: Exclude<Step, { kind: "reopen" }>): Promise<number> {
  const path = "slug" in one ? join(folder, `${one.slug}.md`) : join(folder, "MEMORY.md");
  switch (one.kind) {
    case "write": {
      const version = one.seen ? ((await memory.read(one.slug))?.version ?? "none") : "none";
      const { kind } = await memory.write(draft(one.slug, { body: one.body }), one.by, version);
      return kind === "written" ? 1 : 0;
    }
    case "forget": {
      const topic = await memory.read(one.slug);
      await memory.forget(one.slug, one.by, "old", topic?.version ?? "none");
      return 1;
    }
    case "propose":
      await memory.propose(draft(one.slug), one.by, "seen on a page");
      return 1;
    case "accept":
      await memory.accept(one.slug);
      return 1;
    case "reject":
      await memory.reject(one.slug);
      return 1;
    case "undo": {
      const commit = (await commitsOf(memory))[one.back]?.commit;
      if (commit !== undefined) await memory.undo(commit);
      return 1;
    }
    case "remove-by-hand":
      rmSync(path, { force: true });
      return 0;
    case "edit-by-hand":
    case "edit-index":
      editByHand(folder, path, one.body);
      return 0;
  }
}

/** As editors do: another file, then its name. */
function editByHand(folder: string, path: string, text: string): void {
  if (!readdirSync(join(folder, ".."), { encoding: "utf8" }).includes("memory")) return;
  writeFileSync(`${path}.edit`, `By hand: ${text}\n`);
  renameSync(`${path}.edit`, path);
}

function filesIn(folder: string): Record<string, string> {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => !name.startsWith("."));
    const files = names.filter((name) => name.endsWith(".md"));
    return Object.fromEntries(files.sort().map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  } catch {
    return {};
  }
}

function git(folder: string, ...args: string[]): string {
  return execFileSync("git", ["--git-dir", join(folder, ".palimpsest/history.git"), ...args], { encoding: "utf8" });
}

function readHistory(folder: string, commit: string): Record<string, string> {
  const names = git(folder, "ls-tree", "-r", "--name-only", commit).split("\n").filter(Boolean);
  return Object.fromEntries(names.sort().map((name) => [name, git(folder, "show", `${commit}:${name}`)]));
}

function allContents(folder: string): ReadonlySet<string> {
  const ids = git(folder, "rev-list", "--objects", "main")
    .split("\n")
    .filter((line) => line.endsWith(".md"));
  return new Set(ids.map((line) => git(folder, "cat-file", "blob", line.slice(0, 40))));
}
