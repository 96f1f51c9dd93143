import type { CacheDiagnosis, Cause } from "../log/cause.ts";

type Reason = CacheDiagnosis["reason"];

/** The provider's name for each cause. The provider compares prompts, so events in its own cache have no name. */
const REASONS: Readonly<Record<Cause, readonly Reason[]>> = {
  provider: ["unknown"],
  model: ["model"],
  tools: ["tools"],
  // For services where the system prompt is part of the input.
  system: ["system", "messages"],
  betas: ["parameters"],
  parameters: ["parameters", "model", "system", "messages"],
  thinking: ["parameters"],
  effort: ["parameters"],
  "tool-choice": ["parameters"],
  images: ["messages"],
  boundary: ["messages"],
  rewind: ["messages"],
  restore: ["messages"],
  replace: ["messages"],
  "earlier-thinking": ["messages", "nowhere"],
  // The provider compares the sent content, or the part that is left of it.
  "provider-edits": ["parameters", "messages", "nowhere"],
  "cache-ttl": ["nowhere"],
  pause: ["nowhere"],
  server: ["nowhere"],
};

/**
 * Whether the provider's own diagnosis names one of our causes; undefined if it could not tell. Providers name only the
 * earliest difference.
 */
export function checkDiagnosis(causes: readonly Cause[], { reason }: CacheDiagnosis): "agrees" | "differs" | undefined {
  if (reason === "unknown") return undefined;
  return causes.some((cause) => REASONS[cause].includes(reason)) ? "agrees" : "differs";
}
