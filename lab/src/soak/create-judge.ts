import {
  ANTHROPIC_MODELS,
  createAnthropic,
  createOpenAiChat,
  createOpenAiResponses,
  type HttpCall,
  type HttpFace,
  type HttpReply,
  openAiModels,
  type Script,
  virtualTokenizer,
} from "@palimpsest/provider-simulator";
import { createRandom } from "../random.ts";
import { createMinds, type MindOptions } from "./minds.ts";

export const PROFILES = ["anthropic", "openai-responses", "openai-chat"] as const;
export type Profile = (typeof PROFILES)[number];

export const MODELS: Readonly<Record<Profile, string>> = {
  // Its thinking is bound to the exact conversation.
  anthropic: "claude-opus-5-5",
  "openai-responses": "gpt-6-sol",
  "openai-chat": "gpt-4.1",
};

/** Whether the model is asked in the conversation, or by the engine for something beside it. */
export type Purpose = "conversation" | "beside";

export interface JudgeOptions extends Omit<MindOptions, "random"> {
  readonly profile: Profile;
  readonly seed: string;
  /** The window that requests must fit into. */
  readonly trueWindowTokens: number;
}

/** A call, and when it is made: the judge has no clock of its own. */
export interface TimedCall {
  readonly call: HttpCall;
  readonly purpose: Purpose;
  readonly nowMs: number;
}

/** A reply whose first byte has left: plain data from then on. */
type Begun<Reply> = Reply extends HttpReply ? Omit<Reply, "begun"> : never;

/** The outcome of a call. */
export interface Handled {
  readonly reply: Begun<HttpReply> | undefined;
  /** `valid`: the model was asked, so whatever failed was made to fail. */
  readonly request: "valid" | "not-valid";
  /** How often each fault was injected so far. */
  readonly faults: Readonly<Record<string, number>>;
}

/** The strict simulator with a model that errs and a service that fails. */
export function createJudge({ profile, seed, trueWindowTokens, ...mind }: JudgeOptions): {
  handle(timed: TimedCall): Handled;
} {
  const minds = createMinds({ ...mind, random: createRandom(seed) });
  let nowMs = 0;
  let purpose: Purpose = "conversation";
  let request: Handled["request"] = "not-valid";
  const script: Script = (ask) => {
    request = "valid";
    return minds[purpose](ask);
  };
  const face = createFace({ profile, trueWindowTokens, clock: { now: () => nowMs }, script });
  return {
    handle(timed) {
      ({ nowMs, purpose } = timed);
      request = "not-valid";
      const reply = face.handle(timed.call);
      return { reply: reply && begin(reply), request, faults: minds.faults };
    },
  };
}

function begin(reply: HttpReply): Begun<HttpReply> {
  if (reply.kind === "reset") return reply;
  const { begun, ...rest } = reply;
  begun?.();
  return rest;
}

interface FaceOptions extends Pick<JudgeOptions, "profile" | "trueWindowTokens"> {
  readonly clock: { now(): number };
  readonly script: Script;
}

function createFace({ profile, trueWindowTokens, clock, script }: FaceOptions): HttpFace {
  const model = MODELS[profile];
  const size = { windowTokens: trueWindowTokens, maxInputTokens: trueWindowTokens };
  // Which the engine does not know.
  const options = { clock, script, tokenizer: virtualTokenizer(11) };
  if (profile === "anthropic") {
    const known = ANTHROPIC_MODELS.find(({ id }) => id === model)!;
    return createAnthropic({ ...options, models: [{ ...known, windowTokens: trueWindowTokens }] });
  }
  const models = { [model]: { ...openAiModels[model]!, ...size } };
  return profile === "openai-chat"
    ? createOpenAiChat({ ...options, models })
    : createOpenAiResponses({ ...options, models });
}
