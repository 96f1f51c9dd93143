import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checkNames, checkReach } from "./check-api.ts";
import { checkComments, checkExamples } from "./check-reference.ts";
import { readGlobalNames } from "./global-names.ts";
import { readSource } from "./source-facts.ts";

const SOURCES = "packages/palimpsest/src";
const WITHOUT_NODE = [
  ...["index.ts", "anthropic.ts", "bedrock.ts", "gemini.ts", "openai.ts"],
  ...["adapter-parts.ts", "provider-parts.ts", "sanitize.ts", "schema.ts"],
];
const readText = (path: string): string => readFileSync(path, "utf8");
const globals = readGlobalNames();

function listSources(): string[] {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts", "*.tsx"];
  return execFileSync("git", args, { encoding: "utf8" })
    .split("\n")
    .filter((path) => path !== "" && existsSync(path));
}

describe("the public interface of the engine", () => {
  const paths = listSources().filter((path) => path.startsWith(`${SOURCES}/`) && !path.endsWith(".test.ts"));
  const sources = paths.map((path) => readSource(path, readText(path)));

  test.each(WITHOUT_NODE)("%s reaches no module of Node and no package", (entry) => {
    expect(checkReach(`${SOURCES}/${entry}`, sources)).toEqual([]);
  });

  test.each(["inspect.ts", "store-parts.ts"])("%s loads where node:sqlite is missing", (entry) => {
    const problems = checkReach(`${SOURCES}/${entry}`, sources);
    expect(problems.filter((problem) => problem.includes("node:sqlite"))).toEqual([]);
  });

  test.each(["index.ts", "inspect.ts", "schema.ts", "store-parts.ts"])(
    "%s exports no name that shadows a global",
    (entry) => {
      const source = readSource(`${SOURCES}/${entry}`, readText(`${SOURCES}/${entry}`));
      expect(checkNames(source, globals)).toEqual([]);
    },
  );
});

test("docs/reference.md has an example of every name of the root", () => {
  const { exports } = readSource(`${SOURCES}/index.ts`, readText(`${SOURCES}/index.ts`));
  expect(checkExamples("docs/reference.md", readText("docs/reference.md"), "palimpsest", exports)).toEqual([]);
});

test("every name of the root has a doc comment", () => {
  expect(checkComments(`${SOURCES}/index.ts`, readText)).toEqual([]);
});

describe("each rule can fail", () => {
  const reach = (...texts: readonly [path: string, text: string][]): string[] =>
    checkReach(
      "src/index.ts",
      texts.map(([path, text]) => readSource(path, text)),
    );

  test("a module of Node behind another file", () => {
    const index = ["src/index.ts", `export { a } from "./log/a.ts";`] as const;
    const problems = reach([...index], ["src/log/a.ts", `import { hash } from "node:crypto"; export const a = hash;`]);
    expect(problems).toEqual(["src/log/a.ts: imports node:crypto, and src/index.ts must load without it"]);
    expect(reach([...index], ["src/log/a.ts", "export const a = 1;"])).toEqual([]);
  });

  test.each([
    [`import { z } from "zod"; export const a = z;`, 1],
    [`export const a = () => import("node:fs");`, 1],
    [`export { a } from "./gone.ts";`, 1],
    [`import type { z } from "zod"; export type A = z;`, 0],
  ])("what the root imports: %s", (text, problems) => {
    expect(reach(["src/index.ts", text])).toHaveLength(problems);
  });

  test("names that shadow a global", () => {
    const source = readSource("src/index.ts", "export type Text = 1; export const b = 1, Buffer = 2;");
    expect(checkNames(source, globals)).toEqual([
      `src/index.ts: exports "Text", which shadows a global`,
      `src/index.ts: exports "Buffer", which shadows a global`,
    ]);
  });

  test("a name without an example, or with one that does not use it or does not run", () => {
    const block = (fence: string, code: string): string => `\`\`\`${fence}\n${code}\n\`\`\`\n`;
    const page = [
      "Prose about noted().",
      block("ts", `import { type A, unused, used } from "palimpsest";\nconst a: A = used();`),
      block("ts", `import { other } from "palimpsest/schema";\nother();`),
      block("ts no-run", `import { idle } from "palimpsest";\nidle();`),
    ].join("\n");
    expect(checkExamples("a.md", page, "palimpsest", ["A", "used"])).toEqual([]);
    expect(checkExamples("a.md", page, "palimpsest", ["unused", "other", "idle", "noted"])).toEqual([
      `a.md: has no example of "unused"`,
      `a.md: has no example of "other"`,
      `a.md: has no example of "idle"`,
      `a.md: has no example of "noted"`,
    ]);
  });

  test("a name without a doc comment, behind a re-export", () => {
    const files: Readonly<Record<string, string>> = {
      "src/index.ts": `export { a, b as renamed, c, type D } from "./log/a.ts";\nexport { gone } from "./log/b.ts";`,
      "src/log/a.ts": `/** Is one. */\nexport const a = 1;\nexport const b = 1;\n// Not for readers.\nexport const c = 1;\nexport type { D } from "./b.ts";`,
      "src/log/b.ts": "/** Has a directive behind it. */\n// biome-ignore lint: why\nexport interface D {}",
    };
    expect(checkComments("src/index.ts", (path) => files[path] ?? "")).toEqual([
      `src/log/a.ts: "renamed" has no doc comment`,
      `src/log/a.ts: "c" has no doc comment`,
      `src/log/b.ts: "gone" has no doc comment`,
    ]);
  });
});
