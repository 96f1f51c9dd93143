import type { CacheEffects } from "../log/cause.ts";
import { ANTHROPIC, ANTHROPIC_CACHE_EFFECTS, ANTHROPIC_MODELS } from "./anthropic/facts.ts";
import { BEDROCK_CACHE_EFFECTS, findBedrockFacts } from "./bedrock/facts.ts";
import { BEDROCK } from "./bedrock/wire.ts";
import { GEMINI, GEMINI_CACHE_EFFECTS, GEMINI_MODELS } from "./gemini/facts.ts";
import { findFacts, type ModelFacts, UNKNOWN_MODEL } from "./models.ts";
import { OPENAI_CACHE_EFFECTS, OPENAI_CHAT, OPENAI_MODELS, OPENAI_RESPONSES } from "./openai/facts.ts";

/**
 * Finds a model by its id, with or without a host's prefix. A model that no table has comes without window and prices.
 */
export function knownModel(model: string): KnownModel {
  if (/(^|[/.])anthropic\.claude/i.test(model)) {
    return { provider: BEDROCK, facts: findBedrockFacts(model), cacheEffects: BEDROCK_CACHE_EFFECTS };
  }
  if (/claude/i.test(model)) {
    const facts = findFacts(model, { table: ANTHROPIC_MODELS });
    return { provider: ANTHROPIC, facts, cacheEffects: ANTHROPIC_CACHE_EFFECTS };
  }
  if (/(^|[/.])(gpt|o\d|codex)/i.test(model)) {
    const facts = findFacts(model, { table: OPENAI_MODELS });
    return { provider: OPENAI_RESPONSES, facts, cacheEffects: OPENAI_CACHE_EFFECTS };
  }
  if (/(^|[/.])gemini/i.test(model)) {
    const facts = findFacts(model, { table: GEMINI_MODELS });
    return { provider: GEMINI, facts, cacheEffects: GEMINI_CACHE_EFFECTS };
  }
  return { provider: OPENAI_CHAT, facts: UNKNOWN_MODEL };
}

/** A model that was found by its id, without a client of its provider: for example, a model in a transcript. */
export interface KnownModel {
  /** Name of the wire form that a session with this model can continue in. */
  readonly provider: string;
  readonly facts: ModelFacts;
  /** Absent if unknown. */
  readonly cacheEffects?: CacheEffects;
}
