/**
 * A chat bot to copy that lives for weeks: one session per channel, everybody's messages in it, in a process that may be restarted at any time.
 * Between messages lie nights and weekends, and the conversation is far longer than the window. Below the line: a clock that is turned
 * by hand, a simulated model, and eight weeks of a channel.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import {
  answer,
  callTool,
  callTools,
  createAnthropic,
  manualClock,
  type Script,
  serve,
  summarize,
} from "@palimpsest/provider-simulator";
import { type Clock, openSession, type Provider, query, recallFrom } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { sqliteStore } from "palimpsest/sqlite";

interface ChatMessage {
  readonly channel: string;
  readonly from: string;
  readonly text: string;
}

interface BotOptions {
  readonly folder: string;
  readonly provider: Provider;
  readonly clock: Clock;
  /** Told when a channel's conversation was compacted. */
  readonly onCompacted: (channel: string) => void;
}

/**
 * Answers a message of a channel. The session is open for one message only: a restart in between loses nothing, and a bot in a thousand channels
 * holds no memory for the silent ones.
 */
async function reply(message: ChatMessage, { folder, provider, clock, onCompacted }: BotOptions): Promise<string> {
  const store = sqliteStore({ folder });
  const session = await openSession({
    id: message.channel,
    store,
    provider,
    clock,
    model: "claude-sonnet-4-6",
    system: "You are a bot in a team's chat. Each message begins with who wrote it.",
    takeover: { waitMs: 10_000 }, // two messages at once: the second waits for the first
    onEvent: (event) => {
      if (event.kind === "compaction-ended" && event.outcome.kind === "compacted") onCompacted(message.channel);
    },
  });
  let text = "";
  const prompt = `${message.from}: ${message.text}`;
  for await (const event of query(session, { prompt, tools: [recallFrom(session)] })) {
    if (event.kind === "response") text = event.response.text;
  }
  await session.close();
  await store.close();
  return text;
}

// --------------------------------------------------------------------------------------------------------------------
const DAYS = 56;
const HOUR_MS = 3_600_000;
const clock = manualClock(Date.UTC(2026, 0, 5, 9));
const script: Script = ({ purpose, userText, toolResults }) => {
  if (userText.includes("<session-notes>")) return answer("Nothing new to note.");
  if (purpose === "summary") return summarize("The team writes what it does each day. ".repeat(20));
  if (toolResults.length > 0) return answer(`I looked it up: ${/door code is (\d+)/.exec(toolResults[0]!.text)?.[0]}`);
  if (userText.includes("What was the door code")) return callTools(callTool("recall", { search: "door code" }));
  return answer("Noted. ".repeat(60));
};
const server = await serve({ clock, faces: [createAnthropic({ clock, script })] });
const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
const folder = mkdtempSync(join(tmpdir(), "bot-"));
let compactions = 0;
const options: BotOptions = {
  folder,
  clock,
  // A small window makes eight weeks of a busy team out of a hundred messages.
  provider: anthropic(client, { models: { "claude-sonnet-4-6": { windowTokens: 24_000 } } }) as Provider,
  onCompacted: () => compactions++,
};

await reply({ channel: "office", from: "Ada", text: "The door code is 4711." }, options);
for (let day = 0; day < DAYS; day++) {
  clock.advance(24 * HOUR_MS);
  const isWeekend = day % 7 >= 5;
  for (const from of isWeekend ? [] : ["Ada", "Bob"])
    await reply(
      { channel: "office", from, text: `Day ${day}: ${"I worked on the report and on the plan. ".repeat(40)}` },
      options,
    );
}
const found = await reply({ channel: "office", from: "Bob", text: "What was the door code?" }, options);
const days = Math.round((clock.now() - Date.UTC(2026, 0, 5, 9)) / (24 * HOUR_MS));
const { refused } = server.recorder.total();
console.log(
  `${days} days, ${server.recorder.exchanges.length} requests, ${refused} refused, ${compactions} compactions`,
);
console.log(found);
if (refused > 0 || compactions < 2) throw new Error("The conversation did not outlive its window.");
if (!found.includes("4711")) throw new Error("What was said on the first day is lost.");
await server.close();
rmSync(folder, { recursive: true });
