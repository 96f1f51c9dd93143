import { statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryProject } from "../testing/temporary-project.ts";
import { hashOf } from "../workspace/open-inside.ts";
import { trustFile } from "./load-settings.ts";
import { MAX_INSTRUCTING_BYTES, readInstructing, unseenFiles, unseenText } from "./unseen-file.ts";

test("a file counts if no command ran when it changed, or if the user has seen it as it is", async () => {
  const { home } = temporaryProject();
  const agentHome = join(home, ".palimpsest");
  const noted: string[] = [];
  const find = unseenFiles(
    {
      covers: async (changedAtMs) => changedAtMs === 5,
      noteUnseen: async (path) => void noted.push(path),
    },
    agentHome,
  );
  const file = (text: string, changedAtMs = 5) => ({ path: "/p/AGENTS.md", bytes: Buffer.from(text), changedAtMs });
  expect(await find(file("a", 4))).toBeUndefined();
  expect(noted).toEqual([]);

  const unseen = await find(file("a"));
  expect(unseen).toEqual({ ...file("a"), hash: hashOf("a") });
  expect(noted).toEqual(["/p/AGENTS.md"]);

  await trustFile(unseen!, agentHome);
  expect(await find(file("a"))).toBeUndefined();
  expect(noted).toHaveLength(1);
  // What the user has seen is not what stands there now, or stands elsewhere.
  expect(await find(file("b"))).toMatchObject({ hash: hashOf("b") });
  expect(await find({ ...file("a"), path: "/p/sub/AGENTS.md" })).toMatchObject({ path: "/p/sub/AGENTS.md" });
  expect(noted.slice(1)).toEqual(["/p/AGENTS.md", "/p/sub/AGENTS.md"]);
});

test("a file is read up to the limit, with the time of its last change, and a link is not followed", async () => {
  const { folder, put } = temporaryProject();
  for (const [name, length, read] of [
    ["empty.md", 0, 0],
    ["short.md", 3, 3],
    ["full.md", MAX_INSTRUCTING_BYTES, MAX_INSTRUCTING_BYTES],
    ["long.md", MAX_INSTRUCTING_BYTES + 1, MAX_INSTRUCTING_BYTES],
  ] as const) {
    const path = put(name, `${"a".repeat(length)}`);
    const found = await readInstructing(path);
    expect([found.path, found.changedAtMs]).toEqual([path, statSync(path).ctimeMs]);
    expect([name, Buffer.from(found.bytes).equals(Buffer.alloc(read, "a"))]).toEqual([name, true]);
  }
  const link = join(folder, "link.md");
  symlinkSync(join(folder, "short.md"), link);
  await expect(readInstructing(link)).rejects.toThrow(/ELOOP/);
  await expect(readInstructing(join(folder, "none.md"))).rejects.toThrow(/ENOENT/);
});

test("whoever is told of a file learns its path and how to see it", () => {
  expect(unseenText("/p/AGENTS.md")).toMatch(/^\/p\/AGENTS\.md .*palimpsest trust$/);
});
