// Renders calls of a chat model, with cache marks.

import type { ToolDefinition } from "palimpsest";
import { type RequestParts, rememberTools } from "palimpsest/provider-parts";
import { asObject, type JsonObject, present } from "palimpsest/schema";
import type { ChatModel, LangChainMessage, LangChainRequest } from "./wire.ts";

type Ttl = RequestParts<LangChainMessage>["cacheTtl"];

/** Returns the fields that mark the end of a section worth caching; undefined for services that need no marks. */
export type CacheMark = (model: ChatModel, ttl: Ttl) => JsonObject | undefined;

/** The marks of the models that need them. */
export function usualMark(model: ChatModel, ttl: Ttl): JsonObject | undefined {
  if (model.getName() !== "ChatAnthropic") return undefined;
  return { cache_control: { type: "ephemeral", ...(ttl === "1h" ? { ttl } : {}) } };
}

export interface RequestOptions {
  readonly findModel: (id: string) => ChatModel;
  readonly cacheMark: CacheMark;
}

/** Creates the function that renders calls. Each call has the whole conversation. */
export function createRequestRenderer({
  findModel,
  cacheMark,
}: RequestOptions): (parts: RequestParts<LangChainMessage>) => LangChainRequest {
  const toolsOf = rememberTools(renderTool);
  return ({ model, system, tools, parameters, messages, marks, cacheTtl, headTtl = cacheTtl }) => {
    const chat = findModel(model);
    const mark = cacheMark(chat, cacheTtl);
    const marked = [...messages];
    for (const index of mark === undefined ? [] : marks.slice(-MAXIMUM_MESSAGE_MARKS)) {
      if (marked[index] !== undefined) marked[index] = withMark(marked[index], mark);
    }
    const before: LangChainMessage = {
      type: "system",
      content: [{ type: "text", text: system, ...cacheMark(chat, headTtl) }],
    };
    return {
      model,
      ...(system === "" ? {} : { system: before }),
      messages: marked,
      tools: toolsOf(tools, parameters),
      settings: asObject(parameters["settings"]) ?? {},
    };
  };
}

/** The number of marks in the messages. Services accept four marks, and one marks the end of the system prompt and tools. */
const MAXIMUM_MESSAGE_MARKS = 3;
/** The types of parts that cannot carry a mark. */
const UNMARKED: readonly unknown[] = ["thinking", "redacted_thinking"];

function renderTool({ name, description, inputSchema }: ToolDefinition): object {
  const parameters = { type: "object", ...inputSchema };
  return { type: "function", function: { name, ...present({ description }), parameters } };
}

function withMark(message: LangChainMessage, mark: JsonObject | undefined): LangChainMessage {
  const last = message.content.at(-1);
  if (last === undefined || UNMARKED.includes(last["type"])) return message;
  return { ...message, content: [...message.content.slice(0, -1), { ...last, ...mark }] };
}
