/** Where the money went: what the prompt cache saved, what broke it, and what the next request will cost. */
import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic, manualClock, serve } from "@palimpsest/provider-simulator";
import { memoryStore, openSession } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";

const clock = manualClock();
const server = await serve({ clock, faces: [createAnthropic({ clock })] });
const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
const session = await openSession({
  store: memoryStore(),
  provider: anthropic(client),
  model: "claude-opus-5-5",
  system: "You are a careful engineer. ".repeat(500),
  clock,
});

async function ask(question: string): Promise<void> {
  await session.append(question);
  await session.record(await client.messages.create(await session.prepare()));
}

await ask("Where does the build fail?");
await ask("And why?");
clock.advance(9 * 60_000);
await ask("Sorry, I was at lunch. Again?");
await session.configure({ system: "You are a careless engineer. ".repeat(500) });
await ask("And now?");

for await (const line of session.ledger.lines()) {
  const { cacheReadTokens, cacheWriteTokens, priceUsd = 0, gapUsd = 0, causes } = line;
  const why = causes.length === 0 ? "" : `, of which $${gapUsd.toFixed(4)} lost to ${causes.join(" and ")}`;
  console.log(`read ${cacheReadTokens}, wrote ${cacheWriteTokens}: $${priceUsd.toFixed(4)}${why}`);
}
const { priceUsd, perfectPriceUsd, nextRequest } = await session.ledger.cost();
console.log(`together $${priceUsd.toFixed(4)}; with a perfect cache $${perfectPriceUsd.toFixed(4)}`);
const { cache, warmUsd = 0, coldUsd = 0 } = nextRequest;
console.log(`the next request is ${cache}: $${warmUsd.toFixed(4)} now, $${coldUsd.toFixed(4)} after a long pause`);
await server.close();
