import { createHash } from "node:crypto";
import { memoryStore } from "palimpsest";
import { readPayload } from "palimpsest/inspect";
import { expect, onTestFinished, test } from "vitest";
import { offline } from "../commands/connect.ts";
import { toAgentTools } from "../extensions/mcp/to-agent-tool.ts";
import { readOnlyShellTool } from "../extensions/shell/read-only-shell.ts";
import { barePath } from "../testing/bare-path.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { placesOf } from "../workspace/places.ts";
import { openAgent } from "./open-agent.ts";

/** The digest of a definition as the log stores it. It is part of every prompt: a change costs each session its prompt cache. */
function digest(definition: unknown): string {
  return createHash("sha256").update(JSON.stringify(definition)).digest("hex").slice(0, 16);
}

test("the definitions of the session's tools are the ones that earlier prompts contain", async () => {
  const project = temporaryProject();
  const { folder, home } = project;
  const environment = { PATH: barePath(project), HOME: home, BRAVE_API_KEY: "key" };
  const store = memoryStore();
  const agent = await openAgent({
    places: placesOf(folder, environment),
    folder,
    environment,
    store,
    provider: await offline("anthropic"),
    model: "claude-sonnet-5-5",
    rules: [],
    modelFacts: "table",
    web: "on",
  });
  onTestFinished(() => agent.close());
  await agent.session.configure({ tools: agent.tools });
  const reader = await store.openReader(agent.session.id);
  const newest = await reader?.newest("configuration");
  const stored = newest && readPayload(newest);
  if (stored?.kind !== "configuration" || !("value" in stored.payload.tools)) throw new Error("No tools are stored.");
  const digests = stored.payload.tools.value.map((tool) => [tool.name, digest(tool)]);
  expect(Object.fromEntries(digests)).toMatchInlineSnapshot(`
    {
      "Agent": "e8d358a5fe2b7282",
      "AskUser": "7caf5bc177dbd8ff",
      "Bash": "6d8c3ad4f248f77a",
      "BashOutput": "2675d89651583aaa",
      "Edit": "3e5b4cfd2504ae97",
      "EnterPlan": "3434c3aee1301061",
      "ExitPlan": "02e24234339ced1d",
      "Glob": "9578125d62f97726",
      "Grep": "cbddd2356a33f3cd",
      "KillBash": "eac1a4c8b3b0b564",
      "Memory": "bfe09ac552963091",
      "Read": "97605c3dad983504",
      "SendMessage": "9d782352f76aacca",
      "Skill": "44e74ac4d9bded74",
      "Todo": "7bf2d95aa93c2bb2",
      "WebFetch": "3d99e24fa040edba",
      "WebSearch": "fdccf2463e565ce8",
      "Write": "9182b216c56c8fd1",
      "recall": "8bd86b311089231c",
    }
  `);
});

test("the definitions of other tools are the ones that earlier prompts contain", () => {
  const sandbox = { kind: "bubblewrap" } as Parameters<typeof readOnlyShellTool>[0]["sandbox"];
  const schema = { type: "object", properties: { count: { type: "integer" } } };
  const served = toAgentTools("tiny", [{ name: "echo", description: "Echoes.", inputSchema: schema }], () => {
    throw new Error("No call is made.");
  });
  const tools = [readOnlyShellTool({ sandbox, shell: "bash", environment: {} }), ...served];
  const digests = tools.map(({ name, description, inputSchema }) => [name, digest({ name, description, inputSchema })]);
  expect(Object.fromEntries(digests)).toMatchInlineSnapshot(`
    {
      "Bash": "575c505e6b155b02",
      "mcp__tiny__echo": "8e4610da7121bfef",
    }
  `);
});
