import { expect, test } from "vitest";
import { contentsOf, followFiles } from "./known-files.ts";
import { sampleRecording } from "./testing/sample-recording.ts";

test("a file is what its reads and edits have shown of it by then", async () => {
  const { items } = await sampleRecording({ rounds: 20, lines: 10 });
  const then = followFiles(items);
  const path = "/repo/src/module_0.ts";
  expect(then(path, 1)).toBeUndefined();
  for (const count of [3, 6, 12, 5, items.length]) {
    expect(then(path, count)).toBe(contentsOf(items.slice(0, count)).get(path));
  }
  expect(then(path, items.length)).toMatch(/= checkedLimit\(9\); \/\/ checked 1$/);
});
