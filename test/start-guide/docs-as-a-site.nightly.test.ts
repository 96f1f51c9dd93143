import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { SITE_COMMAND } from "./start-guide.ts";

const ROOT = join(import.meta.dirname, "../..");

test("the last command of docs/start.md builds all pages, a reference of every public name, and a search", async () => {
  const { stdout } = await promisify(execFile)("bash", ["-c", SITE_COMMAND], { cwd: ROOT, maxBuffer: 1e8 });
  expect(stdout).toMatch(/\d{4} public names, 0 without a doc comment[\s\S]*The site is in site\/dist: \d{3} pages\./);
  const site = join(ROOT, "site/dist");
  for (const page of ["index.html", "start.html", "api/palimpsest.html"])
    expect(existsSync(join(site, page))).toBe(true);
  const [index] = globSync(join(site, "assets/chunks/@localSearchIndex*.js"));
  expect(readFileSync(index!, "utf8")).toContain("nine commands");
}, 1_800_000);
