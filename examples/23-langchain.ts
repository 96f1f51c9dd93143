/** An agent on LangChain gets Palimpsest in three lines, and works through four times what its window holds. */
import { ChatAnthropic } from "@langchain/anthropic";
import { palimpsest, readCompactions } from "@palimpsest/langchain"; // 1
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
import { type BaseMessage, createAgent, HumanMessage, tool } from "langchain";
import { memoryStore } from "palimpsest";
import { z } from "zod";

const MODEL = "claude-opus-5-5";
const WINDOW_TOKENS = 20_000;

/** The simulated model reads the page that it is asked about. At the end it recalls what it no longer sees. */
const script: Script = ({ purpose, userText, toolResults }) => {
  if (purpose === "summary") return summarize("Pages of the manual were read, one after the other.");
  const [result] = toolResults;
  if (result?.text.startsWith("entry")) return answer(/Page 1\..*port 8080/.exec(result.text)?.[0] ?? "Not found.");
  if (result !== undefined) return answer("Read.");
  const page = [...userText.matchAll(/page (\d+)/g)].at(-1)?.[1];
  return callTools(page === undefined ? callTool("recall", { search: "8080" }) : callTool("read", { page }));
};

const facts = ANTHROPIC_MODELS.find(({ id }) => id === MODEL)!;
const server = await serve({
  faces: [createAnthropic({ script, models: [{ ...facts, windowTokens: WINDOW_TOKENS }] })],
});
const model = new ChatAnthropic({ model: MODEL, apiKey: "none", anthropicApiUrl: server.url, maxTokens: 2_000 });

// The window is given here because it is smaller than that of the real model. An application leaves `models` out.
const context = palimpsest({ store: memoryStore(), models: { [MODEL]: { windowTokens: WINDOW_TOKENS } } }); // 2

const read = tool(
  ({ page }) =>
    `Page ${page}. ${page === "1" ? "The server listens on port 8080. " : ""}${"It is a long manual. ".repeat(300)}`,
  { name: "read", description: "Reads a page of the manual.", schema: z.object({ page: z.string() }) },
);
const agent = createAgent({ model, tools: [read], middleware: [context] }); // 3

// The application keeps its own list, whole, and never thinks about the window.
let messages: BaseMessage[] = [];
for (let page = 1; page <= 50; page++) {
  const text = page === 50 ? "Which port was it?" : `Read page ${page}.`;
  const input = { messages: [...messages, new HumanMessage(text)] };
  ({ messages } = await agent.invoke(input, { configurable: { thread_id: "a-manual" } }));
}
for (const { tokensBefore, tokensAfter, summary } of messages.flatMap(readCompactions)) {
  if (!summary.met) throw new Error("a compaction has no good summary");
  console.log(`compacted: ${tokensBefore} tokens became ${tokensAfter}, summary by ${summary.way}`);
}
console.log(messages.at(-1)?.text);

const [session] = context.sessions();
const { priceUsd } = await session!.ledger.cost();
const { refused, answered } = server.recorder.total();
console.log(
  `${answered} requests, ${refused} refused, $${priceUsd?.toFixed(2)}; the list has ${messages.length} messages`,
);
if (refused > 0) throw new Error("a request was refused");
await context.close();
await server.close();
