import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checkArchitecture } from "./check-architecture.ts";
import { readFloorTable, readFolderTable, readPackageTable } from "./import-table.ts";
import { readSource } from "./source-facts.ts";

const page = readFileSync("docs/architecture.md", "utf8");
const rules = {
  floors: readFloorTable(page),
  packages: readPackageTable(page),
  folders: readFolderTable(page),
};

test("the sources keep to docs/architecture.md", () => {
  const paths = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts"], {
    encoding: "utf8",
  })
    .split("\n")
    // A template is a user's program: its own package.json names what it imports.
    .filter(
      (path) =>
        /^(packages|adapters|apps|lab|examples|test)\//.test(path) && !path.includes("/template/") && existsSync(path),
    );
  const sources = paths.map((path) => readSource(path, readFileSync(path, "utf8")));
  expect(sources.length).toBeGreaterThan(0);
  expect(checkArchitecture(sources, rules)).toEqual([]);
});

describe("each rule can fail", () => {
  const library = (path: string, text: string): string[] =>
    checkArchitecture([readSource(`packages/palimpsest/src/${path}`, text)], rules);

  test.each([
    ["an import against the arrow", "log/fold.ts", `import { x } from "../view/items.ts";`, "log is not above view"],
    [
      "a type from the same floor",
      "view/items.ts",
      `import type { Store } from "../stores/store.ts";`,
      "view is not above stores",
    ],
    ["a file without a rule", "log/fold.ts", `import { x } from "../misc.ts";`, "log is not above misc.ts"],
    [
      "a re-export against the arrow",
      "log/fold.ts",
      `export { x } from "../size/calibration.ts";`,
      "log is not above size",
    ],
    [
      "a dynamic import against the arrow",
      "log/fold.ts",
      `const x = await import("../size/calibration.ts");`,
      "log is not above size",
    ],
    [
      "node: in the core",
      "view/flatten.ts",
      `import { readFile } from "node:fs/promises";`,
      "imports node:fs/promises, but it is core code",
    ],
    [
      "the clock in a file of the shell that plans",
      "compact/plan.ts",
      `export const due = () => Date.now();`,
      "core code uses Date",
    ],
    ["the clock in planning", "policy/decide.ts", `export const due = () => Date.now();`, "core code uses Date"],
    ["a date of now in planning", "policy/decide.ts", `export const due = () => new Date();`, "core code uses Date"],
    [
      "randomness in planning",
      "size/budget.ts",
      `export const pad = () => Math.random();`,
      "core code uses Math.random",
    ],
    ["the process in planning", "cost/ledger.ts", `export const price = process.env.PRICE;`, "core code uses process"],
    ["a folder without a rule", "misc/x.ts", `export const x = 1;`, `"misc" has no row`],
    ["a vendor's name in the core", "clear/stage.ts", `export const model = "claude-opus";`, "names the vendor claude"],
    ["module state", "log/fold.ts", `export let count = 0;`, `module-level variable "count"`],
    [
      "the clock by another way",
      "policy/decide.ts",
      `const { now } = Date; export const due = () => now();`,
      "core code uses Date",
    ],
    ["a package in the core", "view/flatten.ts", `import { z } from "zod";`, "imports zod, but it is core code"],
    [
      "the judge in the accused",
      "stores/store.ts",
      `import { x } from "@palimpsest/provider-simulator";`,
      "palimpsest may not import @palimpsest/provider-simulator",
    ],
    ["module state in a constant", "stores/store.ts", `const seen = new Map();`, `module-level variable "seen"`],
    ["a folder barrel", "log/index.ts", `export const x = 1;`, "a folder barrel"],
    ["a name that says nothing", "log/fold.ts", `export class LogManager {}`, `"LogManager" says nothing`],
  ])("%s", (_, path, text, problem) => {
    expect(library(path, text).join("\n")).toContain(problem);
  });

  test.each([
    ["types of a port", "clear/stage.ts", `import type { Store } from "../stores/store.ts";`],
    ["down the arrow", "view/items.ts", `import { x } from "../log/entries.ts";`],
    [
      "a property that is called like a global",
      "log/fold.ts",
      `export const state = (entry: { process: number }) => entry.process;`,
    ],
    ["anything in what only tests use", "log/testing/x.ts", `import { x } from "node:sqlite";`],
    [
      "an effect in the shell",
      "stores/sqlite-store.ts",
      `import { x } from "node:sqlite"; export const now = () => Date.now();`,
    ],
  ])("and allows %s", (_, path, text) => {
    expect(library(path, text)).toEqual([]);
  });

  test.each(["judge.ts", "judge.test.ts"])("the simulator imports nothing of ours: %s", (file) => {
    const source = readSource(`packages/provider-simulator/src/${file}`, `import { x } from "@palimpsest/observe";`);
    expect(checkArchitecture([source], rules)).toHaveLength(1);
  });

  test("files that import each other, even for a type", () => {
    const one = readSource("lab/src/x/one.ts", `import { two } from "./two.ts"; export const one = two;`);
    const two = readSource("lab/src/x/two.ts", `import type { One } from "./three.ts"; export const two = 2;`);
    const three = readSource("lab/src/x/three.ts", `import { one } from "./one.ts"; export type One = typeof one;`);
    expect(checkArchitecture([one, two, three], rules)).toHaveLength(3);
    expect(checkArchitecture([one, two], rules)).toEqual([]);
  });

  test("folders that reach each other through other files", () => {
    const up = readSource("packages/memory/src/search/a.ts", `import { b } from "../trust/b.ts"; export const a = b;`);
    const down = readSource("packages/memory/src/trust/b.ts", "export const b = 1;");
    const back = readSource(
      "packages/memory/src/trust/c.ts",
      `import { d } from "../search/d.ts"; export const c = d;`,
    );
    expect(checkArchitecture([up, down], rules)).toEqual([]);
    expect(checkArchitecture([up, down, back], rules)).toEqual([
      "packages/memory/src/search: reaches itself through other folders",
      "packages/memory/src/trust: reaches itself through other folders",
    ]);
  });

  test.each([
    ["text/a.ts", "../commands/b.ts", "text may not import commands"],
    ["extension/a.ts", "../extensions/files/b.ts", "extension may not import extensions/files"],
    ["extensions/web/a.ts", "../files/b.ts", "extensions/web may not import extensions/files"],
    ["extensions/files/a.ts", "../search/b.ts", "extensions/files may not import extensions/search"],
    ["extensions/web/a.ts", "../../commands/b.ts", "extensions/web may not import commands"],
    ["agent-tools.ts", "./commands/b.ts", "agent-tools may not import commands"],
    ["elsewhere/a.ts", "./b.ts", `"elsewhere" has no row in the table of the agent`],
  ])("folders of the agent keep to their row: %s imports %s", (path, from, problem) => {
    const text = `import type { B } from "${from}"; export type A = B;`;
    const problems = checkArchitecture([readSource(`apps/agent/src/${path}`, text)], rules);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });

  test.each([
    ["extensions/search/a.ts", "../files/b.ts"],
    ["extensions/search/a.ts", "../../text/b.ts"],
    ["extensions/search/deep/a.ts", "../b.ts"],
    ["agent-tools.ts", "./extensions/files/b.ts"],
    ["main.ts", "./main/b.ts"],
  ])("and the agent's %s may import %s", (path, from) => {
    const source = readSource(`apps/agent/src/${path}`, `import { b } from "${from}"; export const a = b;`);
    expect(checkArchitecture([source], rules)).toEqual([]);
  });

  test("packages keep to their row of the table", () => {
    const check = (path: string, from: string): string[] =>
      checkArchitecture([readSource(path, `import { x } from "${from}"; export const y = x;`)], rules);
    expect(check("packages/memory/src/a.ts", "@palimpsest/agents")).toEqual([
      "packages/memory/src/a.ts: @palimpsest/memory may not import @palimpsest/agents",
    ]);
    expect(check("packages/agents/src/a.ts", "@palimpsest/memory/dream")).toEqual([]);
    expect(check("packages/memory/src/a.ts", "../../palimpsest/src/log/entry.ts")).toHaveLength(1);
    expect(check("packages/unknown/src/a.ts", "palimpsest")).toHaveLength(1);
  });

  test("a package depends on the packages of its row, and no other of ours", () => {
    const manifests = globSync(["{packages,adapters,apps}/*/package.json", "{lab,examples}/package.json"]).map(
      (file) =>
        JSON.parse(readFileSync(file, "utf8")) as { name: string; dependencies?: Readonly<Record<string, string>> },
    );
    for (const { name, mayImport } of rules.packages) {
      const { dependencies = {} } = manifests.find((manifest) => manifest.name === name)!;
      const ours = Object.keys(dependencies).filter((dependency) => /^@?palimpsest/.test(dependency));
      expect([name, ...ours.sort()]).toEqual([name, ...mayImport.toSorted()]);
    }
  });

  test("the lab in product code and product tests", () => {
    const check = (path: string, from: string): string[] =>
      checkArchitecture([readSource(path, `import { x } from "${from}"; export const y = x;`)], rules);
    expect(check("packages/memory/src/a.ts", "../../../lab/src/random.ts")).toContain(
      "packages/memory/src/a.ts: imports ../../../lab/src/random.ts from the lab",
    );
    expect(check("packages/memory/src/a.test.ts", "../../../lab/src/random.ts")).toHaveLength(1);
    expect(check("test/laws/a.test.ts", "../../lab/src/random.ts")).toHaveLength(1);
    expect(check("lab/src/soak/soak.ts", "../random.ts")).toEqual([]);
  });

  test("examples use public subpaths", () => {
    const source = readSource("examples/01.ts", `import { x } from "../packages/palimpsest/src/log/fold.ts";`);
    expect(checkArchitecture([source], rules)).toHaveLength(1);
  });
});
