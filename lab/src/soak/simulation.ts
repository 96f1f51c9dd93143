import Anthropic from "@anthropic-ai/sdk";
import { fetchInProcess, type IdleClock } from "@palimpsest/provider-simulator";
import OpenAI from "openai";
import type { Provider } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { openaiChat, openaiResponses } from "palimpsest/openai";
import { readOverflow } from "palimpsest/provider-parts";
import { type Handled, type JudgeOptions, MODELS, type Profile, type Purpose } from "./create-judge.ts";
import { startJudge } from "./start-judge.ts";

export type AnyProvider = Provider<object, object, unknown>;

export interface SimulationOptions extends JudgeOptions {
  /** What the engine is told. */
  readonly windowTokens: number;
  readonly clock: IdleClock;
}

/** The outcome of the requests. */
export interface Judged {
  requests: number;
  /** Not valid, in the judge's eyes. None should be. */
  rejected: number;
  /** Valid and too long for the true window, which the engine has to find out. */
  overflowed: number;
  readonly rejections: string[];
  /** How often each fault was injected. */
  faults: Readonly<Record<string, number>>;
  /** How long the simulator took, in real time. */
  tookMs: number;
}

/** The strict simulator behind real clients. */
export interface Simulation {
  readonly providers: Readonly<Record<Purpose, AnyProvider>>;
  readonly model: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly judged: Judged;
  close(): Promise<unknown>;
}

export function createSimulation({ windowTokens, clock, ...options }: SimulationOptions): Simulation {
  const { profile } = options;
  const judge = startJudge(options);
  const judged: Judged = { requests: 0, rejected: 0, overflowed: 0, rejections: [], faults: {}, tookMs: 0 };

  function note({ reply, request, faults }: Handled): void {
    if (reply === undefined) return;
    judged.requests++;
    judged.faults = faults;
    const { outcome } = reply;
    if (request === "valid" || outcome.kind !== "refused") return;
    if (readOverflow(outcome) !== undefined) judged.overflowed++;
    else judged.rejections.push(`${outcome.status}: ${outcome.message}`);
    judged.rejected = judged.rejections.length;
  }

  function connect(purpose: Purpose): AnyProvider {
    const fetch = fetchInProcess({
      clock,
      face: {
        handle(call) {
          const startedAtMs = performance.now();
          const handled = judge.handle({ call, purpose, nowMs: clock.now() });
          judged.tookMs += performance.now() - startedAtMs;
          note(handled);
          return handled.reply && { ...handled.reply, begun() {} };
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
    close: judge.close,
  };
}

function createProvider(profile: Profile, windowTokens: number, fetch: typeof globalThis.fetch): AnyProvider {
  const facts = { models: { [MODELS[profile]]: { windowTokens, maxInputTokens: windowTokens } } };
  const clientOptions = { fetch, maxRetries: 0, apiKey: "none" };
  if (profile === "anthropic") {
    return anthropic(new Anthropic({ ...clientOptions, baseURL: "http://simulator" }), facts) as unknown as AnyProvider;
  }
  const client = new OpenAI({ ...clientOptions, baseURL: "http://simulator/v1" });
  const connect = profile === "openai-chat" ? openaiChat : openaiResponses;
  return connect(client, facts) as unknown as AnyProvider;
}
