import { chmodSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, filePorts, temporaryProject, textOf } from "../../testing/temporary-project.ts";
import { editTool } from "./edit.ts";
import { readTool } from "./read.ts";

async function setUp(files: Readonly<Record<string, string>>) {
  const project = temporaryProject(files);
  const ports = await filePorts(project);
  const [readIt, editIt] = [readTool(ports), editTool(ports)];
  const context = { folder: project.folder };
  return {
    ...project,
    read: (path: string) => call(readIt, { file_path: path }, context),
    edit: (path: string, old_string: string, new_string: string, more: object = {}) =>
      call(editIt, { file_path: path, old_string, new_string, ...more }, context),
  };
}

test("replaces exact text, and allows the next edit without another read", async () => {
  const { read, edit, text } = await setUp({ "a.ts": "const a = 1;\nconst b = 1;\n" });
  await read("a.ts");
  expect(await edit("a.ts", "b = 1", "b = '$&'")).toEqual({ content: "Edited a.ts at line 2.", status: "ok" });
  expect((await edit("a.ts", "a = 1", "a = 2")).status).toBe("ok");
  expect(text("a.ts")).toBe("const a = 2;\nconst b = '$&';\n");
});

test("keeps carriage returns and the file's mode", async () => {
  const { read, edit, text, folder } = await setUp({ "a.sh": "one\r\ntwo\r\nthree\r\n" });
  chmodSync(join(folder, "a.sh"), 0o755);
  await read("a.sh");
  expect((await edit("a.sh", "one\ntwo", "1\n2")).status).toBe("ok");
  expect(text("a.sh")).toBe("1\r\n2\r\nthree\r\n");
  expect(statSync(join(folder, "a.sh")).mode & 0o777).toBe(0o755);
});

test("replaces every occurrence if requested", async () => {
  const { read, edit, text } = await setUp({ "a.txt": "x y x\nx" });
  await read("a.txt");
  expect(await textOf(await edit("a.txt", "x", "z"))).toContain("occurs 3 times, at lines 1, 1, 2");
  expect(await textOf(await edit("a.txt", "x", "z", { replace_all: true }))).toBe("Edited a.txt in 3 places.");
  expect(text("a.txt")).toBe("z y z\nz");
});

describe("changes nothing and fails", () => {
  test("without a read", async () => {
    const { edit, text } = await setUp({ "a.txt": "one" });
    expect(await edit("a.txt", "one", "two")).toEqual({
      content: "a.txt has not been read in this session. Read it first, then change it.",
      status: "error",
    });
    expect(text("a.txt")).toBe("one");
  });

  test("after another program changed the file", async () => {
    const { read, edit, put, text } = await setUp({ "a.txt": "one" });
    await read("a.txt");
    put("a.txt", "one!");
    expect(await textOf(await edit("a.txt", "one", "two"))).toContain(
      "has changed since it was last read (3 bytes then, 4 now)",
    );
    expect(text("a.txt")).toBe("one!");
  });

  test("if another program changed it within one clock tick to the same size", async () => {
    const { read, edit, put, text, folder } = await setUp({ "a.txt": "one and two" });
    const { atime, mtime } = statSync(join(folder, "a.txt"));
    await read("a.txt");
    put("a.txt", "one and six");
    utimesSync(join(folder, "a.txt"), atime, mtime);
    expect(await textOf(await edit("a.txt", "one", "two"))).toContain("has changed since it was last read");
    expect(text("a.txt")).toBe("one and six");
  });

  test.each([
    [
      "other white space",
      "\tif (a) {\n\t\tb();\n",
      "if (a) {\n  b();",
      "Only white space differs at line 1, where it says:\n\tif (a) {\n\t\tb();",
    ],
    [
      "another word",
      "a\nfoo(1);\nbar(2);\n",
      "foo(1);\nbar(3);",
      "50 % of its lines are alike at line 2, where it says:\nfoo(1);\nbar(2);",
    ],
    ["nothing like it", "a\n", "zzz", "nor anything like it"],
    ["the same text", "a\n", "new", "does not occur"],
  ])("with %s", async (_, content, old, message) => {
    const { read, edit, text } = await setUp({ "a.txt": content });
    await read("a.txt");
    expect(await textOf(await edit("a.txt", old, "new2"))).toContain(message);
    expect(text("a.txt")).toBe(content);
  });

  test("in a file that is not UTF-8", async () => {
    const { read, edit, put } = await setUp({});
    put("a.txt", Buffer.from([0x61, 0xe9, 0x62]));
    await read("a.txt");
    expect(await textOf(await edit("a.txt", "a", "c"))).toContain("not valid UTF-8");
  });

  test("through a link to outside the project", async () => {
    const { edit, put, folder, base } = await setUp({});
    put("../outside.txt", "one");
    symlinkSync(join(base, "outside.txt"), join(folder, "a.txt"));
    expect(await textOf(await edit("a.txt", "one", "two"))).toContain("lies outside");
  });
});
