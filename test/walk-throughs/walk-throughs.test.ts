import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readWalkThrough } from "./read-walk-through.ts";

/** The parts of the repository that the walk-throughs change, and what running their tests needs. */
const COPIED = [
  "packages/palimpsest",
  "apps/agent",
  "test",
  "scripts",
  "package.json",
  "tsconfig.json",
  "vitest.config.ts",
];
const PAGES = ["add-a-tool", "add-a-stage"];

test("walk-throughs for contributors, followed word for word in a copy, end with tests that pass", () => {
  const copy = copyRepository();
  const pages = PAGES.map((name) => readWalkThrough(readFileSync(`docs/contribute/${name}.md`, "utf8")));
  for (const { files, changes, tests } of pages) {
    expect([files.length, changes.length, tests.length]).toEqual([2, 1, 1]);
    for (const { path, code } of files) {
      expect(existsSync(join(copy, path)), path).toBe(false);
      writeFileSync(join(copy, path), code);
    }
    for (const change of changes) execFileSync("git", ["apply", "--unidiff-zero"], { cwd: copy, input: change });
  }
  const vitest = join(copy, "node_modules/vitest/vitest.mjs");
  const tests = pages.flatMap((page) => page.tests);
  // Sources, also where the gate starts the agent as built: that one has no new tool.
  const environment = { ...process.env, PALIMPSEST_AGENT: undefined };
  const output = execFileSync(process.execPath, [vitest, "run", "--project=newest", ...tests], {
    cwd: copy,
    env: environment,
    encoding: "utf8",
    stdio: "pipe",
  });
  expect(output).toMatch(/Tests .*3 passed/);
}, 600_000);

/** Sources are copied, and all that is installed is linked. */
function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), "palimpsest-walk-"));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  const isSource = (path: string): boolean => !["node_modules", "dist"].includes(basename(path));
  for (const path of COPIED) cpSync(path, join(copy, path), { recursive: true, filter: isSource });
  for (const path of globSync(["node_modules", "{packages/palimpsest,apps/agent}/node_modules"]))
    symlinkSync(join(process.cwd(), path), join(copy, path));
  return copy;
}
