/** The same loop with OpenAI's client: Responses here; `openaiChat` and a base URL for any server that imitates it. */
import { callTool, callTools, createOpenAiResponses, inOrder, serve, think } from "@palimpsest/provider-simulator";
import OpenAI from "openai";
import { memoryStore, openSession, toolResult } from "palimpsest";
import { openaiResponses } from "palimpsest/openai";

// The simulated model looks at two cities at once, then answers.
const twoCities = callTools(callTool("weather", { city: "Bern" }), callTool("weather", { city: "Kyoto" }));
const script = inOrder([think("Two cities.", twoCities)], ({ toolResults }) => ({
  words: [{ kind: "text", text: toolResults.map(({ text }) => text).join(" ") }],
}));
const server = await serve({ faces: [createOpenAiResponses({ script })] });
const client = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0 });

const session = await openSession({
  store: memoryStore(),
  provider: openaiResponses(client),
  model: "gpt-6-sol",
  system: "You know the weather. ".repeat(300),
  tools: [{ name: "weather", description: "Weather of a city.", inputSchema: { type: "object" } }],
});

await session.append("How is the weather in Bern and in Kyoto?");
for (;;) {
  const stream = client.responses.stream(await session.prepare());
  stream.on("response.output_text.delta", ({ delta }) => process.stdout.write(delta));
  const { calls } = await session.record(await stream.finalResponse());
  if (calls.length === 0) break;
  for (const { id, input } of calls) {
    await session.append(toolResult(id, `Rain in ${(input as { city: string }).city}.`));
  }
}

const { cacheReadTokens, freshTokens, outputTokens } = session.usage();
console.log(`\n${cacheReadTokens} tokens read from the prompt cache, ${freshTokens} fresh, ${outputTokens} of output`);
await server.close();
