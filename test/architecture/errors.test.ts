import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const PAGE = "docs/errors.md";

/** Classes of the packages that have a code of their own, as `code: class`. */
function errorCodes(): readonly string[] {
  return execFileSync("git", ["ls-files", "packages/*.ts", "adapters/*.ts"], { encoding: "utf8" })
    .split("\n")
    .filter((path) => /\/src\//.test(path) && !path.endsWith(".test.ts") && existsSync(path))
    .flatMap((path) => [
      ...readFileSync(path, "utf8").matchAll(/class (\w+Error) extends [^{]+\{\s+static readonly code = "([\w-]+)"/g),
    ])
    .map(([, name, code]) => `${code}: ${name}`)
    .sort();
}

test("docs/errors.md has every code as a heading, with its class, and no other", () => {
  const sections = readFileSync(PAGE, "utf8").matchAll(/^### ([\w-]+)\n\n`(\w+)`/gm);
  const described = [...sections].map(([, code, name]) => `${code}: ${name}`).sort();
  expect(described.length).toBeGreaterThan(30);
  expect(described).toEqual(errorCodes());
});
