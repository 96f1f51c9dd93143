/** A question beside the conversation, and a session of its own that begins with all of it: both read the warm prompt. */
import Anthropic from "@anthropic-ai/sdk";
import { answer, callTool, callTools, createAnthropic, type Script, serve } from "@palimpsest/provider-simulator";
import { memoryStore, openSession, toolResult } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";

const script: Script = ({ userText, toolResults }) => {
  if (toolResults.length > 0) return answer(`Tried it: ${toolResults[0]!.text}`);
  if (userText.startsWith("In one line")) return answer("The loader is being moved.");
  if (userText.startsWith("Try")) return callTools(callTool("Bash", { command: "npm test" }), callTool("Write", {}));
  return answer("Noted.");
};
const server = await serve({ faces: [createAnthropic({ script })] });
const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
const session = await openSession({
  id: "work",
  store: memoryStore(),
  provider: anthropic(client),
  model: "claude-opus-5-5",
  tools: ["Bash", "Write"].map((name) => ({ name, inputSchema: { type: "object" } })),
});

for (const part of ["one", "two", "three"]) {
  await session.append(`Part ${part}: ${`a line of part ${part}; `.repeat(1_200)}`);
  await session.record(await client.messages.create(await session.prepare()));
}
const sizeTokens = session.view.size().tokens;
const share = (readTokens: number): number => readTokens / sizeTokens;

// A question that leaves nothing behind.
const { text, usage } = await session.ask("In one line: what is going on?", { source: "status line" });
console.log(`${text} (${percent(share(usage.cacheReadTokens))} of the prompt read from the cache)`);

// A session of its own. It has the tools of its parent, so that the prompt is the same; it may use one of them.
const fork = await session.fork({ source: "experiment", id: "work-experiment", allowedTools: ["Bash"] });
await fork.append("Try the tests without the cache.");
const tried = await fork.record(await client.messages.create(await fork.prepare()));
console.log(
  `it called ${tried.calls.map(({ name }) => name)}; refused: ${tried.refusedCalls?.map(({ name }) => name)}`,
);
await fork.append(toolResult(tried.calls[0]!.id, "41 pass, 1 fails."));
const { text: found } = await fork.record(await client.messages.create(await fork.prepare()));
console.log(`${found} (${percent(share(tried.usage.cacheReadTokens))} of the prompt read from the cache)`);
await fork.close();

// The parent goes on as if nothing had happened, and its ledger holds what the others have spent.
await session.append("Go on.");
const next = await session.prepare();
const { usage: after } = await session.record(await client.messages.create(next), next);
const { bySource, breaks } = await session.ledger.cost();
for (const [source, { responses, cacheReadTokens, cacheWriteTokens, priceUsd }] of Object.entries(bySource)) {
  console.log(
    `${source}: ${responses} responses, ${cacheReadTokens} read, ${cacheWriteTokens} written, $${priceUsd.toFixed(4)}`,
  );
}

if (share(usage.cacheReadTokens) < 0.99 || share(tried.usage.cacheReadTokens) < 0.99)
  throw new Error("the cache was missed");
if (share(after.cacheReadTokens) < 0.99 || breaks.length > 0) throw new Error("a fork has broken its parent's cache");
if (JSON.stringify(next).includes("without the cache")) throw new Error("the parent has heard what its fork was told");
await server.close();

function percent(part: number): string {
  return `${(part * 100).toFixed(1)}%`;
}
