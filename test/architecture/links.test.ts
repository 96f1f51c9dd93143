import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { checkLinks } from "../../scripts/site/check-links.ts";

test("no link between the pages of the repository is dead, to its heading", () => {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"];
  const paths = execFileSync("git", args, { encoding: "utf8" })
    .split("\n")
    .filter((path) => path !== "" && existsSync(path));
  const pages = paths.map((path) => ({ path, markdown: readFileSync(path, "utf8") }));
  expect(pages.length).toBeGreaterThan(50);
  expect(checkLinks(pages, existsSync)).toEqual([]);
});
