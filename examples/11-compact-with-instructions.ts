/** Compaction by hand: of a part or of all, with instructions of the user's and of a hook; what was pinned stays. */
import Anthropic from "@anthropic-ai/sdk";
import { type Ask, answer, createAnthropic, type Script, serve, summarize } from "@palimpsest/provider-simulator";
import { type ExplainedBoundary, memoryStore, openSession } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { createHooks } from "palimpsest/hooks";

const TITLES = ["Request", "Concepts", "Files", "Errors", "Findings", "Corrections", "Pending", "Current work", "Next"];

/** What the simulated model was told to pay heed to, each time it was asked for a summary. */
const followed: string[] = [];

const script: Script = (ask) => (ask.purpose === "summary" ? summary(ask) : answer("Noted."));

function summary({ userText }: Ask): ReturnType<typeof summarize> {
  followed.push(
    /Further instructions for this summary:\n([\s\S]*?)\n\nAnswer with text only/.exec(userText)?.[1] ?? "",
  );
  const text = `As it stands after summary ${followed.length}: the loader of the shop is being moved, step by step.`;
  return summarize(TITLES.map((title, index) => `## ${index + 1}. ${title}\n${text}`).join("\n"));
}

const server = await serve({ faces: [createAnthropic({ script })] });
const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
const hooks = createHooks([
  { event: "PreCompact", run: ({ trigger }) => `Keep the numbers of tickets (asked ${trigger}).` },
  {
    event: "PostCompact",
    run: ({ tokensBefore, tokensAfter }) => console.log(`${tokensBefore} -> ${tokensAfter} tokens`),
  },
]);
const session = await openSession({
  store: memoryStore(),
  provider: anthropic(client),
  model: "claude-opus-5-5",
  hooks,
  system: "You are a careful engineer.",
});

async function say(words: string): Promise<{ readonly entry: number; readonly cacheReadTokens: number }> {
  const [entry] = await session.append(`${words} ${"The details do not matter much here. ".repeat(300)}`);
  const { usage } = await session.record(await client.messages.create(await session.prepare()));
  return { entry: entry!, cacheReadTokens: usage.cacheReadTokens };
}

/** Words of the messages as they would be sent now. */
async function shownNow(): Promise<string> {
  return JSON.stringify((await session.prepare()).messages);
}

const RULE = "Never touch the folder legacy/: it is signed.   (The three spaces and the\ttab are part of the rule.)";
await session.pins.add(RULE);
await say("Move the loader to src/load.ts (SHOP-41).");
await say("Then the cache, SHOP-42.");
const beforeTokens = session.view.size().tokens;
const turning = await say("Now something else: the invoices, SHOP-77.");
await say("They are off by a cent.");
const newest = await say("And the tests are slow.");

// What stands before the message stays, and stays in the provider's cache.
const ofNewer = await session.compact({ from: turning.entry, instructions: "Mind the invoices." });
const { cacheReadTokens } = await say("What did we find out?");
console.log(`after "from": ${cacheReadTokens} of the ${beforeTokens} tokens before it were read from the cache`);
// It can be taken back: the messages are shown again.
if (ofNewer.kind === "compacted") await session.history.restore(ofNewer.boundary);

await session.compact({ upTo: newest.entry, instructions: "Mind what is still open." });
const staysShown = (await shownNow()).includes("And the tests are slow. The details");
console.log('after "upTo": the newer messages are shown as they were:', staysShown);

await session.compact();
const staysPinned = (await shownNow()).includes(JSON.stringify(RULE).slice(1, -1));
console.log("after all of it: the pin is there, byte for byte:", staysPinned);

for (const text of followed) console.log(`told to the model: ... ${text.slice(-100).replaceAll("\n", " / ")}`);
for (const boundary of await session.history.explain()) console.log(told(boundary));

function told({ boundary, from, to, inEffect, compaction }: ExplainedBoundary): string {
  const { trigger, variant, summary, messages, tokensBefore, tokensAfter, modelCalls, priceUsd = 0 } = compaction!;
  const parts = Object.entries(compaction!.parts).map(([part, tokens]) => `${part} ${tokens}`);
  return [
    `boundary ${boundary} (${inEffect}): ${messages} messages, entries ${from} to ${to}`,
    `  ${trigger}, ${variant}, by ${summary.way}: ${modelCalls} call for $${priceUsd.toFixed(4)}`,
    `  ${tokensBefore} -> ${tokensAfter} tokens`,
    `  shown in their place: ${parts.join(", ")}`,
  ].join("\n");
}

const inEffect = (await session.history.explain()).map((boundary) => boundary.inEffect);
if (cacheReadTokens < beforeTokens * 0.9 || !staysShown || !staysPinned)
  throw new Error("something that stays was changed");
if (inEffect.join() !== "yes,compacted-again,taken-back") throw new Error(`not as told: ${inEffect}`);
if (!followed.every((text) => text.includes("tickets"))) throw new Error("the hook was not heard");
await server.close();
