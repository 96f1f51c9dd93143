import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { draft, temporaryMemory, versionIn } from "./testing/temporary-memory.ts";

test("topics are files, and so is the index", async () => {
  const { memory, text, has } = await temporaryMemory();
  const version = versionIn(await memory.write(draft("a"), "model", "none"));
  expect(await memory.read("a")).toMatchObject({ text: text("a.md"), version });
  expect(await memory.head()).toBe(text("MEMORY.md"));
  await memory.propose(draft("b"), "model", "a web page");
  expect(text("inbox/b.md")).toContain("a web page");
  await memory.forget("a", "model", "it moved to Dublin", version);
  expect([has("a.md"), text("forgotten/a.md").includes("The fact of a.")]).toEqual([false, true]);
});

test("files belong to this user only, whatever the umask", async () => {
  const umask = process.umask(0);
  try {
    const { memory, folder } = await temporaryMemory();
    versionIn(await memory.write(draft("a"), "model", "none"));
    await memory.propose(draft("b"), "model", "from a web page");
    const paths = ["", "a.md", "MEMORY.md", "inbox", "inbox/b.md", ".palimpsest", ".palimpsest/index.sqlite"];
    const ours = [".palimpsest/history.git", ".palimpsest/history.git/config", ".palimpsest/history.git/objects"];
    expect([...paths, ...ours].map((path) => statSync(join(folder, path)).mode & 0o077)).toEqual(
      [...paths, ...ours].map(() => 0),
    );
  } finally {
    process.umask(umask);
  }
});

test("a proposal that the user edits before approving it was corrected", async () => {
  const emitted: string[] = [];
  const { memory, put, text } = await temporaryMemory({
    emit: (newEvent) => emitted.push(newEvent.kind === "memory-judged" ? newEvent.verdict : newEvent.kind),
  });
  for (const slug of ["a", "b", "c"]) await memory.propose(draft(slug), "model", "a web page");
  await memory.accept("a");
  put("inbox/b.md", text("inbox/b.md").replace("The fact of b.", "Another fact."));
  await memory.accept("b");
  await memory.reject("c");
  expect(emitted).toEqual(["confirmed", "corrected", "rejected"]);
  expect(await memory.accept("c")).toMatchObject({ kind: "refused" });
});

test("a batch is not applied where a file was added by hand meanwhile", async () => {
  const { memory, put, has } = await temporaryMemory();
  const outcome = await memory.batch("dream", "tidy up", async (batch) => {
    await batch.write(draft("new"), "none");
    await batch.write(draft("b"), "none");
    put("new.md", "By hand.");
    expect(has("b.md")).toBe(false);
  });
  expect(outcome).toEqual({ kind: "stale", slugs: ["new"] });
  expect(has("b.md")).toBe(false);
});
