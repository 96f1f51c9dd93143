import { asArray, asText, isObject, type JsonObject } from "../../json.ts";
import { isStrictJson } from "../../well-formed.ts";
import { CACHE_OPTION_SHAPES, checkCachingOptions } from "../caching-options.ts";
import { checkResponsesTools, toolNames, toolSearchOf } from "../check-tools.ts";
import { findModel, type OpenAiModel } from "../models.ts";
import {
  checkRange,
  invalidRequest,
  invalidValue,
  missingParameter,
  modelNotFound,
  type Problem,
  unparsableBody,
  unsupportedParameter,
} from "../problem.ts";
import { checkShape, invalidType, optional, optionalChoice, type Shape } from "../shape.ts";

export type ResponsesEndpoint = "create" | "count" | "compact";

const model = optional("string");
const input = optional("string", "array", "null");
const instructions = optional("string", "null");
const previous = { previous_response_id: optional("string", "null") };
const conversation = { conversation: optional("string", "object", "null") };
const caching = {
  prompt_cache_key: optional("string", "null"),
  // Codex sends it with every request (0.166).
  client_metadata: optional("object", "null"),
  prompt_cache_options: optional("object", "null"),
  prompt_cache_retention: optionalChoice("in_memory", "24h"),
};
const modelSettings = {
  parallel_tool_calls: optional("boolean", "null"),
  reasoning: optional("object", "null"),
  text: optional("object", "null"),
  tool_choice: optional("string", "object", "null"),
  tools: optional("array", "null"),
  truncation: optionalChoice("auto", "disabled"),
};

/** Every field of the three endpoints, after the types of the 7.53 client. */
const REQUESTS: Readonly<Record<ResponsesEndpoint, Shape>> = {
  create: {
    model,
    input,
    instructions,
    ...previous,
    ...conversation,
    ...caching,
    ...modelSettings,
    access_programs: optional("object", "null"),
    background: optional("boolean", "null"),
    context_management: optional("array", "null"),
    image: optional("object", "null"),
    include: optional("array", "null"),
    max_output_tokens: optional("integer", "null"),
    max_tool_calls: optional("integer", "null"),
    metadata: optional("object", "null"),
    moderation: optional("object", "null"),
    prompt: optional("object", "null"),
    safety_identifier: optional("string", "null"),
    service_tier: optionalChoice("auto", "default", "flex", "scale", "priority", "fast", "ultrafast"),
    store: optional("boolean", "null"),
    stream: optional("boolean", "null"),
    stream_options: optional("object", "null"),
    temperature: optional("number", "null"),
    top_logprobs: optional("integer", "null"),
    top_p: optional("number", "null"),
    user: optional("string", "null"),
  },
  count: {
    model: optional("string", "null"),
    input,
    instructions,
    ...previous,
    ...conversation,
    ...modelSettings,
    personality: optional("string"),
  },
  compact: {
    model,
    input,
    instructions,
    ...previous,
    ...caching,
    image: optional("object", "null"),
    service_tier: optionalChoice("auto", "default", "fast", "flex", "priority"),
  },
};

const REASONING: Shape = {
  context: optionalChoice("auto", "current_turn", "all_turns"),
  effort: optionalChoice("none", "minimal", "low", "medium", "high", "xhigh", "max"),
  generate_summary: optionalChoice("auto", "concise", "detailed"),
  mode: optional("string", "null"),
  summary: optionalChoice("auto", "concise", "detailed"),
};

const INCLUDABLE = [
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
  "code_interpreter_call.outputs",
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
];

export interface ResponsesRules {
  readonly endpoint: ResponsesEndpoint;
  readonly models: Readonly<Record<string, OpenAiModel>>;
}

export type CheckedRequest =
  | { readonly kind: "checked"; readonly request: JsonObject; readonly model: OpenAiModel }
  | { readonly kind: "problem"; readonly problem: Problem };

/** Everything about a request that can be judged without its items and without what came before it. */
export function checkResponsesRequest(request: unknown, rules: ResponsesRules): CheckedRequest {
  const problem = (found: Problem): CheckedRequest => ({ kind: "problem", problem: found });
  if (!isObject(request)) return problem(unparsableBody());
  const { input: items, ...settings } = request;
  if (!isStrictJson(settings) || (typeof items === "string" && !items.isWellFormed())) return problem(unparsableBody());
  const broken = checkShape(request, REQUESTS[rules.endpoint], { path: "" });
  if (broken !== undefined) return problem(broken);
  const id = request["model"] ?? (rules.endpoint === "count" ? Object.keys(rules.models)[0] : undefined);
  if (typeof id !== "string") return problem(missingParameter("model"));
  const found = findModel(id, rules.models);
  if (found === undefined) return problem(modelNotFound(id));
  const wrong = checkSettings(request, found, rules.endpoint);
  return wrong === undefined ? { kind: "checked", request, model: found } : problem(wrong);
}

