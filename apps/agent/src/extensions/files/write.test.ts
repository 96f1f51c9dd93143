import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, filePorts, temporaryProject, textOf } from "../../testing/temporary-project.ts";
import { readTool } from "./read.ts";
import { writeTool } from "./write.ts";

async function setUp(files: Readonly<Record<string, string>> = {}) {
  const project = temporaryProject(files);
  const ports = await filePorts(project);
  const [readIt, writeIt] = [readTool(ports), writeTool(ports)];
  const context = { folder: project.folder };
  return {
    ...project,
    ...ports,
    read: (input: object) => call(readIt, input, context),
    write: (file_path: string, content: string) => call(writeIt, { file_path, content }, context),
  };
}

test("creates a new file and its folders, and nothing else", async () => {
  const { write, text, folder } = await setUp();
  expect(await write("a/b/c.txt", "one\ntwo\n")).toEqual({
    content: "Wrote the new file a/b/c.txt (2 lines).",
    status: "ok",
  });
  expect(text("a/b/c.txt")).toBe("one\ntwo\n");
  expect(readdirSync(join(folder, "a/b"))).toEqual(["c.txt"]);
  expect((await write("a/b/c.txt", "three")).status).toBe("ok");
  expect(text("a/b/c.txt")).toBe("three");
});

test("replaces a file only if its complete read is in view", async () => {
  const { read, write, shown, text } = await setUp({ "a.txt": "one\ntwo\n" });
  expect(await textOf(await write("a.txt", "x"))).toContain("has not been read");
  await read({ file_path: "a.txt", limit: 1 });
  expect(await textOf(await write("a.txt", "x"))).toContain("Only lines 1 to 1");
  await read({ file_path: "a.txt" });
  expect(await textOf(await write("a.txt", "x"))).toContain("no longer in view");
  shown.set("a.txt", 5);
  expect(await textOf(await write("a.txt", "x"))).toContain("Replaced a.txt (1 lines)");
  expect(text("a.txt")).toBe("x");
});

test("writes nothing outside the project, whatever the path", async () => {
  const { write, folder, base } = await setUp();
  symlinkSync(base, join(folder, "up"));
  symlinkSync(join(base, "not-yet.txt"), join(folder, "dangling.txt"));
  for (const path of ["../x.txt", "up/x.txt", "up/new/x.txt", "dangling.txt", `${base}/x.txt`]) {
    expect((await write(path, "x")).status, path).toBe("error");
  }
  expect(readdirSync(base).sort()).toEqual(["home", "project"]);
  expect(existsSync(join(base, "not-yet.txt"))).toBe(false);
});
