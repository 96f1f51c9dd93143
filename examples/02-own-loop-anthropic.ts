/** Your own loop with Anthropic's client: palimpsest keeps the conversation, you make the calls. */
import Anthropic from "@anthropic-ai/sdk";
import { callTool, callTools, createAnthropic, inOrder, serve, think } from "@palimpsest/provider-simulator";
import { memoryStore, openSession, toolResult } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";

// The simulated model looks at two cities at once, then answers.
const twoCities = callTools(callTool("weather", { city: "Bern" }), callTool("weather", { city: "Kyoto" }));
const script = inOrder([think("Two cities.", twoCities)], ({ toolResults }) => ({
  words: [{ kind: "text", text: toolResults.map(({ text }) => text).join(" ") }],
}));
const server = await serve({ faces: [createAnthropic({ script })] });
const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });

const session = await openSession({
  store: memoryStore(),
  provider: anthropic(client),
  model: "claude-opus-5-5",
  system: "You know the weather. ".repeat(200),
  tools: [{ name: "weather", description: "Weather of a city.", inputSchema: { type: "object" } }],
});

await session.append("How is the weather in Bern and in Kyoto?");
for (;;) {
  const stream = client.messages.stream(await session.prepare());
  stream.on("text", (text) => process.stdout.write(text));
  const { calls } = await session.record(await stream.finalMessage());
  if (calls.length === 0) break;
  for (const { id, input } of calls) {
    await session.append(toolResult(id, `Rain in ${(input as { city: string }).city}.`));
  }
}

const { cacheReadTokens, cacheWriteTokens, outputTokens } = session.ledger.totals();
console.log(
  `\nread ${cacheReadTokens} and wrote ${cacheWriteTokens} tokens of the prompt cache, ${outputTokens} tokens of output`,
);
await server.close();
