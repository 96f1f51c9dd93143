import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { InvalidOptionError } from "../errors.ts";
import { settingsFile } from "./settings.ts";

test("reads the file each time, sets nothing for a missing file, and reports an unreadable one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "settings.json");
  const file = settingsFile(path);
  expect(file.name).toBe(path);
  expect(await file.read()).toBeUndefined();
  for (const text of ['{"compaction.auto":"ask"}', "{}"]) {
    writeFileSync(path, text);
    expect(await file.read()).toBe(text);
  }
  await expect(settingsFile(folder).read()).rejects.toThrow();
});

test("rejects a missing path at once, with its name", () => {
  expect(() => settingsFile(undefined as never)).toThrow(InvalidOptionError);
  expect(() => settingsFile(new URL("file:///settings.json") as never)).toThrow("settingsFile(path)");
});
