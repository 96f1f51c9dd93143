import type { CacheEffects } from "../log/cause.ts";
import { ANTHROPIC_CACHE_EFFECTS } from "./anthropic/cache-effects.ts";
import { ANTHROPIC_MODELS } from "./anthropic/models.ts";
import { ANTHROPIC } from "./anthropic/wire.ts";
import { findFacts, type ModelFacts, UNKNOWN_MODEL } from "./models.ts";
import { OPENAI_CACHE_EFFECTS } from "./openai/cache-effects.ts";
import { OPENAI_MODELS } from "./openai/models.ts";
import { OPENAI_CHAT, OPENAI_RESPONSES } from "./openai/wire.ts";

/** What is known of a model without a provider at hand: of one in a transcript, for example. */
export interface KnownModel {
  /** In whose form a session with it can go on. */
  readonly provider: string;
  readonly facts: ModelFacts;
  /** Absent where nobody has said. */
  readonly cacheEffects?: CacheEffects;
}

/** By its id, with or without the prefix of a host. Of a model in no table, neither window nor prices are known. */
export function knownModel(model: string): KnownModel {
  if (/claude/i.test(model)) {
    const facts = findFacts(model, { table: ANTHROPIC_MODELS });
    return { provider: ANTHROPIC, facts, cacheEffects: ANTHROPIC_CACHE_EFFECTS };
  }
  if (/(^|[/.])(gpt|o\d|codex)/i.test(model)) {
    const facts = findFacts(model, { table: OPENAI_MODELS });
    return { provider: OPENAI_RESPONSES, facts, cacheEffects: OPENAI_CACHE_EFFECTS };
  }
  return { provider: OPENAI_CHAT, facts: UNKNOWN_MODEL };
}
