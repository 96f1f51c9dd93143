import type { CacheBreak } from "../cost/ledger.ts";
import type { Cause } from "../log/cause.ts";

/** Names the causes of a cache miss in plain words. */
export const CACHE_CAUSES: Readonly<Record<Cause, string>> = {
  pause: "cache expired",
  provider: "another provider",
  model: "another model",
  tools: "other tools",
  system: "another system prompt",
  betas: "other beta features",
  parameters: "other request parameters",
  thinking: "another thinking setting",
  effort: "another effort setting",
  "tool-choice": "another tool choice",
  images: "first image added, or last image removed",
  boundary: "a compaction",
  rewind: "a rewind",
  restore: "an undo",
  replace: "tool results cleared",
  "provider-edits": "edits by the provider",
  "earlier-thinking": "earlier thinking dropped by the provider",
  "cache-ttl": "another cache lifetime",
  server: "no known reason",
};

/** The provider's own explanation of a cache miss. */
export const PROVIDER_SAYS: Readonly<Record<NonNullable<CacheBreak["providerSays"]>, string>> = {
  model: "the model changed",
  tools: "the tools changed",
  system: "the system prompt changed",
  messages: "the messages changed",
  parameters: "the request's parameters changed",
  nowhere: "the prompt is the same",
  unknown: "it could not compare",
};
