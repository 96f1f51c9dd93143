import Anthropic from "@anthropic-ai/sdk";
import {
  ANTHROPIC_MODELS,
  createAnthropic,
  createOpenAiChat,
  createOpenAiResponses,
  fetchInProcess,
  type HttpFace,
  type HttpReply,
  type IdleClock,
  openAiModels,
  type Script,
  virtualTokenizer,
} from "@palimpsest/provider-simulator";
import OpenAI from "openai";
import { type Provider, readOverflow } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { openaiChat, openaiResponses } from "palimpsest/openai";

export const PROFILES = ["anthropic", "openai-responses", "openai-chat"] as const;
export type Profile = (typeof PROFILES)[number];
export type AnyProvider = Provider<object, object, unknown>;

export interface SimulationOptions {
  readonly profile: Profile;
  /** What the engine is told. */
  readonly windowTokens: number;
  /** What a request is held to. */
  readonly trueWindowTokens: number;
  readonly clock: IdleClock;
  /** What the model says in the conversation, and what it says when the engine asks it for something beside. */
  readonly minds: Readonly<Record<Purpose, Script>>;
}

type Purpose = "conversation" | "beside";

/** What became of the requests. */
export interface Judged {
  requests: number;
  /** Not valid, in the judge's eyes. None should be. */
  rejected: number;
  /** Valid and too long for the true window, which the engine has to find out. */
  overflowed: number;
  readonly rejections: string[];
  /** How long the simulator took, in real time. */
  tookMs: number;
}

/** The strict simulator behind real clients, in one process. */
export interface Simulation {
  readonly providers: Readonly<Record<Purpose, AnyProvider>>;
  readonly model: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly judged: Judged;
}

const MODELS: Readonly<Record<Profile, string>> = {
  // Its thinking is bound to the exact conversation.
  anthropic: "claude-opus-5-5",
  "openai-responses": "gpt-6-sol",
  "openai-chat": "gpt-4.1",
};

export function createSimulation(options: SimulationOptions): Simulation {
  const { profile, windowTokens, clock, minds } = options;
  const judged: Judged = { requests: 0, rejected: 0, overflowed: 0, rejections: [], tookMs: 0 };
  let purpose: Purpose = "conversation";
  let isValid = false;
  const script: Script = (ask) => {
    isValid = true;
    return minds[purpose](ask);
  };
  const face = createFace(options, script);

  function note({ outcome }: HttpReply): void {
    judged.requests++;
    // Whatever the script was asked about had been accepted: it failed because it was made to.
    if (isValid || outcome.kind !== "refused") return;
    if (readOverflow(outcome) !== undefined) judged.overflowed++;
    else judged.rejections.push(`${outcome.status}: ${outcome.message}`);
    judged.rejected = judged.rejections.length;
  }

  function connect(of: Purpose): AnyProvider {
    const fetch = fetchInProcess({
      clock,
      face: {
        handle(call) {
          purpose = of;
          isValid = false;
          const startedAtMs = performance.now();
          const reply = face.handle(call);
          judged.tookMs += performance.now() - startedAtMs;
          if (reply !== undefined) note(reply);
          return reply;
        },
      },
    });
    return createProvider(profile, windowTokens, fetch);
  }

  return {
    providers: { conversation: connect("conversation"), beside: connect("beside") },
    model: MODELS[profile],
    parameters: profile === "anthropic" ? { thinking: { type: "adaptive" } } : {},
    judged,
  };
}

function createFace({ profile, trueWindowTokens, clock }: SimulationOptions, script: Script): HttpFace {
  const model = MODELS[profile];
  const size = { windowTokens: trueWindowTokens, maxInputTokens: trueWindowTokens };
  // Which the engine does not know.
  const terms = { clock, script, tokenizer: virtualTokenizer(11) };
  if (profile === "anthropic") {
    const known = ANTHROPIC_MODELS.find(({ id }) => id === model)!;
    return createAnthropic({ ...terms, models: [{ ...known, windowTokens: trueWindowTokens }] });
  }
  const models = { [model]: { ...openAiModels[model]!, ...size } };
  return profile === "openai-chat"
    ? createOpenAiChat({ ...terms, models })
    : createOpenAiResponses({ ...terms, models });
}

function createProvider(profile: Profile, windowTokens: number, fetch: typeof globalThis.fetch): AnyProvider {
  const facts = { models: { [MODELS[profile]]: { windowTokens, maxInputTokens: windowTokens } } };
  const terms = { fetch, maxRetries: 0, apiKey: "none" };
  if (profile === "anthropic") {
    return anthropic(new Anthropic({ ...terms, baseURL: "http://simulator" }), facts) as unknown as AnyProvider;
  }
  const client = new OpenAI({ ...terms, baseURL: "http://simulator/v1" });
  const connect = profile === "openai-chat" ? openaiChat : openaiResponses;
  return connect(client, facts) as unknown as AnyProvider;
}
