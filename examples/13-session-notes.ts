/** Notes about the session, where they are switched on, are kept all along: when the window is full, the summary is there. */
import Anthropic from "@anthropic-ai/sdk";
import { answer, createAnthropic, type Script, serve } from "@palimpsest/provider-simulator";
import { memoryStore, openSession } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";

// The model keeps the notes when it is asked to, and else does its work.
const script: Script = ({ userText, turn }) => {
  if (!userText.includes("<session-notes>")) return answer("Copied. Two names were hard to read.");
  const written = `<notes-section heading="Current state">\nCopying; ${turn} answers so far.\n</notes-section>`;
  return answer(`<session-notes>\n${written}\n</session-notes>`);
};
const server = await serve({ faces: [createAnthropic({ script })] });
const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
const model = "claude-opus-5-5";
const session = await openSession({
  store: memoryStore(),
  provider: anthropic(client, { models: { [model]: { windowTokens: 60_000 } } }),
  model,
  settings: { notes: "on" },
  notes: { write: async (markdown) => console.log(`written for people: ${markdown.length} characters`) },
  onEvent: (event) => {
    if (event.kind === "notes-updated") console.log(`notes ${event.outcome}: ${event.tokens} tokens`);
    if (event.kind === "compaction-ended" && event.outcome.kind === "compacted") {
      const { summary, tokensBefore, tokensAfter } = event.outcome;
      console.log(`compacted by ${summary.way}: ${tokensBefore} -> ${tokensAfter} tokens`);
    }
  },
});

const say = async (words: string): Promise<void> => {
  await session.append(words);
  const request = await session.prepare();
  await session.record(await client.messages.create(request), request);
};
for (let page = 1; page <= 12; page++) await say(`Page ${page}: ${"a line of the page; ".repeat(500)}`);
// By themselves they are updated when it pays. Here we do not wait for that.
await session.notes.update();
for (let page = 13; (await session.history.explain()).length === 0; page++) {
  await say(`Page ${page}: ${"a line of the page; ".repeat(500)}`);
}

const [boundary] = await session.history.explain();
const { bySource } = await session.ledger.cost();
console.log(`summary by ${boundary?.compaction?.summary.way}, model calls for it: ${boundary?.compaction?.modelCalls}`);
console.log(
  `price: work $${bySource["main"]?.priceUsd.toFixed(4)}, notes $${bySource["session_notes"]?.priceUsd.toFixed(4)}`,
);
if (boundary?.compaction?.summary.way !== "notes" || boundary.compaction.modelCalls !== 0)
  throw new Error("a model was asked");
if (!boundary.shownAs.includes("answers so far")) throw new Error("the notes are not in the view");
await session.close();
await server.close();
