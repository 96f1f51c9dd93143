import type { ToolDefinition } from "../../log/payload.ts";
import { asObject, type JsonObject, present } from "../../schema/json-fields.ts";
import { fitThinking, type ThinkingRoom } from "../anthropic/fit-thinking.ts";
import { toModelId } from "../models.ts";
import type { RequestParts } from "../provider.ts";
import { rememberTools } from "../remember.ts";
import { nameDocuments } from "./name-documents.ts";
import type { BedrockBlock, BedrockMessage, BedrockRequest } from "./wire.ts";

/** The model accepts four cache points. One stands at the end of the part before the messages. */
const MAXIMUM_MESSAGE_MARKS = 3;

type Ttl = RequestParts<BedrockMessage>["cacheTtl"];

/** Renders calls. Parameters are the fields of a request; those that the session sets itself are replaced. */
export function createRequestRenderer(): (parts: RequestParts<BedrockMessage>) => BedrockRequest {
  const toolsOf = rememberTools(renderTool);
  return (parts) => {
    const { model, system, tools, parameters, messages, maxTokens, headTtl = parts.cacheTtl } = parts;
    const { toolConfig, inferenceConfig, additionalModelRequestFields: fields, ...rest } = parameters;
    const own = asObject(toolConfig) ?? {};
    const rendered = toolsOf(tools, own) as readonly JsonObject[];
    const offered = rendered.length === 0 ? placeholders(messages) : rendered;
    const point = toPoint(headTtl);
    const head = system === "" && offered.length > 0 ? [...offered, point] : offered;
    return {
      ...rest,
      modelId: toModelId(model),
      ...(system === "" ? {} : { system: [{ text: system }, point] }),
      messages: nameDocuments(markMessages(parts)),
      inferenceConfig: { ...asObject(inferenceConfig), maxTokens: Math.max(1, maxTokens) },
      ...(head.length === 0 ? {} : { toolConfig: { ...own, tools: head } }),
      ...present({
        additionalModelRequestFields: fitFields(asObject(fields), { maxTokens, openTurn: openTurnOf(messages) }),
      }),
    };
  };
}

function renderTool({ name, description, inputSchema }: ToolDefinition): object {
  const json = { ...inputSchema, type: "object" };
  return { toolSpec: { name, ...(description ? { description } : {}), inputSchema: { json } } };
}

/** The service refuses calls and results without a definition of tools, also where none may be called any more. */
function placeholders(messages: readonly BedrockMessage[]): readonly JsonObject[] {
  const names = messages.flatMap(({ content }) => content.flatMap(({ toolUse }) => toolUse?.name ?? []));
  return [...new Set(names)].map((name) => ({ toolSpec: { name, inputSchema: { json: { type: "object" } } } }));
}

function toPoint(ttl: Ttl): BedrockBlock & JsonObject {
  return { cachePoint: ttl === "1h" ? { type: "default", ttl } : { type: "default" } };
}

function markMessages({ messages, marks, cacheTtl }: RequestParts<BedrockMessage>): readonly BedrockMessage[] {
  const marked = messages.slice();
  for (const index of new Set(marks.slice(-MAXIMUM_MESSAGE_MARKS))) {
    const message = messages[index];
    if (message !== undefined) marked[index] = markMessage(message, cacheTtl);
  }
  return marked;
}

/** Returns the message with a point behind its last block that can have one; thinking cannot. */
function markMessage(message: BedrockMessage, ttl: Ttl): BedrockMessage {
  const last = message.content.findLastIndex(({ reasoningContent }) => reasoningContent === undefined);
  if (last < 0) return message;
  return { ...message, content: message.content.toSpliced(last + 1, 0, toPoint(ttl)) };
}

function fitFields(fields: JsonObject | undefined, room: ThinkingRoom): JsonObject | undefined {
  if (fields === undefined) return undefined;
  const { thinking, ...others } = fields;
  const fitted = { ...others, ...fitThinking(thinking, room) };
  return Object.keys(fitted).length === 0 ? undefined : fitted;
}

function openTurnOf(messages: readonly BedrockMessage[]): ThinkingRoom["openTurn"] {
  const last = messages.findLast(({ role }) => role === "assistant");
  const isOpen = last !== undefined && (last === messages.at(-1) || last.content.some(({ toolUse }) => toolUse));
  if (!isOpen) return "none";
  return last.content[0]?.reasoningContent === undefined ? "lacks-thinking" : "thinks";
}
