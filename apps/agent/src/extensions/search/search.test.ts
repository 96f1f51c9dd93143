import { symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRule } from "../../permissions/rule.ts";
import { hiddenPatterns } from "../../permissions/session-sandbox.ts";
import { call, temporaryProject, textOf } from "../../testing/temporary-project.ts";
import { createPathGuard } from "../../workspace/path-guard.ts";
import { encloseSearch, unenclosed } from "./enclose-search.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";

async function setUp(hidden: readonly string[] = [], search: "enclosed" | "open" = "open") {
  const project = temporaryProject({
    "src/a.ts": "one\ntwo needle\nthree\n",
    "src/b.js": "NEEDLE needle\n",
    ".hidden/c.ts": "needle\n",
    "a.env": "needle\n",
    ".git/d.ts": "needle\n",
    ".gitignore": "ignored\n",
    "ignored/e.ts": "needle\n",
    "sp ace.ts": `${"x".repeat(600)} needle\n`,
    "-f.ts": "needle\u001b[31m\n",
  });
  const { folder, put, base } = project;
  put("../outside/secret.ts", "needle\n");
  symlinkSync(join(base, "outside"), join(folder, "link"));
  for (const [position, path] of ["src/a.ts", "src/b.js", ".hidden/c.ts", "sp ace.ts", "-f.ts"].entries()) {
    utimesSync(join(folder, path), 1_000 + position, 1_000 + position);
  }
  const guard = await createPathGuard(folder);
  const startedBy = search === "enclosed" ? encloseSearch(guard.roots, process.env["PATH"]) : unenclosed;
  const ports = { guard, hidden, startedBy };
  const [grepIt, globIt] = [grepTool(ports), globTool(ports)];
  return {
    grep: async (pattern: string, more: object = {}) => textOf(await call(grepIt, { pattern, ...more }, { folder })),
    glob: async (pattern: string, more: object = {}) => textOf(await call(globIt, { pattern, ...more }, { folder })),
  };
}

test("Grep finds files, lines and counts, but no ignored, hidden or outside files", async () => {
  const { grep } = await setUp(["*.env"]);
  expect((await grep("needle")).split("\n").sort()).toEqual([
    "-f.ts",
    ".hidden/c.ts",
    "sp ace.ts",
    "src/a.ts",
    "src/b.js",
  ]);
  expect(await grep("needle", { path: "src", output_mode: "lines" })).toBe(
    "src/a.ts:2:two needle\nsrc/b.js:1:NEEDLE needle",
  );
  expect(await grep("needle", { path: "src/b.js", output_mode: "count", ignore_case: true })).toBe("src/b.js:2");
  expect(await grep("needle", { path: "src", glob: "*.ts", output_mode: "lines", context: 1 })).toBe(
    "src/a.ts-1-one\nsrc/a.ts:2:two needle\nsrc/a.ts-3-three",
  );
  expect(await grep("two.*three", { multiline: true })).toBe("src/a.ts");
  expect(await grep("needle", { glob: "*.env" })).toBe("Nothing found.");
  expect(await grep("needle", { path: "link" })).toContain("lies outside");
});

test("Grep limits and sanitizes its answer", async () => {
  const { grep } = await setUp();
  expect(await grep("needle", { limit: 2 })).toMatch(/\[There is more\. .*\]$/);
  const long = await grep("needle", { glob: "sp*", output_mode: "lines" });
  expect(long.length).toBeLessThan(700);
  expect(await grep("needle", { glob: "-f*", output_mode: "lines" })).toBe("-f.ts:1:needle");
});

test("Grep treats any pattern as a pattern, never as an option", async () => {
  const { grep } = await setUp();
  expect(await grep("--pre=touch")).toBe("Nothing found.");
  expect(await grep("(")).toContain("unclosed group");
  // A backtracking engine would give up with an error.
  expect(await grep("^(\\w+\\s?)*[!?]$", { path: "sp ace.ts" })).toBe("Nothing found.");
});

test.each(["open", "enclosed"] as const)("Glob finds files by name, newest first, in an %s search", async (search) => {
  const { glob, grep } = await setUp(["*.env"], search);
  expect(await grep("two needle", { output_mode: "lines" })).toBe("src/a.ts:2:two needle");
  expect(await glob("**/*.ts")).toBe("-f.ts\nsp ace.ts\n.hidden/c.ts\nsrc/a.ts");
  expect(await glob("*.js", { path: "src" })).toBe("src/b.js");
  expect(await glob("*.env")).toBe("No file has such a name.");
  expect(await glob("*", { path: ".." })).toContain("lies outside");
});

test("searches find no hidden files, wherever they begin", async () => {
  const { grep, glob } = await setUp(["src/**", "*.env"]);
  for (const path of [".", "src"]) {
    expect(await grep("needle", { path })).not.toMatch(/src|a\.env/);
    expect(await glob("**/*", { path })).not.toMatch(/src|a\.env/);
  }
  for (const path of ["src/a.ts", "a.env"]) {
    expect(await grep("needle", { path })).toBe(`A rule forbids to read ${path}.`);
    expect(await glob("*", { path })).toBe(`A rule forbids to read ${path}.`);
  }
});

test.each([
  ["./secret.txt", "secret.txt"],
  ["secrets", "deep/secrets/a.txt"],
  ["secrets/", "secrets/a.txt"],
  ["secrets/**", "secrets/a.txt"],
  ["deep/**/key.txt", "deep/er/key.txt"],
  ["deep**key.txt", "deep/er/key.txt"],
  ["*.pem", "deep/cert.pem"],
  ["config/[prod].json", "config/[prod].json"],
  ["a{b}.txt", "a{b}.txt"],
  ["!x.txt", "!x.txt"],
  ["what?.txt", "what?.txt"],
  ["back\\slash.txt", "back\\slash.txt"],
  ["FOLDER/secret.txt", "secret.txt"],
  ["~/secret.txt", "secret.txt"],
  ["sub/../secret.txt", "secret.txt"],
])("searches find no files that Read(%s) denies", async (pattern, file) => {
  const { folder } = temporaryProject({ [file]: "needle\n", "other.txt": "needle\n" });
  const rule = readRule(`Read(${pattern.replace("FOLDER", folder)})`, "deny", "user")!;
  const ports = { guard: await createPathGuard(folder), hidden: hiddenPatterns([rule], { folder, home: folder }) };
  const grep = async (input: object) =>
    textOf(await call(grepTool(ports), { pattern: "needle", ...input }, { folder }));
  expect(await grep({})).toBe("other.txt");
  expect(await grep({ glob: "**/*" })).toBe("other.txt");
  expect(await grep({ path: file })).toContain("A rule forbids");
  expect(await textOf(await call(globTool(ports), { pattern: "**/*.*" }, { folder }))).toBe("other.txt");
});
