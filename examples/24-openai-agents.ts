/** An agent on the OpenAI Agents SDK gets Palimpsest in three lines, and works through four times what its window holds. */
import { Agent, type AgentInputItem, OpenAIProvider, Runner, tool, user } from "@openai/agents";
import { palimpsest, readCompactions } from "@palimpsest/openai-agents"; // 1
import {
  answer,
  callTool,
  callTools,
  createOpenAiResponses,
  openAiModels,
  type Script,
  serve,
  summarize,
} from "@palimpsest/provider-simulator";
import { memoryStore } from "palimpsest";

const MODEL = "gpt-5.2";
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

const limits = { windowTokens: WINDOW_TOKENS, maxInputTokens: WINDOW_TOKENS };
const server = await serve({
  faces: [createOpenAiResponses({ script, models: { [MODEL]: { ...openAiModels[MODEL]!, ...limits } } })],
});
const provider = new OpenAIProvider({ apiKey: "none", baseURL: `${server.url}/v1` });

// The window is given here because it is smaller than that of the real model. An application leaves `models` out.
const context = palimpsest({ store: memoryStore(), models: { [MODEL]: { windowTokens: WINDOW_TOKENS } } }); // 2
const runner = new Runner({ modelProvider: context.models(provider, "tickets"), tracingDisabled: true }); // 3

const read = tool({
  name: "read",
  description: "Reads a ticket.",
  parameters: {
    type: "object",
    properties: { ticket: { type: "string" } },
    required: ["ticket"],
    additionalProperties: true,
  },
  strict: false,
  execute: async (input) => {
    const { ticket } = input as { ticket: string };
    return `Ticket ${ticket}. ${ticket === "1" ? "The customer asks for a refund. " : ""}${"It rained all day. ".repeat(300)}`;
  },
});
const agent = new Agent({ name: "desk", model: MODEL, tools: [read, context.recall] });

// The application keeps its own history, whole, and never thinks about the window.
let history: AgentInputItem[] = [];
for (let ticket = 1; ticket <= 50; ticket++) {
  const isLast = ticket === 50;
  const result = await runner.run(agent, [
    ...history,
    user(isLast ? "Who asked for a refund?" : `Read ticket ${ticket}.`),
  ]);
  history = result.history;
  for (const { tokensBefore, tokensAfter, summary } of result.rawResponses.flatMap(readCompactions)) {
    if (!summary.met) throw new Error("a compaction has no good summary");
    console.log(`compacted: ${tokensBefore} tokens became ${tokensAfter}, summary by ${summary.way}`);
  }
  if (isLast) console.log(result.finalOutput);
}

const [session] = context.sessions();
const { priceUsd } = await session!.ledger.cost();
const { refused, answered } = server.recorder.total();
console.log(
  `${answered} requests, ${refused} refused, $${priceUsd?.toFixed(2)}; the history has ${history.length} items`,
);
if (refused > 0) throw new Error("a request was refused");
await context.close();
await server.close();
