import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Enclosed } from "../sandbox/create-encloser.ts";
import type { SandboxRequest } from "../sandbox/policy.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { createPathGuard } from "../workspace/path-guard.ts";
import { encloseProgram, enclosureAdvice, type Program, type ProgramPorts } from "./enclose-program.ts";
import { readRule } from "./rule.ts";

/** A sandbox that notes what it is asked for, and in which order things happen. */
async function setUp(refusing: "nothing" | "all" = "nothing") {
  const { base, folder, home } = temporaryProject();
  const guard = await createPathGuard(folder);
  const agentHome = join(base, "own");
  const requests: SandboxRequest[] = [];
  const steps: string[] = [];
  const end = { refused: ["b.example"], changes: [] };
  const enclosed: Enclosed = {
    startedBy: ["/usr/bin/bwrap"],
    filterFile: "/filter",
    limits: "ulimit -u 10",
    environment: { HOME: "/inside" },
    refused: () => ["a.example"],
    finish: async () => {
      steps.push("finished");
      return end;
    },
  };
  const ports: ProgramPorts = {
    sandbox: {
      kind: "bubblewrap",
      policy: { limits: { minFreeBytes: 0 } } as never,
      extent: async () => "complete",
      enclose: async (request) => {
        requests.push(request);
        if (refusing === "all") throw new Error("no room");
        return enclosed;
      },
    },
    settings: { sandbox: "if-present" },
    permissions: { rules: [readRule("Network(*.bad.example)", "deny", "user")!] },
    guard,
    places: { home, agentHome },
    environment: { PATH: "/usr/bin:/bin" },
    commandTimes: {
      begin: async () => {
        steps.push("begun");
        return async () => void steps.push("ended");
      },
    },
  };
  const start = (program: Partial<Program>, more: Partial<ProgramPorts> = {}) =>
    encloseProgram({ words: ["node", "x.js"], environment: { LANG: "C" }, ...program }, { ...ports, ...more });
  return { folder, home, agentHome, requests, steps, end, start };
}

test("a program is enclosed with its words, its hosts and its variables, and its end is noted", async () => {
  const { folder, requests, steps, end, start } = await setUp();
  const started = await start({ own: { KEY: "k" }, hosts: ["a.example", "x.bad.example"] });
  expect(requests).toEqual([{ folder, hosts: ["a.example"], named: [] }]);
  if (started.kind !== "enclosed") throw new Error(`it is ${started.kind}`);
  expect(started.line).toContain("/usr/bin/bwrap");
  expect(started.line.slice(-2)).toEqual(["node", "x.js"]);
  expect(started.line.join(" ")).toContain("export KEY=");
  expect(started.environment).toMatchObject({ LANG: "C", HOME: "/inside" });
  expect(Object.values(started.environment)).toContain("k");
  expect(started.refused()).toEqual(["a.example"]);
  started.guardDisk(() => {})();
  expect(steps).toEqual(["begun"]);
  expect(await started.finish()).toEqual(end);
  expect(steps).toEqual(["begun", "ended", "finished"]);
});

test("a program that writes nothing to the project changes no instructions, and its end is not noted", async () => {
  const { requests, steps, start } = await setUp();
  const started = await start({ writes: "own-folder", ownFolder: "/own" });
  expect(requests[0]).toMatchObject({ writes: "own-folder", ownFolder: "/own", hosts: [] });
  if (started.kind === "enclosed") await started.finish();
  expect(steps).toEqual(["finished"]);
  await start({ writes: "project" });
  expect(requests[1]).toMatchObject({ writes: "project" });
  expect(steps).toEqual(["finished", "begun"]);
});

test("a program runs outside if the settings say so, or if there is no sandbox and none is required", async () => {
  const { requests, steps, start } = await setUp();
  const none = { sandbox: { kind: "none", reason: "Gone." } } as const;
  expect(await start({ sandbox: "off" })).toEqual({ kind: "outside" });
  expect(await start({ sandbox: "on" })).toMatchObject({ kind: "enclosed" });
  expect(steps.splice(0)).toEqual(["begun"]);
  const open = { permissions: { rules: [] } };
  expect(await start({}, { ...none, ...open })).toEqual({ kind: "outside" });
  expect(await start({}, { ...none, ...open, settings: { sandbox: "required" } })).toEqual({
    kind: "refused",
    reason: expect.stringContaining("Gone."),
  });
  // A rule that denies the network holds for programs, too.
  expect(await start({}, none)).toMatchObject({ kind: "refused" });
  expect(await start({ sandbox: "off" }, none)).toEqual({ kind: "outside" });
  expect([requests.length, steps]).toEqual([1, []]);
});

test("what cannot be started leaves nothing behind", async () => {
  const refused = await setUp("all");
  await expect(refused.start({})).rejects.toThrow("no room");
  expect(refused.steps).toEqual(["begun", "ended"]);
  const misnamed = await setUp();
  await expect(misnamed.start({ own: { "not a name": "x" } })).rejects.toThrow(/not a name/);
  expect(misnamed.steps).toEqual(["begun", "ended", "finished"]);
});

test("a program of the user's own settings may read the files of the home that its words name", async () => {
  const { home, agentHome, folder, requests, start } = await setUp();
  mkdirSync(agentHome);
  const [script, own] = [join(home, "check.js"), join(agentHome, "hook.sh")];
  for (const path of [script, own, join(folder, "in.js")]) writeFileSync(path, "");
  const namedBy = async (words: readonly string[], from: Program["from"] = "user") => {
    await start({ words, from });
    return requests.at(-1)!.named;
  };
  for (const word of [script, "~/check.js", "$HOME/check.js", `${"$"}{HOME}/check.js`, `${home}/x/../check.js`])
    expect([word, await namedBy(["node", word])]).toEqual([word, [script]]);
  for (const word of ["node '~/check.js'", "A=~/check.js", "(cat<~/check.js);ls", "x|~/check.js&", 'a "~/check.js"'])
    expect([word, await namedBy([word])]).toEqual([word, [script]]);
  expect(await namedBy([own, script, script])).toEqual([own, script]);
  // A folder, what does not exist, what lies elsewhere, and what only looks like the home.
  for (const word of ["~", home, "~/none.js", join(folder, "in.js"), "~check.js", "x~/check.js", "/etc/hosts"])
    expect([word, await namedBy([word])]).toEqual([word, []]);
  for (const from of ["project", "local", undefined] as const) {
    await start({ words: [script], ...(from === undefined ? {} : { from }) });
    expect(requests.at(-1)!.named).toEqual([]);
  }
});

test("only whoever wrote a program for all projects is told that it can be let out", () => {
  expect(enclosureAdvice({ from: "user" })).toContain('"sandbox": "off"');
  for (const setting of [{ from: "project" }, { from: "local" }, {}] as const)
    expect(enclosureAdvice(setting)).not.toContain('"off"');
});
