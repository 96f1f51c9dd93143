import { execFileSync } from "node:child_process";
import { statSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, filePorts, temporaryProject, textOf } from "../../testing/temporary-project.ts";
import { readTool } from "./read.ts";

async function setUp(files: Readonly<Record<string, string>> = {}) {
  const project = temporaryProject(files);
  const ports = await filePorts(project);
  const tool = readTool(ports);
  const read = (input: object, newestEntry = 1) => call(tool, input, { folder: project.folder, newestEntry });
  return { ...project, ...ports, read };
}

describe("a read shows", () => {
  test("lines with their numbers, and where to continue", async () => {
    const { read } = await setUp({ "a.txt": "one\ntwo\r\nthree\nfour\n" });
    expect(await read({ file_path: "a.txt" })).toEqual({
      content: "     1\tone\n     2\ttwo\n     3\tthree\n     4\tfour",
      status: "ok",
    });
    expect(await read({ file_path: "a.txt", offset: 2, limit: 2 })).toEqual({
      content: "     2\ttwo\n     3\tthree\n[4 lines in all. Read on with offset 4.]",
      status: "ok",
    });
  });

  test("hidden characters spelled out, with a note", async () => {
    const { read } = await setUp({ "a.txt": "a\u202eb\u001b[1m\n" });
    expect(await textOf(await read({ file_path: "a.txt" }))).toBe(
      "     1\ta⟨U+202E⟩b⟨U+001B⟩[1m\n" +
        "[Characters that nobody sees are spelled out between ⟨ and ⟩. Edit and Write take them as they are shown here.]",
    );
  });

  test("a long line cut at a whole character", async () => {
    const { read } = await setUp({ "a.txt": `${"x".repeat(1_999)}😀${"y".repeat(10)}` });
    const text = await textOf(await read({ file_path: "a.txt" }));
    expect(text).toMatch(/ \[12 more characters\. Read on with offset 1 and character 2000\.\]$/);
    expect(text.isWellFormed()).toBe(true);
  });

  test("an image as an image", async () => {
    const { read, put } = await setUp();
    const bytes = Buffer.from("89504e470d0a1a0a00", "hex");
    const image = { kind: "image", source: { kind: "base64", mediaType: "image/png", data: bytes.toString("base64") } };
    for (const name of ["a.png", "b.jpeg"]) {
      put(name, bytes);
      expect(await read({ file_path: name })).toEqual({ content: [image], status: "ok" });
    }
  });

  test("no image if only the name is an image's", async () => {
    const { read, put } = await setUp();
    put("a.png", "<!DOCTYPE html>");
    expect(await read({ file_path: "a.png" })).toEqual({
      content: expect.stringContaining("its 15 bytes are none that can be shown"),
      status: "error",
    });
  });

  test("a notebook as text", async () => {
    const { read } = await setUp({
      "a.ipynb": JSON.stringify({
        cells: [
          { cell_type: "markdown", source: ["# Title\n", "words"] },
          {
            cell_type: "code",
            source: "print(1)",
            outputs: [{ text: ["1\n"] }, { data: { "image/png": "..." } }, { ename: "E", evalue: "bad" }],
          },
        ],
      }),
    });
    const text = await textOf(await read({ file_path: "a.ipynb" }));
    expect(text.split("\n").map((line) => line.slice(7))).toEqual([
      ...["[cell 1: markdown]", "# Title", "words", "", "[cell 2: code]", "print(1)", "[output]", "1", ""],
      ...["[output]", "(image/png)", "[output]", "E: bad"],
    ]);
  });

  test.each([
    ["binary", "a.bin", "\u0000\u0001", "is binary (2 bytes)"],
    ["nothing behind the end", "a.txt", "one", "has 1 lines: there is nothing at this offset"],
  ])("not %s", async (_, path, content, message) => {
    const { read } = await setUp({ [path]: content });
    expect(await read({ file_path: path, offset: 9 })).toEqual({
      content: expect.stringContaining(message),
      status: "error",
    });
  });
});

