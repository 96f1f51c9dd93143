import { TOOL_SEARCH, type ToolDefinition } from "../../../log/tool-definition.ts";
import { asList, asObject, type JsonObject } from "../../../schema/json-fields.ts";
import { toModelId } from "../../models.ts";
import type { RequestParts } from "../../provider.ts";
import { rememberTools } from "../../remember.ts";
import type { ResponsesItem, ResponsesRequest } from "../wire.ts";

/** The service refuses a smaller limit. */
const MINIMUM_OUTPUT_TOKENS = 16;
const MAXIMUM_CACHE_KEY_LENGTH = 64;
const SEALED_REASONING = "reasoning.encrypted_content";
/** Models without reasoning refuse requests for it. */
const NEVER_REASONS = /^(?:chatgpt-4|gpt-[34])/;

/** Earlier models refuse the options that ask for the cache comparison. */
const EXPLAINS_ITS_CACHE = /^gpt-(?:5\.[6-9]|[6-9])/;

export interface RequestOptions {
  readonly cacheDiagnostics: "asked" | "off";
}

/**
 * Renders request bodies. The service stores nothing: each request carries the whole conversation, with the sealed
 * reasoning in it. Cache marks are not needed: the service caches the newest prefix automatically.
 */
export function createRequestRenderer({
  cacheDiagnostics,
}: RequestOptions): (parts: RequestParts<ResponsesItem>) => ResponsesRequest {
  const toolsOf = rememberTools(renderTool);
  return ({
    model,
    system,
    tools,
    deferredTools = [],
    parameters,
    messages,
    maxTokens,
    session,
    previousResponseId,
  }) => {
    const id = toModelId(model);
    const all = toolsOf(tools, parameters);
    // Their definitions come with the results of searches.
    const rendered = deferredTools.length === 0 ? all : all.map((tool) => asSearch(tool as JsonObject));
    const include = [...(asList(parameters["include"]) ?? [])];
    if (!NEVER_REASONS.test(id) && !include.includes(SEALED_REASONING)) include.push(SEALED_REASONING);
    const { tools: _, include: __, ...rest } = parameters;
    const isCompared = cacheDiagnostics === "asked" && previousResponseId !== undefined && EXPLAINS_ITS_CACHE.test(id);
    const comparison = { ...asObject(rest["prompt_cache_options"]), comparison_response_id: previousResponseId };
    const request = {
      store: false,
      prompt_cache_key: session.slice(-MAXIMUM_CACHE_KEY_LENGTH),
      ...rest,
      ...(isCompared ? { prompt_cache_options: comparison } : {}),
      model: id,
      max_output_tokens: Math.max(maxTokens, MINIMUM_OUTPUT_TOKENS),
      ...(include.length === 0 ? {} : { include }),
      ...(system === "" ? {} : { instructions: system }),
      ...(rendered.length === 0 ? {} : { tools: rendered }),
      input: messages.slice(),
    };
    return request as unknown as ResponsesRequest;
  };
}

/** The service has a kind of its own for the tool that searches tools. */
function asSearch(tool: JsonObject): JsonObject {
  const { name, description, parameters } = tool;
  return name === TOOL_SEARCH ? { type: "tool_search", execution: "client", description, parameters } : tool;
}

/** Renders a function for the beginning of a request. */
export function renderTool({ name, description, inputSchema }: ToolDefinition): object {
  // Without `strict` the service assumes true, and most schemas are not written for it.
  const parameters = { type: "object", ...inputSchema };
  return { type: "function", name, ...(description === undefined ? {} : { description }), parameters, strict: false };
}
