import type { ToolDefinition } from "../../../log/payload.ts";
import { toModelId } from "../../models.ts";
import type { RequestParts } from "../../provider.ts";
import { rememberTools } from "../../remember.ts";
import type { ChatMessage, ChatRequest } from "../wire.ts";

const MAXIMUM_CACHE_KEY_LENGTH = 64;

export interface RequestOptions {
  readonly dialect: "openai" | "compatible";
  readonly systemRole: "system" | "developer";
}

/** Renders request bodies. This form has no cache marks: its servers cache prefixes automatically, or not at all. */
export function createRequestRenderer({
  dialect,
  systemRole,
}: RequestOptions): (parts: RequestParts<ChatMessage>) => ChatRequest {
  const toolsOf = rememberTools(renderTool);
  return ({ model, system, tools, parameters, messages, maxTokens, session }) => {
    const rendered = toolsOf(tools, parameters);
    // The session limits the output itself. A second limit from the caller would be refused, or too large.
    const { tools: _, max_tokens: __, max_completion_tokens: ___, ...rest } = parameters;
    const limit = Math.max(1, maxTokens);
    const ofDialect =
      dialect === "openai"
        ? { prompt_cache_key: session.slice(-MAXIMUM_CACHE_KEY_LENGTH), max_completion_tokens: limit }
        : { max_tokens: limit };
    const request = {
      ...ofDialect,
      ...rest,
      model: toModelId(model),
      ...(rendered.length === 0 ? {} : { tools: rendered }),
      messages: system === "" ? messages.slice() : [{ role: systemRole, content: system }, ...messages],
    };
    return request as unknown as ChatRequest;
  };
}

function renderTool({ name, description, inputSchema }: ToolDefinition): object {
  const parameters = { type: "object", ...inputSchema };
  return { type: "function", function: { name, ...(description === undefined ? {} : { description }), parameters } };
}
