import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checkLength, checkNames, checkReach } from "./check-api.ts";
import { checkComments, checkExamples } from "./check-reference.ts";
import { readGlobalNames } from "./global-names.ts";
import { findLiteralSpreads } from "./literal-spreads.ts";
import { checkShape } from "./session-shape.ts";
import { readSource } from "./source-facts.ts";

const SOURCES = "packages/palimpsest/src";
const WITHOUT_NODE = [
  ...["index.ts", "core.ts", "providers/anthropic.ts", "providers/bedrock.ts", "providers/gemini.ts"],
  "providers/openai.ts",
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

  test.each([
    ["index.ts", 60],
    ["core.ts", 150],
  ])("%s has at most %i names, and none of them shadows a global", (entry, maxNames) => {
    const source = readSource(`${SOURCES}/${entry}`, readText(`${SOURCES}/${entry}`));
    expect(checkNames(source, { maxNames, globals })).toEqual([]);
  });
});

test("docs/reference.md has an example of every name of the root", () => {
  const { exports } = readSource(`${SOURCES}/index.ts`, readText(`${SOURCES}/index.ts`));
  expect(checkExamples("docs/reference.md", readText("docs/reference.md"), "palimpsest", exports)).toEqual([]);
});

test("every name of the root has a doc comment", () => {
  expect(checkComments(`${SOURCES}/index.ts`, readText)).toEqual([]);
});

test("Session has at most 25 members, and none of its groups more than 8", () => {
  const limits = { maxMembers: 25, maxGroupMembers: 8 };
  expect(checkShape(`${SOURCES}/session/session.ts`, "Session", limits, readText)).toEqual([]);
});

test("no file has more than 300 lines, but data and tests", () => {
  expect(listSources().flatMap((path) => checkLength(path, readText(path)))).toEqual([]);
});

test("no literal is spread to save lines", () => {
  const paths = listSources().filter((path) => !path.endsWith(".test.ts") && !path.includes("/testing/"));
  expect(paths.flatMap((path) => findLiteralSpreads(path, readText(path)))).toEqual([]);
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

  test("too many names, and names that shadow a global", () => {
    const source = readSource("src/index.ts", "export type Text = 1; export const b = 1, Buffer = 2;");
    expect(checkNames(source, { maxNames: 3, globals })).toEqual([
      `src/index.ts: exports "Text", which shadows a global`,
      `src/index.ts: exports "Buffer", which shadows a global`,
    ]);
    expect(checkNames(source, { maxNames: 2, globals: new Set() })).toEqual([
      "src/index.ts: exports 3 names; 2 is the most",
    ]);
  });

  test("a name without an example, or with one that does not use it or does not run", () => {
    const block = (fence: string, code: string): string => `\`\`\`${fence}\n${code}\n\`\`\`\n`;
    const page = [
      "Prose about noted().",
      block("ts", `import { type A, unused, used } from "palimpsest";\nconst a: A = used();`),
      block("ts", `import { other } from "palimpsest/core";\nother();`),
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

  test("a Session or one of its groups that is too wide", () => {
    const files: Readonly<Record<string, string>> = {
      "src/session.ts": `import type { Pins as PinGroup } from "./pins.ts";
        interface Base { close(): void }
        export interface Session extends Base { id: string; get(a: 1): void; get(a: 2): void; pins: PinGroup; notes: { a: 1 } }`,
      "src/pins.ts": "export interface Pins { add(): void; remove(): void; list(): void }",
    };
    const check = (maxMembers: number, maxGroupMembers: number): string[] =>
      checkShape("src/session.ts", "Session", { maxMembers, maxGroupMembers }, (path) => files[path] ?? "");
    expect(check(5, 3)).toEqual([]);
    expect(check(4, 2)).toEqual([
      "src/session.ts: Session has 5 members; 4 is the most",
      "src/session.ts: Session.pins has 3 members; 2 is the most",
    ]);
    expect(checkShape("src/pins.ts", "Session", { maxMembers: 1, maxGroupMembers: 1 }, () => "")).toHaveLength(1);
  });

  test("a file that is too long, if it is neither data nor a test", () => {
    const text = "export const a = 1;\n".repeat(301);
    expect(checkLength("src/a.ts", text)).toEqual(["src/a.ts: has 301 lines; 300 is the most"]);
    for (const path of [
      "src/a.test.ts",
      "bench/src/chaos/poison/secret-corpus.ts",
      "test/laws/a.ts",
      "src/testing/a.ts",
    ]) {
      expect(checkLength(path, text)).toEqual([]);
    }
  });

  test("a literal that is spread to save lines", () => {
    expect(findLiteralSpreads("a.ts", "f({\n ...{ a, b },\n ...c, ...(d ? {} : { d }) });")).toEqual([
      "a.ts:2: spreads a literal; write its properties out, or name the part",
    ]);
  });
});
