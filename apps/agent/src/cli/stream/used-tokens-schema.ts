import type { SessionEvent } from "palimpsest";
import { type FieldsOf, number, object, optional, type TypedSchema } from "../../commands/stream/typed-schema.ts";

type UsedTokens = Extract<SessionEvent, { kind: "forked" }>["used"];

export const USED_TOKENS: FieldsOf<UsedTokens> = {
  freshTokens: number("Input tokens that were neither read from the prompt cache nor written to it."),
  cacheReadTokens: number(),
  cacheWriteTokens: number(),
  outputTokens: number(),
  reasoningTokens: optional(number("The part of outputTokens spent on reasoning.")),
};

/** The tokens of a model call. */
export const usedTokens: TypedSchema<UsedTokens> = object<UsedTokens>(USED_TOKENS);