function checkSettings(request: JsonObject, found: OpenAiModel, endpoint: ResponsesEndpoint): Problem | undefined {
  return (
    checkInputGiven(request) ??
    // 16 is the service's floor; that the model's maximum is refused in the same words is our reading.
    checkRange("max_output_tokens", request["max_output_tokens"], { min: 16, max: found.maxOutputTokens }) ??
    checkResponsesTools(request["tools"]) ??
    checkToolSearch(request, found) ??
    checkToolChoice(request) ??
    checkReasoning(request, found) ??
    checkSampling(request, found) ??
    checkContextManagement(request) ??
    checkStreamOptions(request) ??
    checkInclude(request) ??
    checkCachingOptions(request, found, CACHE_OPTION_SHAPES[endpoint === "compact" ? "compact" : "responses"])
  );
}

/** The text is the one for any missing field; which of the alternatives the service names was not seen. */
function checkInputGiven(request: JsonObject): Problem | undefined {
  const given = ["input", "previous_response_id", "conversation", "prompt"].some(
    (name) => request[name] !== undefined && request[name] !== null,
  );
  return given ? undefined : missingParameter("input");
}

/** "Only gpt-5.4 and later models support tool_search" (tool search guide); the words of the refusal were not seen. */
function checkToolSearch(request: JsonObject, found: OpenAiModel): Problem | undefined {
  if (found.toolSearch !== "refused" || toolSearchOf(request["tools"]) === "none") return undefined;
  return invalidRequest(`Tool 'tool_search' is not supported with ${found.id}.`, { param: "tools" });
}

function checkToolChoice(request: JsonObject): Problem | undefined {
  const choice = request["tool_choice"];
  const names = toolNames(request["tools"]);
  if (typeof choice === "string") {
    if (!["none", "auto", "required"].includes(choice))
      return invalidValue("tool_choice", choice, ["none", "auto", "required"]);
    if (choice === "required" && asArray(request["tools"]).length === 0) {
      return invalidRequest("Tool choice 'required' must be specified with 'tools' parameter.", {
        param: "tool_choice",
      });
    }
    return undefined;
  }
  if (!isObject(choice) || choice["type"] !== "function" || names.includes(asText(choice["name"]))) return undefined;
  return invalidRequest("Tool choice 'function' not found in 'tools' parameter.", { param: "tool_choice" });
}

function checkReasoning(request: JsonObject, found: OpenAiModel): Problem | undefined {
  const reasoning = request["reasoning"];
  if (!isObject(reasoning)) return undefined;
  const problem = checkShape(reasoning, REASONING, { path: "reasoning" });
  if (problem !== undefined) return problem;
  const effort = reasoning["effort"] ?? "none";
  return found.reasoning === "none" && effort !== "none" ? unsupportedParameter("reasoning.effort") : undefined;
}

function checkSampling(request: JsonObject, found: OpenAiModel): Problem | undefined {
  if (found.sampling === "accepted") return undefined;
  const given = ["temperature", "top_p", "top_logprobs"].find(
    (name) => request[name] !== undefined && request[name] !== null && request[name] !== 1,
  );
  return given === undefined ? undefined : unsupportedParameter(given);
}

function checkContextManagement(request: JsonObject): Problem | undefined {
  for (const [index, entry] of asArray(request["context_management"]).entries()) {
    const path = `context_management[${index}]`;
    if (!isObject(entry)) return invalidType(path, ["object"], entry);
    if (entry["type"] === undefined) return missingParameter(`${path}.type`);
    if (entry["type"] !== "compaction") return invalidValue(`${path}.type`, String(entry["type"]), ["compaction"]);
    const shape: Shape = { type: optional("string"), compact_threshold: optional("integer", "null") };
    const problem =
      checkShape(entry, shape, { path }) ??
      checkRange(`${path}.compact_threshold`, entry["compact_threshold"], { min: 1 });
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function checkStreamOptions(request: JsonObject): Problem | undefined {
  const options = request["stream_options"];
  if (!isObject(options)) return undefined;
  if (request["stream"] !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    return invalidRequest(message, { param: "stream_options" });
  }
  return checkShape(options, { include_obfuscation: optional("boolean") }, { path: "stream_options" });
}

function checkInclude(request: JsonObject): Problem | undefined {
  for (const [index, each] of asArray(request["include"]).entries()) {
    if (typeof each !== "string") return invalidType(`include[${index}]`, ["string"], each);
    if (!INCLUDABLE.includes(each)) return invalidValue(`include[${index}]`, each, INCLUDABLE);
  }
  return undefined;
}
