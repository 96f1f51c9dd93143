import { isObject, type JsonObject } from "../json.ts";
import type { CachingOptions } from "../plan-cache.ts";
import type { BreakpointLifetime } from "../prompt.ts";
import type { OpenAiModel } from "./models.ts";
import { invalidRequest, type Problem, unsupportedParameter } from "./problem.ts";
import { checkShape, invalidType, optional, optionalChoice, requiredChoice, type Shape } from "./shape.ts";

/** Which of the caching options an endpoint knows: comparison and prewarming belong to Responses alone. */
export const CACHE_OPTION_SHAPES: Readonly<Record<"responses" | "compact" | "chat", Shape>> = {
  responses: {
    mode: optionalChoice("implicit", "explicit"),
    ttl: optionalChoice("30m", "12h"),
    comparison_response_id: optional("string", "null"),
    prewarm: optional("boolean", "null"),
  },
  compact: { mode: optionalChoice("implicit", "explicit"), ttl: optionalChoice("30m") },
  chat: { mode: optionalChoice("implicit", "explicit"), ttl: optionalChoice("30m") },
};

/** Refuses caching options that are misspelled, or that the model does not have. */
export function checkCachingOptions(request: JsonObject, model: OpenAiModel, shape: Shape): Problem | undefined {
  const options = request["prompt_cache_options"];
  if (isObject(options)) {
    if (model.cache.kind !== "breakpoints") return unsupportedParameter("prompt_cache_options");
    const problem = checkShape(options, shape, { path: "prompt_cache_options" });
    if (problem !== undefined) return problem;
  }
  // "For gpt-5.5 and future models, only 24h is supported" (types of the client); the wording follows its siblings.
  if (request["prompt_cache_retention"] === "in_memory" && model.cache.kind === "breakpoints") {
    const message =
      "Unsupported value: 'prompt_cache_retention' does not support 'in_memory' with this model. Supported values are: '24h'.";
    return invalidRequest(message, { param: "prompt_cache_retention", code: "unsupported_value" });
  }
  return undefined;
}

export function readCachingOptions(request: JsonObject): CachingOptions {
  const options = isObject(request["prompt_cache_options"]) ? request["prompt_cache_options"] : {};
  return {
    mode: options["mode"] === "explicit" ? "explicit" : "implicit",
    ttl: options["ttl"] === "12h" ? "12h" : "30m",
    retention: request["prompt_cache_retention"] === "24h" ? "24h" : "in_memory",
  };
}

const BREAKPOINT: Shape = { mode: requiredChoice("explicit"), ttl: optionalChoice("30m", "12h") };

export function checkBreakpoint(part: JsonObject, path: string): Problem | undefined {
  const breakpoint = part["prompt_cache_breakpoint"];
  if (breakpoint === undefined || breakpoint === null) return undefined;
  const at = `${path}.prompt_cache_breakpoint`;
  return isObject(breakpoint)
    ? checkShape(breakpoint, BREAKPOINT, { path: at })
    : invalidType(at, ["object"], breakpoint);
}

/** The breakpoint of a content part, to be spread into its block. */
export function breakpointOf(part: JsonObject): { breakpoint?: BreakpointLifetime } {
  const breakpoint = part["prompt_cache_breakpoint"];
  if (!isObject(breakpoint)) return {};
  const ttl = breakpoint["ttl"];
  return { breakpoint: ttl === "12h" || ttl === "30m" ? ttl : "inherited" };
}
