import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openCopy } from "./open-copy.ts";
import { judgeRun } from "./tests-run.ts";

const file = "packages/palimpsest/src/tokens/window.ts";
const tests = ["packages/palimpsest/src/tokens/window.test.ts"];
const LIMIT_MS = 300_000;

test("tests judge a source that was changed in the copy, and the source that is there again", async () => {
  const root = process.cwd();
  const copy = openCopy({ from: root, seed: 1 });
  onTestFinished(() => copy.close());
  const source = readFileSync(file, "utf8");
  const judge = async (text: string, limitMs = LIMIT_MS): Promise<string> => {
    const run = await copy.run({ changes: [{ file, text }], tests }, limitMs);
    return run === "too-slow" ? run : judgeRun(run).kind;
  };

  expect(await judge(source)).toBe("passed");
  expect(await judge(source.replace("Math.min(...limits)", "Math.max(...limits)"))).toBe("failed");
  expect(await judge(source.replace("export function", "export funktion"))).toBe("could-not-run");
  expect(await judge(source.replace("const limits =", "for (;;) {}\n  const limits ="), 5_000)).toBe("too-slow");
  expect(await judge(source)).toBe("passed");

  // A file that failed before is not part of a run that does not name it.
  expect(await judge(source.replace("Math.min(...limits)", "Math.max(...limits)"))).toBe("failed");
  const other = ["packages/palimpsest/src/tokens/budget.test.ts"];
  expect(await copy.run({ changes: [], tests: other }, LIMIT_MS)).toMatchObject({
    files: [{ file: other[0], failed: [] }],
  });

  expect(await copy.checkTypes({ file, text: source.replace("Math.min(...limits)", '"none"') })).toBe("wrong");
  expect(await copy.checkTypes({ file, text: source })).toBe("right");
  expect(readFileSync(join(copy.folder, file), "utf8")).toBe(source);

  expect(readFileSync(file, "utf8")).toBe(source);
  await copy.close();
  expect(existsSync(copy.folder)).toBe(false);
});
