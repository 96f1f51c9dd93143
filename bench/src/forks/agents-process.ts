import { monitorEventLoopDelay } from "node:perf_hooks";
import Anthropic from "@anthropic-ai/sdk";
import { createAgents } from "@palimpsest/agents";
import { answer, callTool, callTools, createAnthropic, serve } from "@palimpsest/provider-simulator";
import { memoryStore, openSession, tool } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";

/** Report of a process with many agents, in one line of JSON. */
export interface AgentCrowd {
  readonly registered: number;
  /** At the same time, each in the middle of a tool. */
  readonly running: number;
  readonly rssMb: number;
  readonly eventLoopP99Ms: number;
}

const [registered, running] = process.argv.slice(2).map(Number) as [number, number];
const model = "claude-opus-5-5";
const face = createAnthropic({
  script: ({ toolResults }) => (toolResults.length > 0 ? answer("Done.") : callTools(callTool("Wait", {}))),
});
// Over loopback: without a wire the loop would never turn, and nothing could be said of it.
const server = await serve({ faces: [face] });
const provider = anthropic(new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 }));
const store = memoryStore({ leaseMs: 0 });
const settings = { "agents.running": running, "notes.enabled": "off" } as const;
const session = await openSession({ id: "main", store, provider, model, settings });

const go = Promise.withResolvers<void>();
const full = Promise.withResolvers<void>();
let waiting = 0;
let most = 0;
const wait = tool({
  name: "Wait",
  description: "Waits.",
  input: { type: "object", properties: {} },
  async run() {
    most = Math.max(most, ++waiting);
    if (waiting === running) full.resolve();
    await go.promise;
    waiting--;
    return "over";
  },
});
const agents = createAgents({
  session,
  store,
  tools: [wait],
  openChild: ({ id, system = "" }) => openSession({ id, store, provider, model, settings, system }),
});
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
for (let at = 0; at < registered; at++) {
  await agents.start({ prompt: `task ${at}`, description: `task ${at}`, way: "background" });
}
await full.promise;
const known = session.background.agents().length;
go.resolve();
if ((await agents.drain(300_000)) === "left") throw new Error("not all agents have ended");
delay.disable();
const printed: AgentCrowd = {
  registered: known,
  running: most,
  rssMb: process.resourceUsage().maxRSS / 1_024,
  eventLoopP99Ms: delay.percentile(99) / 1e6,
};
await server.close();
console.log(JSON.stringify(printed));
