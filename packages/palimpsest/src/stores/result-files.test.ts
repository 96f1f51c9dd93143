import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resultFiles } from "./result-files.ts";
import { sqliteStore } from "./sqlite-store.ts";
import type { ResultFiles } from "./store.ts";
import { testResults } from "./test-results.ts";

let root: string;
let folder: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "result-files-"));
  folder = join(root, "new");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

async function keep(files: ResultFiles, text: string, session = "s"): Promise<string> {
  const draft = await files.create(session);
  for (const part of text.match(/[\s\S]{1,4}/g) ?? []) await draft.write(new TextEncoder().encode(part));
  return (await draft.keep("txt")).file;
}

async function read(files: ResultFiles, file: string, session = "s"): Promise<string | undefined> {
  const found = await files.find(session, file);
  return found && Buffer.concat(await Array.fromAsync(found.chunks())).toString();
}

describe.each([
  ["of their own", (at: string) => resultFiles({ folder: at })],
  ["of a store", (at: string) => sqliteStore({ folder: at }).results],
])("%s", (_, make) => {
  testResults({
    test,
    async place() {
      const at = mkdtempSync(join(tmpdir(), "result-files-"));
      return { open: async () => make(at), remove: async () => rmSync(at, { recursive: true }) };
    },
  });
});

describe("the files of results", () => {
  test("are plain files in the session's folder, without other files", async () => {
    const files = resultFiles({ folder });
    const file = await keep(files, "content");
    await (await files.create("s")).discard();
    const path = files.locate("s", file)!;
    expect(path).toBe(join(folder, "tool-results", "s", file));
    expect(readFileSync(path, "utf8")).toBe("content");
    expect(readdirSync(join(folder, "tool-results", "s"))).toEqual([file]);
  });

  test.each([0o000, 0o077, 0o777])("are readable only by their owner under umask %o", (mask) => {
    const script = `const { resultFiles } = await import(${JSON.stringify(import.meta.resolve("./result-files.ts"))});
      const files = resultFiles({ folder: ${JSON.stringify(folder)} });
      process.umask(${mask});
      const draft = await files.create("s");
      await draft.write(new Uint8Array(3));
      console.log((await draft.keep("txt")).file);`;
    const args = ["--no-warnings", "--conditions=palimpsest-source", "--input-type=module", "--eval", script];
    const file = execFileSync(process.execPath, args, { encoding: "utf8" }).trim();
    const modeOf = (...path: string[]): number => statSync(join(folder, ...path)).mode & 0o777;
    expect(modeOf()).toBe(0o700);
    expect([modeOf("tool-results"), modeOf("tool-results", "s")]).toEqual([0o700, 0o700]);
    expect(modeOf("tool-results", "s", file)).toBe(0o600);
  });

  test.each(["", "..", "../x", "a/b", "a\\b", "a\0b", ".hidden", "ü", "C:", "x".repeat(101), "s\n"])(
    "are refused for the session id %j",
    async (session) => {
      const files = resultFiles({ folder });
      await expect(files.create(session)).rejects.toMatchObject({ code: "unsafe-session-id" });
      await expect(files.find(session, `${"0".repeat(64)}.txt`)).rejects.toMatchObject({ code: "unsafe-session-id" });
      expect(readdirSync(root)).toEqual([]);
    },
  );

  test.each([
    "../../secret.txt",
    "/etc/passwd",
    "..",
    "%2e%2e%2fsecret.txt",
    "x.txt",
    `${"0".repeat(64)}.txt\0`,
    `${"0".repeat(64)}.exe`,
  ])("are not found under the name %j", async (name) => {
    const files = resultFiles({ folder });
    await keep(files, "content");
    writeFileSync(join(folder, "secret.txt"), "secret");
    expect(await files.find("s", name)).toBeUndefined();
    expect(files.locate("s", name)).toBeUndefined();
  });

  test("are not read through a link, a second name or a pipe", async () => {
    const files = resultFiles({ folder });
    await keep(files, "content");
    const secret = join(root, "secret");
    writeFileSync(secret, "secret");
    const name = (digit: string): string => `${digit.repeat(64)}.txt`;
    const pathOf = (digit: string): string => files.locate("s", name(digit))!;
    symlinkSync(secret, pathOf("1"));
    linkSync(secret, pathOf("2"));
    mkdirSync(pathOf("3"));
    if (process.platform !== "win32") execFileSync("sh", ["-c", 'mkfifo "$0"', pathOf("4")]);
    for (const digit of ["1", "2", "3", "4"]) expect(await files.find("s", name(digit)), digit).toBeUndefined();
  });

  test("replace a link to a file, and refuse a link to a folder", async () => {
    const files = resultFiles({ folder });
    const file = await keep(files, "content");
    const canary = join(root, "canary");
    writeFileSync(canary, "untouched");
    rmSync(files.locate("s", file)!);
    symlinkSync(canary, files.locate("s", file)!);
    await keep(files, "content");
    expect(await read(files, file)).toBe("content");
    expect(readFileSync(canary, "utf8")).toBe("untouched");
    mkdirSync(join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), join(folder, "tool-results", "linked"));
    await expect(files.create("linked")).rejects.toMatchObject({ code: "unsafe-folder" });
    expect(await files.find("linked", file)).toBeUndefined();
    expect(readdirSync(join(root, "elsewhere"))).toEqual([]);
  });

  test("report that they cannot be written, and keep earlier files unchanged", async () => {
    const files = resultFiles({ folder });
    const file = await keep(files, "content");
    rmSync(join(folder, "tool-results", "s"), { recursive: true });
    writeFileSync(join(folder, "tool-results", "s"), "in the way");
    await expect(files.create("s")).rejects.toMatchObject({ code: "unsafe-folder" });
    expect(await files.find("s", file)).toBeUndefined();
    chmodSync(join(folder, "tool-results"), 0o700);
    expect(existsSync(join(folder, "tool-results", "s"))).toBe(true);
  });
});
