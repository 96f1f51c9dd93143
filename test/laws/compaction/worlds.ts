import Anthropic from "@anthropic-ai/sdk";
import {
  ANTHROPIC_MODELS,
  type Ask,
  answer,
  compatibleProfiles,
  createAnthropic,
  createOpenAiChat,
  createOpenAiResponses,
  fetchInProcess,
  type HttpFace,
  type IdleClock,
  openAiModels,
  type Reply,
  type Script,
  virtualTokenizer,
} from "@palimpsest/provider-simulator";
import OpenAI from "openai";
import type { Provider } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { openaiChat, openaiResponses } from "palimpsest/openai";
import type { Summarizer } from "./summarizers.ts";

export const PROFILES = [
  "Anthropic, thinking bound",
  "Anthropic, thinking free",
  "OpenAI Responses",
  "OpenAI Chat",
  "llama.cpp",
] as const;
export type Profile = (typeof PROFILES)[number];

export interface WorldOptions {
  readonly profile: Profile;
  /** What the engine is told. */
  readonly windowTokens: number;
  /** What the server holds a request to: less than it says, for some. @default windowTokens */
  readonly trueWindowTokens?: number;
  /** Of the tokenizer, which the engine does not know. */
  readonly seed: number;
  readonly clock: IdleClock;
  readonly summarizer: Summarizer;
}

/** A provider with its real client, and the strict simulator behind it, in one process. */
export interface World {
  readonly provider: Provider<object, object, unknown>;
  readonly model: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** What the model says next in the conversation itself; whatever else it is asked goes to the summarizer. */
  reply: Reply | undefined;
  /** How often the summarizer was asked. */
  readonly asked: () => number;
}

export function createWorld(options: WorldOptions): World {
  const { profile, windowTokens, trueWindowTokens = windowTokens, seed, clock, summarizer } = options;
  let asked = 0;
  let eventMs = 0;
  const script: Script = (ask: Ask) => {
    if (world.reply !== undefined) return world.reply;
    const { reply, eventMs: pace = 0 } = summarizer(ask, asked++);
    eventMs = pace;
    return reply;
  };
  const limits: RequestLimits = { windowTokens, trueWindowTokens, script, tokenizer: virtualTokenizer(seed), clock };
  const made = make(profile, limits, (face) =>
    fetchInProcess({
      face: {
        handle(call) {
          eventMs = 0;
          return face.handle(call);
        },
      },
      clock,
      eventMs: () => eventMs,
    }),
  );
  const world: World = { ...made, reply: answer("Done."), asked: () => asked };
  return world;
}

interface RequestLimits {
  readonly windowTokens: number;
  readonly trueWindowTokens: number;
  readonly script: Script;
  readonly tokenizer: ReturnType<typeof virtualTokenizer>;
  readonly clock: IdleClock;
}

type Made = Pick<World, "provider" | "model" | "parameters">;
type MakeFetch = (face: HttpFace) => typeof fetch;

const URL = { baseURL: "http://simulator", maxRetries: 0, apiKey: "none" };

function make(profile: Profile, limits: RequestLimits, makeFetch: MakeFetch): Made {
  switch (profile) {
    case "Anthropic, thinking bound":
      return makeAnthropic("claude-opus-5-5", { thinking: { type: "adaptive" } }, limits, makeFetch);
    case "Anthropic, thinking free":
      return makeAnthropic("claude-opus-5", { thinking: { type: "adaptive" } }, limits, makeFetch);
    case "OpenAI Responses": {
      const model = "gpt-6-sol";
      const face = createOpenAiResponses({ ...limits, models: { [model]: sized(model, limits.trueWindowTokens) } });
      const client = new OpenAI({ ...URL, baseURL: "http://simulator/v1", fetch: makeFetch(face) });
      return { provider: openaiResponses(client, factsOf(model, limits)) as never, model, parameters: {} };
    }
    case "OpenAI Chat": {
      const model = "gpt-4.1";
      const face = createOpenAiChat({ ...limits, models: { [model]: sized(model, limits.trueWindowTokens) } });
      const client = new OpenAI({ ...URL, baseURL: "http://simulator/v1", fetch: makeFetch(face) });
      return { provider: openaiChat(client, factsOf(model, limits)) as never, model, parameters: {} };
    }
    case "llama.cpp": {
      const known = compatibleProfiles["llama.cpp"];
      const size = { windowTokens: limits.trueWindowTokens, maxInputTokens: limits.trueWindowTokens };
      const face = createOpenAiChat({ ...limits, profile: { ...known, model: { ...known.model!, ...size } } });
      const client = new OpenAI({ ...URL, baseURL: "http://simulator/v1", fetch: makeFetch(face) });
      const options = { ...factsOf("local", limits), dialect: "compatible" } as const;
      return { provider: openaiChat(client, options) as never, model: "local", parameters: {} };
    }
  }
}

function makeAnthropic(
  model: string,
  parameters: Made["parameters"],
  limits: RequestLimits,
  makeFetch: MakeFetch,
): Made {
  const known = ANTHROPIC_MODELS.find(({ id }) => id === model)!;
  const face = createAnthropic({ ...limits, models: [{ ...known, windowTokens: limits.trueWindowTokens }] });
  const client = new Anthropic({ ...URL, fetch: makeFetch(face) });
  return { provider: anthropic(client, factsOf(model, limits)) as never, model, parameters };
}

function factsOf(model: string, { windowTokens }: RequestLimits) {
  return { models: { [model]: { windowTokens, maxInputTokens: windowTokens } } };
}

function sized(model: string, windowTokens: number) {
  return { ...openAiModels[model]!, windowTokens, maxInputTokens: windowTokens };
}