describe("a read does not open", () => {
  test("missing files, folders, pipes and devices", async () => {
    const { read, folder } = await setUp({ "in/a.txt": "a" });
    execFileSync("mkfifo", [join(folder, "pipe")]);
    expect(await textOf(await read({ file_path: "b.txt" }))).toContain("There is no file");
    expect(await textOf(await read({ file_path: "in" }))).toContain("is a folder");
    expect(await textOf(await read({ file_path: "pipe" }))).toContain("no plain file");
    expect(await textOf(await read({ file_path: "/dev/zero" }))).toContain("lies outside");
  });

  test("a file outside the project, whatever the path", async () => {
    const { read, put, folder } = await setUp();
    put("../secret.txt", "SECRET");
    put("../project-backup/secret.txt", "SECRET");
    symlinkSync("../secret.txt", join(folder, "link.txt"));
    symlinkSync("..", join(folder, "up"));
    symlinkSync("circle", join(folder, "circle"));
    for (const path of [
      ...["../secret.txt", "in/../../secret.txt", `${folder}/../secret.txt`, `${folder}-backup/secret.txt`, "link.txt"],
      ...[
        "up/secret.txt",
        "./up/../secret.txt",
        "/etc/passwd",
        "//etc/passwd",
        "/proc/self/environ",
        "circle",
        "a\0b",
        "",
      ],
      ...["x".repeat(5_000), "%2e%2e%2fsecret.txt", "..\\secret.txt", "~/.ssh/id_rsa"],
    ]) {
      const outcome = await read({ file_path: path });
      expect(outcome.status, path).toBe("error");
      expect(await textOf(outcome)).not.toContain("SECRET");
    }
  });
});

describe("an unchanged file that was read", () => {
  test("is not shown again while the model can still see it", async () => {
    const { read, shown, put } = await setUp({ "a.txt": "one\n" });
    await read({ file_path: "a.txt" }, 10);
    shown.set("./a.txt", 11);
    expect(await textOf(await read({ file_path: "a.txt" }, 20))).toBe(
      "a.txt is unchanged since you read it (entry 11). That result is still current.",
    );
    put("a.txt", "two\n");
    expect(await textOf(await read({ file_path: "a.txt" }, 20))).toBe("     1\ttwo");
  });

  test("is shown again once the read is gone from view", async () => {
    const { read, shown } = await setUp({ "a.txt": "one\n" });
    await read({ file_path: "a.txt" }, 10);
    expect(await textOf(await read({ file_path: "a.txt" }, 20))).toContain("one");
    // The newest read in view is an "unchanged" answer, so it is unknown whether the content is in view.
    shown.set("a.txt", 21);
    await read({ file_path: "a.txt" }, 30);
    shown.set("a.txt", 31);
    expect(await textOf(await read({ file_path: "a.txt" }, 40))).toContain("one");
  });

  test("is shown again after a rewind to before the read", async () => {
    const { read, shown } = await setUp({ "a.txt": "one\ntwo\n" });
    await read({ file_path: "a.txt", limit: 1 }, 10);
    await read({ file_path: "a.txt" }, 20);
    shown.set("a.txt", 11);
    expect(await textOf(await read({ file_path: "a.txt" }, 30))).toContain("two");
  });

  test("is shown again for other lines, or after two reads at once", async () => {
    const { read, shown } = await setUp({ "a.txt": "one\ntwo\nthree\n" });
    await read({ file_path: "a.txt", limit: 2 }, 10);
    shown.set("a.txt", 11);
    expect(await textOf(await read({ file_path: "a.txt", offset: 3 }, 12))).toContain("three");
    await read({ file_path: "a.txt", offset: 2 }, 12);
    shown.set("a.txt", 14);
    expect(await textOf(await read({ file_path: "a.txt", offset: 2 }, 20))).toContain("two");
  });

  test("is recognized by its content, even after a change in the same millisecond", async () => {
    const { read, shown, put } = await setUp({ "a.txt": "one\n" });
    const path = put("a.txt", "one\n");
    const { atime, mtime } = statSync(path);
    await read({ file_path: "a.txt" }, 10);
    shown.set("a.txt", 11);
    put("a.txt", "two\n");
    utimesSync(path, atime, mtime);
    expect(await textOf(await read({ file_path: "a.txt" }, 20))).toContain("two");
  });
});
