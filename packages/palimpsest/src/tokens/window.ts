export interface WindowSources {
  /** As the user names it: `[1m]` at its end asks for the long window. */
  readonly model: string;
  /** What the table of models, the provider or the caller says. */
  readonly windowTokens?: number | undefined;
  /** Where less input is taken than the window holds, that is what can be filled. */
  readonly maxInputTokens?: number | undefined;
  /** Beta features that the request asks for. @default none */
  readonly betas?: readonly string[];
  /** Of a model that nobody knows. */
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

/** The model's limit, from the first source that knows: suffix, capability, beta, setting. */
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
