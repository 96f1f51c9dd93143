import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { idleBash } from "../testing/idle-bash.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { createPathGuard } from "../workspace/path-guard.ts";
import { attendedPermission } from "./attended-permission.ts";
import type { PermissionQuestion, PermissionReply } from "./permission-call.ts";
import type { Rule } from "./rule.ts";

async function setUp(reply: PermissionReply) {
  const { folder, home } = temporaryProject();
  const agentHome = join(home, ".palimpsest");
  mkdirSync(agentHome, { mode: 0o700 });
  const asked: PermissionQuestion[] = [];
  const rules: Rule[] = [];
  const { permission, askHost } = attendedPermission({
    tools: new Map([["Bash", idleBash]]),
    guard: await createPathGuard(folder),
    home,
    rules,
    mode: () => "default",
    places: { agentHome, project: agentHome },
    agentOf: () => ({ kind: "main" }),
    person: {
      async askPermission(question) {
        asked.push(question);
        return reply;
      },
    },
  });
  const call = { kind: "tool_call", id: "1", name: "Bash", input: {} } as const;
  const context = { sessionId: "s", signal: new AbortController().signal };
  const wanted = { call, input: { command: "npm test -- a" } };
  return { asked, agentHome, judge: () => permission(wanted, context), ask: () => askHost(wanted, context) };
}

test("what is allowed once is asked again; what is allowed for the session is not", async () => {
  const once = await setUp({ kind: "once" });
  expect(await once.ask()).toEqual({ kind: "allow" });
  expect(await once.judge()).toEqual({ kind: "ask" });
  expect(once.asked).toMatchObject([
    { reason: "It runs a command.", allowedBy: ["Bash(npm test *)"], asker: { agent: { kind: "main" } } },
  ]);
  const session = await setUp({ kind: "always", scope: "session" });
  expect(await session.ask()).toEqual({ kind: "allow" });
  expect(await session.judge()).toEqual({ kind: "allow" });
});

test("what is always allowed is kept in the user's settings, beside what stands there", async () => {
  const { ask, judge, agentHome } = await setUp({ kind: "always", scope: "user" });
  const file = join(agentHome, "settings.json");
  writeFileSync(file, JSON.stringify({ web: "on", permissions: { deny: ["Read(.env)"], allow: ["Bash(ls *)"] } }));
  await ask();
  expect(await judge()).toEqual({ kind: "allow" });
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    web: "on",
    permissions: { deny: ["Read(.env)"], allow: ["Bash(ls *)", "Bash(npm test *)"] },
  });
});

test("a no says why", async () => {
  const { ask } = await setUp({ kind: "deny", comment: "not on Fridays" });
  expect(await ask()).toEqual({ kind: "deny", reason: "The user does not want it: not on Fridays" });
});
