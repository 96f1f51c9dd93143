import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { storeStream } from "../store-results/store.ts";
import { resultFiles } from "./result-files.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "result-files-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]);
});

afterEach(() => {
  execFileSync("umount", ["-l", folder]);
  rmSync(folder, { recursive: true });
});

describe("a full disk", () => {
  test("keeps the beginning of a result in the log, leaves no file, and accepts a smaller result", async () => {
    const files = resultFiles({ folder });
    const content = await storeStream(["x\n".repeat(2_000_000)], { files, session: "s" });
    if (content.kind !== "cut") throw new Error(`it was ${content.kind}`);
    expect(content.failure.error).toMatchObject({ code: "ENOSPC" });
    expect(content.text).toMatch(/^(x\n){50000}\n\[Cut here: 4,000,000 bytes in 2,000,000 lines\./);
    expect(readdirSync(join(folder, "tool-results", "s"))).toEqual([]);
    expect(await storeStream(["x\n".repeat(30_000)], { files, session: "s" })).toMatchObject({ kind: "stored" });
  });
});
