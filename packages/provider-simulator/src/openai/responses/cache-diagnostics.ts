import { asArray, isObject, type JsonObject } from "../../json.ts";
import type { CacheOutcome } from "../../verdict.ts";
import type { Fingerprint } from "./responses-memory.ts";

export type CacheDiagnostics =
  | { readonly type: "cache_hit" | "comparison_response_not_found" | "unavailable" }
  | {
      readonly type: "cache_miss";
      readonly reason: string;
      readonly cache_missed_tokens: number;
      readonly comparison_reusable_tokens: number;
    };

/** The settings whose change loses the cache, each with the reason that names it; the first difference is reported. */
export function fingerprintSettings(request: JsonObject): Record<string, string> {
  const reasoning = isObject(request["reasoning"]) ? request["reasoning"] : {};
  const text = isObject(request["text"]) ? request["text"] : {};
  return {
    model_changed: JSON.stringify(request["model"] ?? null),
    prompt_cache_key_changed: JSON.stringify(request["prompt_cache_key"] ?? null),
    service_tier_changed: JSON.stringify(request["service_tier"] ?? "auto"),
    tools_changed: JSON.stringify(asArray(request["tools"])),
    text_format_changed: JSON.stringify(text["format"] ?? { type: "text" }),
    reasoning_effort_changed: JSON.stringify(reasoning["effort"] ?? null),
    verbosity_changed: JSON.stringify(text["verbosity"] ?? "medium"),
  };
}

/** Why this prompt did not read what the compared response had cached. The order of the reasons is ours. */
export function diagnoseCache(
  now: Fingerprint & { readonly outcome: CacheOutcome },
  compared: Fingerprint | "not-found" | "unavailable",
): CacheDiagnostics {
  if (compared === "not-found") return { type: "comparison_response_not_found" };
  if (compared === "unavailable") return { type: "unavailable" };
  const common = now.prefix.sharedLength(compared.prefix);
  const setting = Object.keys(now.settings).find((reason) => now.settings[reason] !== compared.settings[reason]);
  const grown = setting === undefined && common === compared.prefix.length;
  if (grown) return { type: now.outcome.tokensRead > 0 ? "cache_hit" : "unavailable" };
  const compacted = now.compacted === "compacted" && compared.compacted === "whole";
  const reusableTokens = setting === undefined ? now.prefix.tokensAt(common) : 0;
  return {
    type: "cache_miss",
    reason: setting ?? (compacted ? "context_compacted" : "input_changed"),
    cache_missed_tokens: now.prefix.tokens - reusableTokens,
    comparison_reusable_tokens: reusableTokens,
  };
}
