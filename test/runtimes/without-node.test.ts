import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { bundle } from "./bundle.ts";
import { runWholeSession, type WholeSession } from "./whole-session.ts";

const SESSION = "test/runtimes/whole-session.ts";

/** What browsers, workers and edge runtimes have in common. */
const WEB_GLOBALS = {
  AbortController,
  AbortSignal,
  DOMException,
  TextDecoder,
  TextEncoder,
  URL,
  atob,
  btoa,
  clearTimeout,
  console,
  crypto,
  queueMicrotask,
  // A number, as in browsers: there is no `unref`.
  setTimeout: (work: () => void, ms?: number): number => Number(setTimeout(work, ms)),
  structuredClone,
};

const EXPECTED: WholeSession = {
  largeResult: "stored",
  recalled: expect.stringContaining("line 19876: answered in"),
  compacted: "none",
  resumedFrom: "summary",
  answer: "All is well.",
};

test("Node itself: a whole session", async () => {
  expect(await runWholeSession()).toEqual(EXPECTED);
});

test("a context with nothing but what the web has: a whole session", async () => {
  const { code, imports } = await bundle(SESSION, "iife");
  expect(imports).toEqual([]);
  const run = runInNewContext(`${code}; bundled.runWholeSession`, { ...WEB_GLOBALS });
  expect(JSON.parse(JSON.stringify(await run()))).toEqual(EXPECTED);
});

test("workerd, an edge runtime: a whole session", async () => {
  const { code, imports } = await bundle(SESSION, "es");
  expect(imports).toEqual([]);
  const { status, output } = runInWorkerd(
    code,
    `console.log("RESULT" + JSON.stringify(await session.runWholeSession()));`,
  );
  expect(output).toContain("RESULT");
  const [, result = ""] = /RESULT(\{.*\})/.exec(output) ?? [];
  expect(JSON.parse(result)).toEqual(EXPECTED);
  expect(status).toBe(0);
});

const PORTABLE = ["anthropic", "openai", "sanitize", "schema", "provider-parts", "adapter-parts"];

test.each(["palimpsest", ...PORTABLE.map((name) => `palimpsest/${name}`)])(
  "%s wants no module of its runtime",
  async (name) => {
    expect((await bundle(name, "es")).imports).toEqual([]);
  },
);

test("an import of node: is seen, by the bundle and by both runtimes", async () => {
  const folder = mkdtempSync(join("test/runtimes", ".bundled-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "reads.ts");
  writeFileSync(file, `import { readFileSync } from "node:fs"; export const read = () => readFileSync("x");`);
  const [script, module] = [await bundle(file, "iife"), await bundle(file, "es")];
  expect(script.imports).toEqual(["node:fs"]);
  expect(() => runInNewContext(`${script.code}; bundled.read()`, { ...WEB_GLOBALS })).toThrow();
  const { status, output } = runInWorkerd(module.code, "session.read();");
  expect(status).not.toBe(0);
  expect(output).toContain("node:fs");
});

/** Runs a module in workerd, as its own test runner does: the module is `session` to the code. */
function runInWorkerd(module: string, code: string): { readonly status: number | null; readonly output: string } {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-workerd-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "session.js"), module);
  const main = `import * as session from "./session.js"; export default { async test() { ${code} } };`;
  writeFileSync(join(folder, "main.js"), main);
  writeFileSync(
    join(folder, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = (
  modules = [(name = "main.js", esModule = embed "main.js"), (name = "session.js", esModule = embed "session.js")],
  compatibilityDate = "2025-01-01",
))]);
`,
  );
  const { status, stdout, stderr } = spawnSync(
    "npx",
    ["--no-install", "workerd", "test", join(folder, "config.capnp")],
    {
      encoding: "utf8",
    },
  );
  return { status, output: stdout + stderr };
}
