/** An agent on the Vercel AI SDK gets Palimpsest in three lines, and works through four times what its window holds. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { palimpsest, readCompaction } from "@palimpsest/ai-sdk"; // 1
import {
  ANTHROPIC_MODELS,
  answer,
  callTool,
  callTools,
  type Script,
  serve,
  createAnthropic as simulate,
  summarize,
} from "@palimpsest/provider-simulator";
import { jsonSchema, type ModelMessage, stepCountIs, ToolLoopAgent, tool, wrapLanguageModel } from "ai";
import { memoryStore } from "palimpsest";

const MODEL = "claude-opus-5-5";
const WINDOW_TOKENS = 20_000;

const SUMMARY = Array.from(
  { length: 9 },
  (_, at) => `## ${at + 1}. Section\nThe chapters were read, one after the other.`,
).join("\n");

/** The simulated model reads the chapter that it is asked about. At the end it recalls what it no longer sees. */
const script: Script = ({ purpose, userText, toolResults }) => {
  if (purpose === "summary") return summarize(SUMMARY);
  const [result] = toolResults;
  if (result?.text.startsWith("entry"))
    return answer(/entry .*Chapter 1\..*harbour/.exec(result.text)?.[0] ?? "Nowhere.");
  if (result !== undefined) return answer("Read.");
  const chapter = [...userText.matchAll(/chapter (\d+)/g)].at(-1)?.[1];
  return callTools(chapter === undefined ? callTool("recall", { search: "harbour" }) : callTool("read", { chapter }));
};

const facts = ANTHROPIC_MODELS.find(({ id }) => id === MODEL)!;
const server = await serve({ faces: [simulate({ script, models: [{ ...facts, windowTokens: WINDOW_TOKENS }] })] });
const anthropic = createAnthropic({ apiKey: "none", baseURL: `${server.url}/v1` });

// The window is given here because it is smaller than that of the real model. An application leaves `models` out.
const context = palimpsest({ store: memoryStore(), models: { [MODEL]: { windowTokens: WINDOW_TOKENS } } }); // 2
const model = wrapLanguageModel({ model: anthropic(MODEL), middleware: context }); // 3

const read = tool({
  description: "Reads a chapter.",
  inputSchema: jsonSchema<{ chapter: string }>({ type: "object", properties: { chapter: { type: "string" } } }),
  execute: async ({ chapter }) =>
    `Chapter ${chapter}. ${chapter === "1" ? "They met at the harbour. " : ""}${"It rained all day. ".repeat(300)}`,
});
const agent = new ToolLoopAgent({
  model,
  tools: { read, recall: context.recall },
  stopWhen: stepCountIs(5),
  providerOptions: { palimpsest: { session: "a-book" } },
});

// The application keeps its own list, whole, and never thinks about the window.
const messages: ModelMessage[] = [];
for (let chapter = 1; chapter <= 50; chapter++) {
  const isLast = chapter === 50;
  messages.push({ role: "user", content: isLast ? "Where did they meet?" : `Read chapter ${chapter}.` });
  const result = await agent.generate({ messages });
  messages.push(...result.responseMessages);
  for (const compaction of result.content.map(readCompaction)) {
    if (compaction === undefined) continue;
    const { tokensBefore, tokensAfter, summary } = compaction;
    if (!summary.met) throw new Error("a compaction has no good summary");
    console.log(`compacted: ${tokensBefore} tokens became ${tokensAfter}, summary by ${summary.way}`);
  }
  if (isLast) console.log(result.text);
}

const [session] = context.sessions();
const { priceUsd } = await session!.ledger.cost();
const { refused, answered } = server.recorder.total();
console.log(
  `${answered} requests, ${refused} refused, $${priceUsd?.toFixed(2)}; the list has ${messages.length} messages`,
);
if (refused > 0) throw new Error("a request was refused");
await context.close();
await server.close();
