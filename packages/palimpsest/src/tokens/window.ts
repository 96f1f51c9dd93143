export interface WindowSources {
  /** The model as the user names it: a trailing `[1m]` asks for the long window. */
  readonly model: string;
  /** The window by the table of models, the provider or the caller. */
  readonly windowTokens?: number | undefined;
  /** The input limit, where it is smaller than the window. */
  readonly maxInputTokens?: number | undefined;
  /** Beta features that the request asks for. @default none */
  readonly betas?: readonly string[];
  /** The window of an unknown model. */
  readonly fallbackTokens: number;
}

export interface FoundWindow {
  readonly tokens: number;
  /** `caller`: the name of the model, or a beta that the request asks for. */
  readonly from: "caller" | "capability" | "fallback";
}

const LONG_WINDOW_TOKENS = 1_000_000;
const LONG_WINDOW_SUFFIX = /\[1m\]$/i;
const LONG_WINDOW_BETA = /^context-1m\b/;

/** Returns the model's limit from the first source that knows it: suffix, capability, beta, setting. */
export function windowOf(sources: WindowSources): FoundWindow {
  const { model, windowTokens, maxInputTokens, betas = [], fallbackTokens } = sources;
  if (LONG_WINDOW_SUFFIX.test(model)) return { tokens: LONG_WINDOW_TOKENS, from: "caller" };
  const limits = [windowTokens, maxInputTokens].filter(isCount);
  if (limits.length > 0) return { tokens: Math.min(...limits), from: "capability" };
  if (betas.some((beta) => LONG_WINDOW_BETA.test(beta))) return { tokens: LONG_WINDOW_TOKENS, from: "caller" };
  return { tokens: fallbackTokens, from: "fallback" };
}

function isCount(tokens: number | undefined): tokens is number {
  return tokens !== undefined && Number.isInteger(tokens) && tokens > 0;
}
