import { answer, createAnthropic, type Reply } from "@palimpsest/provider-simulator";
import type { Provider } from "palimpsest";
import { type AnthropicClient, anthropic } from "palimpsest/anthropic";

const SECTIONS = Array.from(
  { length: 9 },
  (_, index) => `## ${index + 1}. Part\nWhat was done in part ${index + 1}: the loader was renamed and tested twice.`,
);
const GOOD = answer(`<analysis>Going through it.</analysis>\n<summary>\n${SECTIONS.join("\n")}\n</summary>`);
const USELESS = answer("API Error: 500 internal server error");

/** A provider whose model runs in this process: a summary that can be used, or none. */
export function simulatedModel(isGood: () => boolean): { provider: Provider<object, object, unknown>; model: string } {
  const model = "claude-opus-5-5";
  const face = createAnthropic({ script: (): Reply => (isGood() ? GOOD : USELESS) });
  async function create(body: unknown): Promise<AsyncGenerator<unknown>> {
    const headers = { "x-api-key": "none", "anthropic-version": "2023-06-01", "content-type": "application/json" };
    const reply = face.handle({ method: "POST", path: "/v1/messages", headers, body: JSON.stringify(body) });
    if (reply?.kind !== "stream") throw new Error(`the simulator refused: ${JSON.stringify(reply?.outcome)}`);
    return events(reply.events);
  }
  const messages = { create } as unknown as AnthropicClient["messages"];
  const client = { messages, beta: { messages } } as unknown as AnthropicClient;
  return { provider: anthropic(client, { models: { [model]: { windowTokens: 16_000 } } }) as never, model };
}

async function* events(sent: readonly { readonly data: string }[]): AsyncGenerator<unknown> {
  for (const { data } of sent) {
    yield JSON.parse(data);
    // A summary takes its time, so that there is something to kill.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
