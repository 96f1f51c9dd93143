import type { Block, CacheControl, Tool } from "../anthropic/request.ts";
import { asArray, type JsonObject } from "../json.ts";
import type { CachePoint, ContentBlock, ConverseRequest, Document, ToolMember } from "./request.ts";

export interface ClaudeCall {
  readonly request: JsonObject;
  readonly betas: readonly string[];
}

/** The request as the model gets it: the same conversation in its own form, with points as marks on the block before them. */
export function toClaude(
  { messages = [], system = [], inferenceConfig = {}, toolConfig, additionalModelRequestFields = {} }: ConverseRequest,
  { id, maxOutputTokens }: { readonly id: string; readonly maxOutputTokens: number },
): ClaudeCall {
  const { anthropic_beta: betas, anthropic_version: _, ...fields } = additionalModelRequestFields;
  const { maxTokens, temperature, topP, stopSequences } = inferenceConfig;
  const request = {
    ...fields,
    model: id,
    // Without a limit, the model's own counts (inference parameters guide).
    max_tokens: maxTokens ?? maxOutputTokens,
    ...present({ temperature, top_p: topP, stop_sequences: stopSequences }),
    ...(system.length === 0 ? {} : { system: marked(system, toBlock) }),
    ...(toolConfig === undefined ? {} : { tools: marked(toolConfig.tools, toTool) }),
    ...present({ tool_choice: toToolChoice(toolConfig?.toolChoice) }),
    messages: messages.map(({ role, content }) => ({ role, content: marked(content, toBlock) })),
  };
  return { request, betas: asArray(betas).map(String) };
}

function present(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function marked<Item extends { readonly cachePoint?: CachePoint }, Out extends object>(
  items: readonly Item[],
  convert: (item: Item) => Out,
): (Out & { cache_control?: CacheControl })[] {
  const converted: (Out & { cache_control?: CacheControl })[] = [];
  for (const item of items) {
    const last = converted.at(-1);
    if (item.cachePoint === undefined) converted.push(convert(item));
    else if (last !== undefined) converted[converted.length - 1] = { ...last, cache_control: toMark(item.cachePoint) };
  }
  return converted;
}

function toMark({ ttl }: CachePoint): CacheControl {
  return ttl === undefined ? { type: "ephemeral" } : { type: "ephemeral", ttl };
}

function toTool({ toolSpec, systemTool }: ToolMember): Tool {
  if (toolSpec === undefined) return { name: String((systemTool as JsonObject | undefined)?.["name"]) };
  const { name, description, inputSchema, strict } = toolSpec;
  return { name, description, strict, input_schema: inputSchema.json };
}

type ToolChoice = NonNullable<ConverseRequest["toolConfig"]>["toolChoice"];

function toToolChoice(choice: ToolChoice): JsonObject | undefined {
  if (choice?.tool !== undefined) return { type: "tool", name: choice.tool.name };
  if (choice?.any !== undefined) return { type: "any" };
  return choice?.auto === undefined ? undefined : { type: "auto" };
}

function toBlock(block: ContentBlock): Block {
  const { text, image, document, toolUse, toolResult, reasoningContent } = block;
  if (text !== undefined) return { type: "text", text };
  if (image !== undefined) {
    const source = { type: "base64", media_type: `image/${image.format}`, data: image.source.bytes ?? "" };
    return { type: "image", source };
  }
  if (document !== undefined) return toDocument(document);
  if (toolUse !== undefined) {
    return { type: "tool_use", id: toolUse.toolUseId, name: toolUse.name, input: toolUse.input };
  }
  if (toolResult !== undefined) {
    const content = toolResult.content.map((part) =>
      part.json === undefined ? toBlock(part) : { type: "text", text: JSON.stringify(part.json) },
    );
    const isError = toolResult.status === "error";
    return {
      type: "tool_result",
      tool_use_id: toolResult.toolUseId,
      ...(content.length === 0 ? {} : { content }),
      ...(isError ? { is_error: true } : {}),
    };
  }
  const { reasoningText, redactedContent } = reasoningContent ?? {};
  if (redactedContent !== undefined) return { type: "redacted_thinking", data: redactedContent };
  // Without a signature the model says that the field is missing (oh-my-pi#10486).
  return { type: "thinking", thinking: reasoningText?.text ?? "", signature: reasoningText?.signature };
}

/** Only PDF reaches the model as it is; of other formats it gets the text. */
function toDocument({ format, source }: Document): Block {
  const { bytes, text, content } = source;
  if (bytes !== undefined && format === "pdf") {
    return { type: "document", source: { type: "base64", media_type: "application/pdf", data: bytes } };
  }
  const words =
    text ?? content?.map((part) => part.text).join("\n") ?? Buffer.from(bytes ?? "", "base64").toString("utf8");
  return { type: "document", source: { type: "text", media_type: "text/plain", data: words } };
}
