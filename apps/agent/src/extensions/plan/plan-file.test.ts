import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import {
  answer,
  callTool,
  callTools,
  createAnthropic,
  type Script,
  serve,
  summarize,
} from "@palimpsest/provider-simulator";
import { query } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { sqliteStore } from "palimpsest/sqlite";
import { expect, onTestFinished, test } from "vitest";
import type { AgentOptions } from "../../agent/agent.ts";
import { openAgent } from "../../agent/open-agent.ts";
import type { Person } from "../../extension/person.ts";
import { temporaryProject } from "../../testing/temporary-project.ts";
import { placesOf } from "../../workspace/places.ts";

const MODEL = "claude-opus-5-5";
const PLAN = `# Move the loader\n\n${Array.from({ length: 300 }, (_, at) => `${at + 1}. Change module ${at + 1}.`).join("\n")}`;
const SUMMARY = Array.from({ length: 9 }, (_, at) => `## ${at + 1}. Part\nThe loader is being moved, part ${at}.`).join(
  "\n",
);

const script: Script = ({ purpose, userText, toolResults }) => {
  if (purpose === "summary") return summarize(SUMMARY);
  if (userText.includes("Plan it") && toolResults.length === 0) return callTools(callTool("ExitPlan", { plan: PLAN }));
  return answer(`Done. ${"I looked at all of it. ".repeat(200)}`);
};

const person: Person = {
  approvePlan: async () => ({ kind: "approved", mode: "accept-edits" }),
  askUser: async () => ({ kind: "declined" }) as never,
  askPermission: async () => ({ kind: "once" }),
  approveCompaction: async () => "compact",
  onOutput: () => {},
  onHook: () => {},
  onNotice: async () => {},
  onBackground: async () => {},
};

test("keeps an approved plan in a file and, complete, in requests after a compaction and a resume", async () => {
  const { folder, home } = temporaryProject();
  const server = await serve({ faces: [createAnthropic({ script })] });
  onTestFinished(() => server.close());
  const provider = anthropic(new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 }));
  const places = placesOf(folder, { HOME: home });
  const store = sqliteStore({ folder: places.sessions });
  onTestFinished(() => store.close());
  const environment = { PATH: process.env["PATH"], HOME: home };
  const options: AgentOptions = {
    places,
    folder,
    environment,
    store,
    provider: provider as never,
    model: MODEL,
    mode: "plan",
    rules: [],
    modelFacts: "table",
    person,
  };
  const last = (): string => server.recorder.exchanges.at(-1)!.body;
  const shown = JSON.stringify(PLAN).slice(1, -1);
  const turn = async ({ session, tools, permission }: Awaited<ReturnType<typeof openAgent>>, prompt: string) => {
    const { takeDenied: _, ...permissions } = permission;
    for await (const _ of query(session, { tools, prompt, ...permissions }));
  };

  const agent = await openAgent(options);
  await turn(agent, "Plan it.");
  for (let at = 0; at < 4; at++) await turn(agent, `Go on with ${at}: ${"more words ".repeat(400)}`);
  const { id } = agent.session;
  const path = `${places.folderOf(id)}/plan.md`;
  expect(readFileSync(path, "utf8")).toBe(PLAN);
  await agent.close();

  const again = await openAgent({ ...options, id, mode: "accept-edits" });
  onTestFinished(() => again.close());
  const outcome = await again.session.compact();
  expect(outcome).toMatchObject({ kind: "compacted" });
  await turn(again, "Go on.");
  expect(last()).toContain(`The plan, as it stands:\\n${shown}`);
  const [boundary] = await again.session.history.explain();
  const part = boundary!.compaction!.parts.find(({ name }) => name === "plan");
  expect(part).toMatchObject({ items: 1 });
  expect(part).not.toHaveProperty("why");
});
