import { languageModel } from "@palimpsest/ai-sdk";
import { chatModel } from "@palimpsest/langchain";
import { agentsModel } from "@palimpsest/openai-agents";
import { piModel } from "@palimpsest/pi";
import type { Provider } from "palimpsest";
import { exactText } from "./exact-text.ts";
import type { Form } from "./golden-texts.ts";

/** What a framework is given. Its models end the call at once. */
type Given = (...given: readonly unknown[]) => never;

/** What is given to the models of frameworks, as the objects that they get. */
export const ADAPTERS: Readonly<Record<string, Form>> = {
  "ai-sdk": adapter("claude-opus-5-5", (given) => {
    const model = (modelId: string) => ({ specificationVersion: "v4", modelId, doStream: given });
    return languageModel(model as never, { headers: () => undefined });
  }),
  "langchain, marked": adapter("claude-opus-5-5", (given) => chatModel(chat("ChatAnthropic", given))),
  "langchain, plain": adapter("gpt-6-sol", (given) => chatModel(chat("ChatOpenAI", given))),
  "openai-agents": adapter("gpt-6-sol", (given) => {
    return agentsModel(() => ({ getStreamedResponse: given }) as never);
  }),
  pi: adapter("claude-opus-5-5", (given) => piModel(given, piModelOf as never, { options: { reasoning: "low" } })),
};

/** The same as what the frameworks are given, for those who pass it on. */
export async function givenBy(create: (given: Given) => unknown, request: unknown): Promise<readonly unknown[]> {
  let all: readonly unknown[] | undefined;
  const provider = create((...given) => {
    all = given;
    throw new Error("This model does not answer.");
  }) as Provider;
  await provider
    .send(request)
    .next()
    .catch(() => {});
  if (all === undefined) throw new Error("The framework was given nothing.");
  return all;
}

function adapter(model: string, create: (given: Given) => unknown): Form {
  const provider = create(() => {
    throw new Error("This provider only renders.");
  }) as Form["provider"];
  return { model, provider, sent: async (request) => exactText(await givenBy(create, request)) };
}

function chat(name: string, given: Given) {
  const model = (id: string) => ({
    model: id,
    getName: () => name,
    bindTools: (...bound: readonly unknown[]) => ({ stream: (...sent: readonly unknown[]) => given({ bound, sent }) }),
    stream: (...sent: readonly unknown[]) => given({ sent }),
  });
  return model as never;
}

function piModelOf(id: string) {
  return {
    id,
    name: id,
    api: "anthropic-messages",
    provider: "anthropic",
    baseUrl: "http://simulator",
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 200_000,
    maxTokens: 8_000,
  };
}
