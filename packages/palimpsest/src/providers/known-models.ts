import type { CacheEffects } from "../log/cause.ts";
import { ANTHROPIC_CACHE_EFFECTS } from "./anthropic/cache-effects.ts";
import { ANTHROPIC_MODELS } from "./anthropic/facts.ts";
import { ANTHROPIC } from "./anthropic/wire.ts";
import { BEDROCK_CACHE_EFFECTS } from "./bedrock/cache-effects.ts";
import { findBedrockFacts } from "./bedrock/facts.ts";
import { BEDROCK } from "./bedrock/wire.ts";
import { GEMINI_CACHE_EFFECTS } from "./gemini/cache-effects.ts";
import { GEMINI_MODELS } from "./gemini/facts.ts";
import { GEMINI } from "./gemini/wire.ts";
import { findFacts, type ModelFacts, UNKNOWN_MODEL } from "./models.ts";
import { OPENAI_CACHE_EFFECTS } from "./openai/cache-effects.ts";
import { OPENAI_MODELS } from "./openai/facts.ts";
import { OPENAI_CHAT, OPENAI_RESPONSES } from "./openai/wire.ts";

/** Facts of a model without a provider instance, for example of a model in a transcript. */
export interface KnownModel {
  /** Name of the wire form that a session with this model can continue in. */
  readonly provider: string;
  readonly facts: ModelFacts;
  /** Absent if unknown. */
  readonly cacheEffects?: CacheEffects;
}

/** Finds a model by its id, with or without a host's prefix. A model in no table has neither window nor prices. */
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
