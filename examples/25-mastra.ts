/** An agent on Mastra gets Palimpsest in three lines, and works through four times what its window holds. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { createTool } from "@mastra/core/tools";
import { palimpsest } from "@palimpsest/ai-sdk/mastra"; // 1
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
import { memoryStore } from "palimpsest";
import { z } from "zod";

const MODEL = "claude-opus-5-5";
const WINDOW_TOKENS = 20_000;

/** The simulated model reads the file that it is asked about. At the end it recalls what it no longer sees. */
const script: Script = ({ purpose, userText, toolResults }) => {
  if (purpose === "summary") return summarize("Files were read, one after the other.");
  const [result] = toolResults;
  if (result?.text.includes("entry ")) return answer(/File 1\..*bug/.exec(result.text)?.[0] ?? "None.");
  if (result !== undefined) return answer("Read.");
  const file = [...userText.matchAll(/file (\d+)/g)].at(-1)?.[1];
  return callTools(file === undefined ? callTool("recall", { search: "bug" }) : callTool("read", { file }));
};

const facts = ANTHROPIC_MODELS.find(({ id }) => id === MODEL)!;
const server = await serve({ faces: [simulate({ script, models: [{ ...facts, windowTokens: WINDOW_TOKENS }] })] });
const anthropic = createAnthropic({ apiKey: "none", baseURL: `${server.url}/v1` });

// The window is given here because it is smaller than that of the real model. An application leaves `models` out.
const context = palimpsest({
  store: memoryStore(),
  models: { [MODEL]: { windowTokens: WINDOW_TOKENS } },
  session: () => "files", // with Mastra's memory: the thread
  onCompaction: ({ tokensBefore, tokensAfter, summary }) =>
    console.log(`compacted: ${tokensBefore} tokens became ${tokensAfter}, summary by ${summary.way}`),
}); // 2

const read = createTool({
  id: "read",
  description: "Reads a file.",
  inputSchema: z.object({ file: z.string() }),
  execute: async ({ file }) =>
    `File ${file}. ${file === "1" ? "It has a bug. " : ""}${"It is a long file. ".repeat(300)}`,
});
const agent = new Agent({
  id: "reader",
  name: "reader",
  instructions: "Read before you answer.",
  // Mastra 1.71 has the types of an older release of the AI SDK, and takes models of the newest.
  model: anthropic(MODEL) as MastraModelConfig,
  tools: { read },
  inputProcessors: [context], // 3
});

// The application keeps its own list, whole, and never thinks about the window.
const messages: { role: string; content: unknown }[] = [];
for (let file = 1; file <= 50; file++) {
  const isLast = file === 50;
  messages.push({ role: "user", content: isLast ? "Where was the bug?" : `Read file ${file}.` });
  const result = await agent.generate(messages as never, { maxSteps: 5 });
  messages.push(...((await result.response) as unknown as { messages: typeof messages }).messages);
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
