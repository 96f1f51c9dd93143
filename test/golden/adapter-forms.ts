import { palimpsest as createAiSdkAdapter, languageModel } from "@palimpsest/ai-sdk";
import { palimpsest as createMastraAdapter } from "@palimpsest/ai-sdk/mastra";
import { chatModel, palimpsest as createLangChainAdapter } from "@palimpsest/langchain";
import { agentsModel, palimpsest as createAgentsAdapter } from "@palimpsest/openai-agents";
import { palimpsest as createPiAdapter, piModel } from "@palimpsest/pi";
import { memoryStore, type Provider } from "palimpsest";
import { exactText } from "./exact-text.ts";
import type { Form } from "./golden-texts.ts";

/** Receives what a model of a framework is given, and ends the call at once. */
type Given = (...given: readonly unknown[]) => never;

/** What is given to the models of frameworks, as the objects that they get. */
export const ADAPTERS: Readonly<Record<string, Form>> = {
  "ai-sdk": adapter("claude-opus-5-5", (given) => {
    const model = (modelId: string) => ({ specificationVersion: "v4", modelId, doStream: given });
    return languageModel(model as never);
  }),
  "langchain, marked": adapter("claude-opus-5-5", (given) => chatModel(chat("ChatAnthropic", given))),
  "langchain, plain": adapter("gpt-6-sol", (given) => chatModel(chat("ChatOpenAI", given))),
  "openai-agents": adapter("gpt-6-sol", (given) => agentsModel(() => ({ getStreamedResponse: given }) as never)),
  pi: adapter("claude-opus-5-5", (given) => piModel(given, piModelOf as never, { options: { reasoning: "low" } })),
  // These adapters receive the same messages as the framework's own list, and put a session between the framework and the model.
  "adapter for the AI SDK": adapter("claude-opus-5-5", (given) => {
    const doGenerate = (params: unknown) => aiSdkAdapter(given).doGenerate(params);
    return languageModel((modelId) => ({ specificationVersion: "v4", modelId, doStream: doGenerate }) as never);
  }),
  "adapter for Mastra": adapter("claude-opus-5-5", (given) => {
    const doGenerate = (params: unknown) => mastraAdapter(given).doGenerate(params);
    return languageModel((modelId) => ({ specificationVersion: "v4", modelId, doStream: doGenerate }) as never);
  }),
  "adapter for LangChain": adapter("claude-opus-5-5", (given) =>
    chatModel(chat("ChatAnthropic", langChainAdapter(given))),
  ),
  "adapter for the Agents SDK": adapter("gpt-6-sol", (given) => {
    return agentsModel(() => ({ getStreamedResponse: agentsAdapter(given) }) as never);
  }),
  "adapter for pi": adapter("claude-opus-5-5", (given) => piModel(piAdapter(given), piModelOf as never)),
};

/** Options of the adapters. Each call has its own session. */
function adapterOptions() {
  return {
    store: memoryStore({ leaseMs: 0 }),
    settings: { compaction: "off" as const },
    settingsFrom: { environment: {} },
    clock: { now: () => 1_700_000_100_000 },
  };
}

function aiSdkAdapter(given: Given) {
  const model = { specificationVersion: "v4", modelId: "claude-opus-5-5", provider: "anthropic" };
  const middleware = createAiSdkAdapter(adapterOptions());
  return {
    doGenerate: (call: unknown) => {
      const params = { ...(call as object), providerOptions: { palimpsest: { session: "golden" } } };
      return middleware.wrapGenerate!({ params, model: { ...model, doGenerate: given } } as never);
    },
  };
}

function mastraAdapter(given: Given) {
  const model = { specificationVersion: "v4", modelId: "claude-opus-5-5", provider: "anthropic", doGenerate: given };
  const step = { model, tools: {}, requestContext: { get: () => ({ thread: { id: "golden" } }) } };
  const { model: wrapped, providerOptions } = createMastraAdapter(adapterOptions()).processInputStep(
    step as never,
  ) as never as {
    model: { doGenerate(params: unknown): Promise<unknown> };
    providerOptions: object;
  };
  return { doGenerate: (call: unknown) => wrapped.doGenerate({ ...(call as object), providerOptions }) };
}

function langChainAdapter(given: Given) {
  return async (call: unknown): Promise<unknown> => {
    const { bound: [tools] = [[]], sent } = call as {
      bound?: readonly unknown[][];
      sent: readonly [readonly unknown[]];
    };
    const [systemMessage, ...messages] = sent[0];
    const model = { model: "claude-opus-5-5", getName: () => "ChatAnthropic" };
    const runtime = { configurable: { thread_id: "golden" } };
    const request = { model, systemMessage, messages, tools, runtime, modelSettings: {} };
    return createLangChainAdapter(adapterOptions()).wrapModelCall!(request as never, given as never);
  };
}

function agentsAdapter(given: Given) {
  return (request: unknown) => {
    const model = { getStreamedResponse: given };
    return createAgentsAdapter(adapterOptions())
      .model(model as never, "gpt-6-sol", "golden")
      .getStreamedResponse(request as never);
  };
}

function piAdapter(given: Given) {
  return createPiAdapter(adapterOptions()).stream(given);
}

async function givenBy(create: (given: Given) => unknown, request: unknown): Promise<readonly unknown[]> {
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

function chat(name: string, given: (call: unknown) => unknown) {
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
