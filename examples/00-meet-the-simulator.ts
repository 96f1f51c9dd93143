/** A conversation with the real client library, a prompt cache that can be watched, and a clock that can be turned. */
import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic, manualClock, serve } from "@palimpsest/provider-simulator";

const clock = manualClock();
const server = await serve({ clock, faces: [createAnthropic({ clock })] });
const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });

const system = "You are a careful engineer. ".repeat(300);
const messages: Anthropic.MessageParam[] = [];
for (const [pauseMinutes, question] of [
  [0, "Where does the build fail?"],
  [2, "And why?"],
  [9, "Sorry, I was at lunch. Again?"],
] as const) {
  clock.advance(pauseMinutes * 60_000);
  messages.push({ role: "user", content: question });
  const { content, usage } = await client.messages.create({
    model: "claude-opus-5-5",
    max_tokens: 1_000,
    cache_control: { type: "ephemeral" },
    system,
    messages,
  });
  messages.push({ role: "assistant", content });
  const read = String(usage.cache_read_input_tokens).padStart(5);
  const written = String(usage.cache_creation_input_tokens).padStart(5);
  console.log(`after ${pauseMinutes} min: read ${read}, wrote ${written} tokens   ${question}`);
}
console.log(`together $${server.recorder.total().priceUsd.toFixed(4)}`);
await server.close();
