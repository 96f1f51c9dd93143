/** Sixty rounds of work through a window of 8,192 tokens, on a server that was thought to have twice as many. */
import {
  answer,
  callTool,
  callTools,
  compatibleProfiles,
  createOpenAiChat,
  type Script,
  serve,
  summarize,
} from "@palimpsest/provider-simulator";
import OpenAI from "openai";
import { memoryStore, openSession, type SessionEvent, toolResult } from "palimpsest";
import { openaiChat } from "palimpsest/openai";

const FILES = 60;
const WINDOW_TOKENS = 8_192;

/**
 * The simulated model reads one file after another. Which one is next it knows only from what it is shown: were the place
 * lost in a compaction, it would begin again.
 */
const script: Script = ({ request, purpose }) => {
  const seen = JSON.stringify(request["messages"]).matchAll(/src\/part-(\d+)\.ts/g);
  const newest = Math.max(0, ...Array.from(seen, ([, number]) => Number(number)));
  if (purpose === "summary") return summarize(summaryAt(newest));
  return newest < FILES ? callTools(callTool("Read", { file_path: `src/part-${newest + 1}.ts` })) : answer("All read.");
};

function summaryAt(part: number): string {
  const sections = [
    "Read every part.",
    "Parts.",
    `src/part-${part}.ts was read last.`,
    "None.",
    "Nothing was unclear.",
  ];
  const rest = ["None.", "The remaining parts.", `Part ${part} of ${FILES} was read.`, `"Read all ${FILES} parts."`];
  return [...sections, ...rest].map((text, index) => `## ${index + 1}. Section\n${text.padEnd(60, " .")}`).join("\n");
}

const profile = {
  ...compatibleProfiles["llama.cpp"],
  model: { ...compatibleProfiles["llama.cpp"].model!, windowTokens: WINDOW_TOKENS, maxInputTokens: WINDOW_TOKENS },
};
const server = await serve({ faces: [createOpenAiChat({ profile, script })] });
const client = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0 });

/** The sizes over time: a block for each request, a bar where something was folded. */
let line = "";
function onEvent(event: SessionEvent): void {
  if (event.kind !== "compaction-ended" || event.outcome.kind !== "compacted") return;
  const { summary, tokensBefore, tokensAfter } = event.outcome;
  line += "|";
  console.log(`folded: ${tokensBefore} tokens became ${tokensAfter}, summary by ${summary.way}`);
}

const session = await openSession({
  store: memoryStore(),
  // What its card says; the server was started with half of it.
  provider: openaiChat(client, {
    dialect: "compatible",
    models: { "small-model": { windowTokens: 2 * WINDOW_TOKENS } },
  }),
  model: "small-model",
  maxOutputTokens: 1_000,
  tools: [{ name: "Read", description: "Reads a file.", inputSchema: { type: "object" } }],
  onEvent,
});

let [rounds, refusals, largest, characters] = [0, 0, 0, 0];
await session.append(`Read all ${FILES} parts.`);
for (;;) {
  const request = await session.prepare();
  const { tokens } = session.view.size();
  let response: OpenAI.ChatCompletion;
  try {
    response = await client.chat.completions.create(request);
  } catch (error) {
    const recovery = await session.recover(error);
    if (recovery.kind === "give-up") throw error;
    refusals++;
    console.log(`refused: ${(error as Error).message}`);
    continue;
  }
  const { usage, calls } = await session.record(response, request);
  largest = Math.max(largest, usage.freshTokens + usage.cacheReadTokens);
  line += "▁▂▃▄▅▆▇█"[Math.min(7, Math.floor((tokens / WINDOW_TOKENS) * 8))];
  if (calls.length === 0) break;
  rounds++;
  for (const { id, input } of calls) {
    const { file_path } = input as { file_path: string };
    const content = `// ${file_path}\n${"const width = 640;\n".repeat(120)}`;
    characters += content.length;
    await session.append(toolResult(id, content));
  }
}

const boundaries = await session.history.explain();
console.log(line);
// Calls for summaries are limited between two messages of the user, who has said nothing since the first.
const attempts = boundaries[0]?.compaction?.attempts.map(({ way, why }) => `${way}: ${why}`) ?? [];
console.log(`why the newest was made in this way: ${attempts.join("; ")}`);
console.log(
  `${rounds} rounds, ${characters} characters of results through a window of ${WINDOW_TOKENS} tokens: ` +
    `${boundaries.length} boundaries, ${refusals} refused, the largest request had ${largest} tokens`,
);
if (rounds !== FILES) throw new Error(`${rounds} rounds instead of ${FILES}: the model has lost its place`);
if (refusals !== 1) throw new Error("the window is learned from the first refusal");
if (largest > WINDOW_TOKENS) throw new Error("a request was larger than the window");
await server.close();
