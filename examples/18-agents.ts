/** A coordinator and three workers that know its whole conversation: together they cost little more than one of them. */
import Anthropic from "@anthropic-ai/sdk";
import { createAgents } from "@palimpsest/agents";
import { answer, callTool, callTools, createAnthropic, type Script, serve } from "@palimpsest/provider-simulator";
import { memoryStore, openSession, query, tool } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";

const PARTS = ["the parser", "the writer", "the tests"];

// What the model would do: start three forks at once, let each read its part, and sum up what they report.
const script: Script = ({ request, toolResults }) => {
  const said = JSON.stringify(request["messages"]);
  const part = /The task:[\s\S]*?look at (the \w+)/.exec(said)?.[1];
  if (part !== undefined)
    return toolResults.some(({ text }) => text.startsWith(part))
      ? answer(`In ${part} nothing is wrong.`)
      : callTools(callTool("Read", { part }), callTool("Agent", { prompt: "x", description: "x", way: "fork" }));
  if (!said.includes("Split the work")) return answer("Read it.");
  const reports = said.match(/In the \w+ nothing is wrong/g) ?? [];
  if (reports.length > 0)
    return answer(reports.length === PARTS.length ? "All three are done." : "I wait for the others.");
  if (toolResults.length > 0) return answer("They are at work.");
  const starts = PARTS.map((name) => ({ way: "fork", description: `Look at ${name}`, prompt: `look at ${name}` }));
  return callTools(...starts.map((input) => callTool("Agent", input)));
};

const server = await serve({ faces: [createAnthropic({ script })] });
const provider = anthropic(new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 }));
const store = memoryStore();
const common = { store, provider, model: "claude-opus-5-5" };
const session = await openSession({ ...common, id: "lead" });
const read = tool({
  name: "Read",
  description: "Reads a part.",
  concurrency: "safe",
  inputSchema: { type: "object", properties: { part: { type: "string" } } },
  execute: async ({ part }) => `${String(part)}: 200 lines`,
});

const agents = createAgents({
  session,
  store,
  tools: [read],
  readOnlyTools: ["Read"],
  // Agents with a conversation of their own have a session of their own, in the same store.
  openChild: ({ id, system = "", model = common.model }) => openSession({ ...common, id, system, model }),
});

async function turn(prompt?: string): Promise<void> {
  const tools = [read, ...agents.tools];
  const said = prompt === undefined ? {} : { prompt };
  for await (const event of query(session, { tools, inbox: agents.inbox, ...said })) {
    if (event.kind === "tool-started") console.log(`> ${event.call.name} ${JSON.stringify(event.call.input)}`);
    if (event.kind === "turn-ended" && "text" in event.outcome) console.log(event.outcome.text);
  }
}

for (const part of PARTS) await session.append(`Here is ${part}. ${`a line of ${part}; `.repeat(2_000)}`);
await turn("Read all of it.");
await turn("Split the work.");
// Reports come by the inbox, each once; when one waits, the coordinator goes on.
while ((await agents.idle()) === "waiting") await turn();

for (const { goal, status } of agents.list()) console.log(`${goal}: ${status}`);
const { main, agent } = (await session.ledger.cost()).bySource;
const inputTokens = agent!.freshTokens + agent!.cacheReadTokens + agent!.cacheWriteTokens;
const shared = agent!.cacheReadTokens / inputTokens;
console.log(`the workers read ${(shared * 100).toFixed(1)}% of their input from the coordinator's cache`);
console.log(`coordinator $${main!.priceUsd.toFixed(4)}, three workers $${agent!.priceUsd.toFixed(4)}`);

if (agents.list().some(({ status }) => status !== "done") || agents.list().length !== PARTS.length)
  throw new Error("three workers were to be done, and none to start another");
if (shared < 0.97 || agent!.priceUsd > main!.priceUsd) throw new Error("the workers did not share the cache");
await agents.close();
await server.close();
