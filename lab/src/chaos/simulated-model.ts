import { answer, createAnthropic, type Script } from "@palimpsest/provider-simulator";
import type { Provider } from "palimpsest";
import { type AnthropicClient, anthropic } from "palimpsest/anthropic";

const SECTIONS = Array.from(
  { length: 9 },
  (_, index) => `## ${index + 1}. Part\nWhat was done in part ${index + 1}: the loader was renamed and tested twice.`,
);
const GOOD = answer(`<analysis>Going through it.</analysis>\n<summary>\n${SECTIONS.join("\n")}\n</summary>`);
const USELESS = answer("API Error: 500 internal server error");

interface SimulatedProvider {
  readonly provider: Provider<object, object, unknown>;
  readonly model: string;
}

const MODEL = "claude-opus-5-5";

/** A provider whose model runs in this process: a summary that can be used, or none. */
export function simulatedModel(isGood: () => boolean): SimulatedProvider {
  return withScript(() => (isGood() ? GOOD : USELESS), 16_000);
}

/** A provider whose model answers a conversation, and writes summaries that can be used. */
export function speakingModel({ onSummary = () => {} }: { readonly onSummary?: () => void } = {}): SimulatedProvider {
  const script: Script = ({ purpose }) => {
    if (purpose === "answer") return answer("Done.");
    onSummary();
    return GOOD;
  };
  return withScript(script, 200_000);
}

function withScript(script: Script, windowTokens: number): SimulatedProvider {
  const face = createAnthropic({ script });
  async function create(body: unknown): Promise<AsyncGenerator<unknown>> {
    const headers = { "x-api-key": "none", "anthropic-version": "2023-06-01", "content-type": "application/json" };
    const reply = face.handle({ method: "POST", path: "/v1/messages", headers, body: JSON.stringify(body) });
    if (reply?.kind !== "stream") throw new Error(`the simulator refused: ${JSON.stringify(reply?.outcome)}`);
    return events(reply.events);
  }
  const messages = { create } as unknown as AnthropicClient["messages"];
  const client = { messages, beta: { messages } } as unknown as AnthropicClient;
  return { provider: anthropic(client, { models: { [MODEL]: { windowTokens } } }) as never, model: MODEL };
}

async function* events(sent: readonly { readonly data: string }[]): AsyncGenerator<unknown> {
  for (const { data } of sent) {
    yield JSON.parse(data);
    // A summary takes its time, so that there is something to kill.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
