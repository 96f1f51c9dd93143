/** Rules of one's own: when to compact, what to clear, who writes the summary, and what survives. */
import Anthropic from "@anthropic-ai/sdk";
import { answer, callTool, callTools, createAnthropic, type Script, serve } from "@palimpsest/provider-simulator";
import { memoryStore, openSession, type SessionEvent, toolResult } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import {
  type ClearRule,
  type CompactRule,
  coding,
  fitItems,
  type KeepPart,
  type Policy,
  proposalOf,
  written,
} from "palimpsest/policy";
import { testPolicy } from "palimpsest/testing";

/** Between turns, from 12,000 tokens on, at any price. */
const when: CompactRule["when"] = ({ size, turn }) => {
  if (turn.status === "open" || size.tokens < 12_000) return undefined;
  return { level: "requested", because: `${size.tokens} tokens, and 12,000 are enough` };
};

/** Clears all weather reports but the newest, also in a warm cache. */
const oldReports: ClearRule = {
  name: "old-reports",
  propose(state) {
    const reports = state.results.filter(({ tool, shown }) => tool === "weather" && shown === "whole");
    return proposalOf(reports.slice(0, -1), state, { level: "requested", because: "only the newest report counts" });
  },
};

/** Two questions to the model, on its cached prompt. */
const summary = written("two questions", async ({ fork }) => {
  const plan = await fork("In one sentence: what is planned?");
  return `Plan: ${plan}\nOpen: ${await fork("In one sentence: what is still open?")}`;
});

/** Keeps what the model has promised, also in messages that were compacted long ago. */
const promises: KeepPart = {
  name: "promises",
  // The shares of the preset add up to 1, so this part asks for a minimum, and for room that others leave.
  budget: { maxTokens: 500, share: 0, minTokens: 200 },
  collect: {
    version: 1,
    empty: [],
    maxBytes: 10_000,
    add: (state, { text, provenance: { kind } }) =>
      kind === "model" && text.includes("I promise") ? [...(state as string[]), text.slice(0, 300)].slice(-20) : state,
  },
  plan: ({ collected }) =>
    (collected as string[]).map((text) => ({ key: text, from: { kind: "text", text, provenance: { kind: "model" } } })),
  render: (items, room) => fitItems(items, room, { heading: "Promised:", rest: () => "search with recall" }),
};

const { compact, ...others } = coding();
const policy: Policy = {
  ...others,
  name: "hikes",
  clear: [oldReports, ...others.clear],
  compact: { ...compact, when, summary, keep: [promises, ...compact.keep] },
};
const problems = testPolicy(policy, { maxMs: 50 });
if (problems.length > 0) throw new Error(problems.join("\n"));

// --------------------------------------------------------------------------------------------------------------------
const script: Script = ({ userText, toolResults }) => {
  if (userText.includes("what is planned?")) return answer("A hike along the ridge on Saturday.");
  if (userText.includes("what is still open?")) return answer("Who brings the map.");
  if (userText.endsWith("weather?") && toolResults.length === 0) return callTools(callTool("weather", {}));
  return answer(userText.includes("map") ? "I promise to remind you of the map." : "Noted.");
};
const server = await serve({ faces: [createAnthropic({ script })] });
const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
function onEvent(event: SessionEvent): void {
  if (event.kind === "results-cleared") console.log(`cleared ${event.count} result: ${event.because}`);
  if (event.kind === "compaction-ended" && event.outcome.kind === "compacted")
    console.log(`compacted: ${event.outcome.tokensBefore} tokens became ${event.outcome.tokensAfter}`);
  if (event.kind === "rule-failed") throw new Error(`${event.rule}: ${event.because}`);
}
const session = await openSession({
  store: memoryStore(),
  provider: anthropic(client),
  model: "claude-opus-5-5",
  tools: [{ name: "weather", description: "The weather on the ridge.", inputSchema: { type: "object" } }],
  policy,
  onEvent,
});

async function say(text: string): Promise<string> {
  await session.append(text);
  for (;;) {
    const request = await session.prepare();
    const { calls } = await session.record(await client.messages.create(request));
    if (calls.length === 0) return JSON.stringify(request.messages);
    for (const { id } of calls)
      await session.append(toolResult(id, "Sunny, with some wind from the west. ".repeat(300)));
  }
}
await say("How is the weather?");
await say("And now, how is the weather?");
await say("Who brings the map?");
await say(`Here are my notes: ${"We turn left at the old oak. ".repeat(1_000)}`);
const request = await say("Shall we go?");
for (const text of ["A hike along the ridge", "Who brings the map", "I promise to remind you"])
  if (!request.includes(text)) throw new Error(`The request does not contain ${JSON.stringify(text)}.`);
await server.close();
