import {
  ANTHROPIC_MODELS,
  type AsyncHttpFace,
  createAnthropic,
  createGemini,
  createOpenAiChat,
  createOpenAiResponses,
  type Exchange,
  geminiModels,
  openAiModels,
  serve,
  withAsyncScript,
} from "@palimpsest/provider-simulator";
import type { Api } from "./contestant.ts";
import type { ScriptedModel } from "./scripted-model.ts";

export const MODELS: Readonly<Record<Api, string>> = {
  "anthropic-messages": "claude-sonnet-4-6",
  "openai-responses": "gpt-5.2",
  "openai-chat": "gpt-5.2",
  gemini: "gemini-2.5-pro",
};

/** A model of Chat Completions that takes `max_tokens`; newer ones refuse it. */
export const WITH_MAX_TOKENS = "gpt-4.1";

/** A request as it arrived, and when its answer left. */
export interface TimedExchange {
  readonly exchange: Exchange;
  readonly arrivedMs: number;
  readonly answeredMs: number;
}

export interface CourseServer {
  readonly url: string;
  readonly exchanges: readonly TimedExchange[];
  close(): Promise<void>;
}

/** Every service on one port, with a window of this size and the scripted model behind each. */
export async function serveCourse(model: ScriptedModel, windowTokens: number): Promise<CourseServer> {
  const exchanges: TimedExchange[] = [];
  /** By body: the same bytes twice at once are the same question. */
  const arrivals = new Map<string, number>();
  const faces = facesOf(model, windowTokens).map(
    (face): AsyncHttpFace => ({
      handle(call) {
        arrivals.set(call.body, performance.now());
        return face.handle(call);
      },
    }),
  );
  const server = await serve({
    faces,
    watch(exchange) {
      const answeredMs = performance.now();
      exchanges.push({ exchange, arrivedMs: arrivals.get(exchange.body) ?? answeredMs, answeredMs });
      arrivals.delete(exchange.body);
    },
  });
  return {
    url: server.url,
    exchanges,
    async close() {
      model.close();
      await server.close();
    },
  };
}

function facesOf({ script }: ScriptedModel, windowTokens: number): readonly AsyncHttpFace[] {
  const claude = ANTHROPIC_MODELS.find(({ id }) => id === MODELS["anthropic-messages"])!;
  const gpts = Object.fromEntries(
    [MODELS["openai-responses"], WITH_MAX_TOKENS]
      .map((id) => openAiModels[id]!)
      .map((gpt) => [gpt.id, { ...gpt, windowTokens, maxInputTokens: windowTokens }]),
  );
  const gemini = geminiModels[MODELS.gemini]!;
  const geminis = { [gemini.id]: { ...gemini, maxInputTokens: windowTokens } };
  return [
    withAsyncScript(script, (own) => createAnthropic({ script: own, models: [{ ...claude, windowTokens }] })),
    withAsyncScript(script, (own) => createOpenAiResponses({ script: own, models: gpts })),
    withAsyncScript(script, (own) => createOpenAiChat({ script: own, models: gpts })),
    withAsyncScript(script, (own) => createGemini({ script: own, models: geminis })),
  ];
}
