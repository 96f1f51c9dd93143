/** An agent on pi-agent-core gets Palimpsest in three lines, and works through four times what its window holds. */
import { Agent } from "@earendil-works/pi-agent-core";
import { anthropicMessagesApi } from "@earendil-works/pi-ai/api/anthropic-messages.lazy";
import { palimpsest, readCompactions } from "@palimpsest/pi"; // 1
import {
  ANTHROPIC_MODELS,
  answer,
  callTool,
  callTools,
  createAnthropic,
  type Script,
  serve,
  summarize,
} from "@palimpsest/provider-simulator";
import { memoryStore } from "palimpsest";

const MODEL = ANTHROPIC_MODELS.find(({ id }) => id === "claude-opus-5-5")!;
const WINDOW_TOKENS = 20_000;

/** The simulated model reads the ticket that it is asked about. At the end it recalls what it no longer sees. */
const script: Script = ({ purpose, userText, toolResults }) => {
  if (purpose === "summary") return summarize("Tickets were read, one after the other.");
  const [result] = toolResults;
  if (result?.text.startsWith("entry")) return answer(/Ticket 1\..*refund/.exec(result.text)?.[0] ?? "None.");
  if (result !== undefined) return answer("Read.");
  const ticket = [...userText.matchAll(/ticket (\d+)/g)].at(-1)?.[1];
  return callTools(ticket === undefined ? callTool("recall", { search: "refund" }) : callTool("read", { ticket }));
};

const server = await serve({
  faces: [createAnthropic({ script, models: [{ ...MODEL, windowTokens: WINDOW_TOKENS }] })],
});

const context = palimpsest({ store: memoryStore() }); // 2
const agent = new Agent({
  initialState: {
    systemPrompt: "You work at a support desk.",
    thinkingLevel: "low",
    model: {
      id: MODEL.id,
      name: MODEL.id,
      api: "anthropic-messages",
      provider: "anthropic",
      baseUrl: server.url,
      reasoning: true,
      input: ["text"],
      cost: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
      contextWindow: WINDOW_TOKENS,
      maxTokens: 4_000,
      compat: { forceAdaptiveThinking: true },
    },
    tools: [
      {
        name: "read",
        label: "Read",
        description: "Reads a ticket.",
        parameters: { type: "object", properties: { ticket: { type: "string" } }, required: ["ticket"] },
        async execute(_, input) {
          const { ticket } = input as { ticket: string };
          const about = ticket === "1" ? "The customer asks for a refund. " : "";
          const text = `Ticket ${ticket}. ${about}${"It rained all day. ".repeat(300)}`;
          return { content: [{ type: "text", text }], details: undefined };
        },
      },
      context.recall,
    ],
  },
  sessionId: "tickets",
  getApiKey: () => "none",
  streamFn: context.stream(anthropicMessagesApi().streamSimple), // 3
});

// The agent keeps its own transcript, whole, and never thinks about the window.
for (let ticket = 1; ticket < 50; ticket++) await agent.prompt(`Read ticket ${ticket}.`);
await agent.prompt("Who asked for a refund?");

const { messages } = agent.state;
for (const { tokensBefore, tokensAfter, summary } of messages.flatMap(readCompactions)) {
  if (!summary.met) throw new Error("a compaction has no good summary");
  console.log(`compacted: ${tokensBefore} tokens became ${tokensAfter}, summary by ${summary.way}`);
}
const last = messages.at(-1);
console.log(
  last?.role === "assistant" ? last.content.map((part) => (part.type === "text" ? part.text : "")).join("") : "",
);
const { priceUsd } = await context.sessions()[0]!.ledger.cost();
const { refused, answered } = server.recorder.total();
console.log(
  `${answered} requests, ${refused} refused, $${priceUsd?.toFixed(2)}; the transcript has ${messages.length} messages`,
);
if (refused > 0) throw new Error("a request was refused");
await context.close();
await server.close();
