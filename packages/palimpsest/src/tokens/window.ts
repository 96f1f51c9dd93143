export interface WindowSources {
  /** As the user names it: `[1m]` at its end asks for the long window. */
  readonly model: string;
  /** What the table of models, or the provider, says. */
  readonly capabilityTokens?: number | undefined;
  /** Beta features that the request asks for. @default none */
  readonly betas?: readonly string[];
  /** Of a model that nobody knows. */
  readonly fallbackTokens: number;
}

const LONG_WINDOW_TOKENS = 1_000_000;
const LONG_WINDOW_SUFFIX = /\[1m\]$/i;
const LONG_WINDOW_BETA = /^context-1m\b/;

/** The model's limit, from the first source that knows: suffix, capability, beta, setting. */
export function windowOf({ model, capabilityTokens, betas = [], fallbackTokens }: WindowSources): number {
  if (LONG_WINDOW_SUFFIX.test(model)) return LONG_WINDOW_TOKENS;
  if (isCount(capabilityTokens)) return capabilityTokens;
  if (betas.some((beta) => LONG_WINDOW_BETA.test(beta))) return LONG_WINDOW_TOKENS;
  return fallbackTokens;
}

function isCount(tokens: number | undefined): tokens is number {
  return tokens !== undefined && Number.isInteger(tokens) && tokens > 0;
}
