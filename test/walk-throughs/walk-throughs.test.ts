import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readWalkThrough } from "./read-walk-through.ts";

/** The parts of the repository that the walk-throughs change, and what running their tests needs. */
const COPIED = ["packages", "apps/agent", "test", "scripts", "package.json", "tsconfig.json", "vitest.config.ts"];
const AS_THEY_ARE = { recursive: true, verbatimSymlinks: true };
/** The pages, with how many files each has its reader write. */
const PAGES = { "add-a-provider": 1, "add-a-tool": 2 };

test("walk-throughs for contributors, followed word for word in a copy, end with tests that pass", () => {
  const copy = copyRepository();
  const pages = Object.entries(PAGES).map(([name, newFiles]) => ({
    newFiles,
    ...readWalkThrough(readFileSync(`docs/contribute/${name}.md`, "utf8")),
  }));
  for (const { newFiles, files, changes, tests } of pages) {
    expect([files.length, changes.length, tests.length]).toEqual([newFiles, 1, 1]);
    for (const { path, code } of files) {
      expect(existsSync(join(copy, path)), path).toBe(false);
      writeFileSync(join(copy, path), code);
    }
    for (const change of changes) execFileSync("git", ["apply"], { cwd: copy, input: change });
  }
  const vitest = join(copy, "node_modules/vitest/vitest.mjs");
  const tests = pages.flatMap((page) => page.tests);
  // Sources, also where the gate starts the agent as built: that one has no new tool.
  const environment = { ...process.env, PALIMPSEST_AGENT: undefined };
  const output = execFileSync(process.execPath, [vitest, "run", "--project=unit", ...tests], {
    cwd: copy,
    env: environment,
    encoding: "utf8",
    stdio: "pipe",
  });
  expect(output).toMatch(/Tests .*3 passed/);
});

/** Sources are copied, and all that is installed is linked. Our own packages are those of the copy. */
function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), "palimpsest-walk-"));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  const isSource = (path: string): boolean => !["node_modules", "dist"].includes(basename(path));
  for (const path of COPIED) cpSync(path, join(copy, path), { recursive: true, filter: isSource });
  const link = (path: string): void => symlinkSync(join(process.cwd(), path), join(copy, path));
  for (const path of globSync("{packages/*,apps/agent}/node_modules")) link(path);
  mkdirSync(join(copy, "node_modules"));
  for (const name of readdirSync("node_modules")) {
    const path = join("node_modules", name);
    // Links to our packages are relative, so that they lead to those of the copy.
    if (name === "@palimpsest" || name.startsWith("palimpsest")) cpSync(path, join(copy, path), AS_THEY_ARE);
    else link(path);
  }
  return copy;
}
