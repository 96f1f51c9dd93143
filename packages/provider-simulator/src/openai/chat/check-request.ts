import { asArray, isObject, type JsonObject } from "../../json.ts";
import { isStrictJson } from "../../well-formed.ts";
import { CACHE_OPTION_SHAPES, checkCachingOptions } from "../caching-options.ts";
import { checkChatTools } from "../check-tools.ts";
import type { OpenAiModel } from "../models.ts";
import {
  checkRange,
  emptyArray,
  invalidRequest,
  invalidValue,
  missingParameter,
  type Problem,
  unparsableBody,
  unsupportedParameter,
} from "../problem.ts";
import { checkShape, optional, optionalChoice, required, type Shape } from "../shape.ts";

/** Every field, after the types of the 7.53 client. */
const REQUEST: Shape = {
  messages: required("array"),
  model: optional("string"),
  audio: optional("object", "null"),
  frequency_penalty: optional("number", "null"),
  function_call: optional("string", "object", "null"),
  functions: optional("array", "null"),
  logit_bias: optional("object", "null"),
  logprobs: optional("boolean", "null"),
  max_completion_tokens: optional("integer", "null"),
  max_tokens: optional("integer", "null"),
  metadata: optional("object", "null"),
  modalities: optional("array", "null"),
  moderation: optional("object", "null"),
  n: optional("integer", "null"),
  parallel_tool_calls: optional("boolean", "null"),
  prediction: optional("object", "null"),
  presence_penalty: optional("number", "null"),
  prompt_cache_key: optional("string", "null"),
  prompt_cache_options: optional("object", "null"),
  prompt_cache_retention: optionalChoice("in_memory", "24h"),
  reasoning_effort: optionalChoice("none", "minimal", "low", "medium", "high", "xhigh", "max"),
  response_format: optional("object", "null"),
  safety_identifier: optional("string", "null"),
  seed: optional("integer", "null"),
  service_tier: optionalChoice("auto", "default", "flex", "scale", "priority", "fast"),
  stop: optional("string", "array", "null"),
  store: optional("boolean", "null"),
  stream: optional("boolean", "null"),
  stream_options: optional("object", "null"),
  temperature: optional("number", "null"),
  tool_choice: optional("string", "object", "null"),
  tools: optional("array", "null"),
  top_logprobs: optional("integer", "null"),
  top_p: optional("number", "null"),
  user: optional("string", "null"),
  verbosity: optionalChoice("low", "medium", "high"),
  web_search_options: optional("object", "null"),
};

export interface ChatRules {
  readonly unknownFields: "refused" | "ignored";
}

/** The request's own fields, before its model is known. */
export function checkChatShape(request: unknown, { unknownFields }: ChatRules): Problem | undefined {
  if (!isObject(request)) return unparsableBody();
  const { messages, ...settings } = request;
  if (!isStrictJson(settings)) return unparsableBody();
  // This endpoint words a missing model differently from any other missing field.
  if (request["model"] === undefined || request["model"] === null || request["model"] === "") {
    return invalidRequest("you must provide a model parameter");
  }
  const problem = checkShape(request, REQUEST, { path: "", unknownFields });
  if (problem !== undefined) return problem;
  return Array.isArray(messages) && messages.length === 0 ? emptyArray("messages") : undefined;
}

/** What depends on the model. */
export function checkChatSettings(request: JsonObject, model: OpenAiModel, rules: ChatRules): Problem | undefined {
  return (
    checkOutputLimits(request, model) ??
    checkSampling(request, model) ??
    checkChatTools(request["tools"], rules.unknownFields) ??
    checkToolChoice(request) ??
    checkStreamOptions(request, rules) ??
    checkFormat(request) ??
    (rules.unknownFields === "ignored" ? undefined : checkCachingOptions(request, model, CACHE_OPTION_SHAPES.chat))
  );
}

export function outputLimitOf(request: JsonObject): number | undefined {
  const limit = request["max_completion_tokens"] ?? request["max_tokens"];
  return typeof limit === "number" ? limit : undefined;
}

function checkOutputLimits(request: JsonObject, model: OpenAiModel): Problem | undefined {
  if (model.reasoning === "always" && typeof request["max_tokens"] === "number" && model.sampling === "refused") {
    return unsupportedParameter("max_tokens", "max_completion_tokens");
  }
  const name = typeof request["max_completion_tokens"] === "number" ? "max_completion_tokens" : "max_tokens";
  const limit = outputLimitOf(request);
  if (limit === undefined) return undefined;
  if (limit > model.maxOutputTokens) {
    const message = `${name} is too large: ${limit}. This model supports at most ${model.maxOutputTokens} completion tokens, whereas you provided ${limit}.`;
    return invalidRequest(message, { param: name, code: "invalid_value" });
  }
  return checkRange(name, limit, { min: 1 });
}

/** Newer models take the defaults and nothing else. */
function checkSampling(request: JsonObject, model: OpenAiModel): Problem | undefined {
  const single = model.sampling === "refused" ? ["temperature", "top_p", "n"] : ["n"];
  const odd = single.find((name) => typeof request[name] === "number" && request[name] !== 1);
  if (odd !== undefined) {
    const message = `Unsupported value: '${odd}' does not support ${request[odd]} with this model. Only the default (1) value is supported.`;
    return invalidRequest(message, { param: odd, code: "unsupported_value" });
  }
  const penalty = ["frequency_penalty", "presence_penalty", "logprobs", "logit_bias"].find(
    (name) => request[name] !== undefined && request[name] !== null && request[name] !== 0 && request[name] !== false,
  );
  return model.sampling === "refused" && penalty !== undefined ? unsupportedParameter(penalty) : undefined;
}

function checkToolChoice(request: JsonObject): Problem | undefined {
  const choice = request["tool_choice"];
  if (choice === undefined || choice === null) return undefined;
  if (asArray(request["tools"]).length === 0) {
    const message = "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.";
    return invalidRequest(message, { param: "tool_choice" });
  }
  const words = ["none", "auto", "required"];
  return typeof choice === "string" && !words.includes(choice) ? invalidValue("tool_choice", choice, words) : undefined;
}

function checkStreamOptions(request: JsonObject, { unknownFields }: ChatRules): Problem | undefined {
  const options = request["stream_options"];
  if (!isObject(options)) return undefined;
  if (request["stream"] !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    return invalidRequest(message, { param: "stream_options" });
  }
  const shape: Shape = { include_usage: optional("boolean"), include_obfuscation: optional("boolean") };
  return checkShape(options, shape, { path: "stream_options", unknownFields });
}

/** deep-research-py#19. */
function checkFormat(request: JsonObject): Problem | undefined {
  const format = request["response_format"];
  if (!isObject(format)) return undefined;
  const supported = ["json_object", "json_schema", "text"];
  if (format["type"] === undefined) return missingParameter("response_format.type");
  if (supported.includes(String(format["type"]))) return undefined;
  return invalidValue("response_format.type", String(format["type"]), supported);
}
