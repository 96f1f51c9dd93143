import Anthropic from "@anthropic-ai/sdk";
import { answer, createAnthropic, fetchInProcess, idleClock, summarize } from "@palimpsest/provider-simulator";
import { memoryStore, openSession, type Provider, query } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { createHooks } from "palimpsest/hooks";
import { expect, test } from "vitest";
import { createSessionHead } from "../../extension/session-head.ts";
import { temporaryProject } from "../../testing/temporary-project.ts";
import { createPathGuard } from "../../workspace/path-guard.ts";
import { followInstructions } from "./instructions-extension.ts";
import { openInstructions } from "./open-instructions.ts";

const SUMMARY = Array.from(
  { length: 9 },
  (_, number) => `## ${number + 1}. Part\nWords were said one after the other, and nothing came of part ${number}.`,
).join("\n");

test("hooks get instructions once, and again after a compaction", async () => {
  const { folder, home } = temporaryProject({ "AGENTS.md": "Be brief." });
  const guard = await createPathGuard(folder);
  const instructions = await openInstructions({ guard, home, agentHome: home });
  const head = createSessionHead([instructions]);
  const loaded: string[] = [];
  const hooks = createHooks([{ event: "InstructionsLoaded", run: ({ path }) => void loaded.push(path) }]);
  const face = createAnthropic({
    script: ({ purpose }) => (purpose === "summary" ? summarize(SUMMARY) : answer("Fine.")),
  });
  const client = new Anthropic({ apiKey: "none", maxRetries: 0, fetch: fetchInProcess({ face, clock: idleClock() }) });
  const provider = anthropic(client) as Provider;
  const session = await openSession({
    store: memoryStore(),
    provider,
    model: "claude-opus-5-5",
    hooks,
    surroundings: { head: head.text },
  });
  const followed = followInstructions({ session, instructions });
  const say = async (prompt: string): Promise<void> => {
    await followed.announce();
    for await (const _ of query(session, { tools: [], prompt }));
  };
  for (let turn = 0; turn < 6; turn++) await say(`Message ${turn}: ${"some words ".repeat(3_000)}`);
  expect(loaded).toHaveLength(1);
  expect(await session.compact()).toMatchObject({ kind: "compacted" });
  await say("Go on.");
  await say("And on.");
  expect(loaded).toHaveLength(2);
});
