// Renders messages as plain data.

import type { Block, Part, ToolResult } from "palimpsest";
import { type FlatMessage, frozenCopy, type Media, type Native, toArguments, toUrl } from "palimpsest/provider-parts";
import { asObject, type JsonObject, present } from "palimpsest/schema";
import { ADDITIONAL_FIELDS } from "./read-additional-fields.ts";
import { LANGCHAIN, type LangChainCall, type LangChainMessage, type LangChainPart } from "./wire.ts";

/** Renders a message as plain data. Each result becomes a separate message. */
export function renderMessage({ role, blocks }: FlatMessage): readonly LangChainMessage[] {
  if (role === "assistant") {
    const additional = blocks.map(additionalFieldsOf).find((own) => own !== undefined);
    const content = blocks.filter((block) => additionalFieldsOf(block) === undefined).flatMap(renderAnswer);
    const tool_calls = blocks.flatMap(renderCall);
    const own = additional === undefined ? {} : { [ADDITIONAL_FIELDS]: additional };
    const answer: LangChainMessage = { type: "ai", content, tool_calls, ...own };
    return content.length + tool_calls.length === 0 ? [] : frozenCopy([answer]);
  }
  const results = blocks.flatMap((block) => (block.kind === "tool_result" ? [renderResult(block)] : []));
  const content = blocks.flatMap((block) => (block.kind === "tool_result" ? [] : renderShown(block)));
  const words: readonly LangChainMessage[] = content.length === 0 ? [] : [{ type: "human", content }];
  return frozenCopy([...results, ...words]);
}

function renderAnswer(block: Block): readonly LangChainPart[] {
  switch (block.kind) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text, ...ownFields(block.native) }];
    case "thinking":
      return block.provider === LANGCHAIN && block.native !== undefined ? [ownFields(block.native)] : [];
    case "tool_call":
      // Services without parts for calls read the message's list of calls.
      if (block.native?.provider !== LANGCHAIN) return [];
      return [{ ...ownFields(block.native), id: block.id, name: block.name, input: toArguments(block.input) }];
    case "tool_result":
      return [];
    default:
      return renderShown(block);
  }
}

function additionalFieldsOf(block: Block): JsonObject | undefined {
  return block.kind === "thinking" ? asObject(ownFields(block.native)[ADDITIONAL_FIELDS]) : undefined;
}

function renderCall(block: Block): readonly LangChainCall[] {
  if (block.kind !== "tool_call") return [];
  return [{ type: "tool_call", id: block.id, name: block.name, args: toArguments(block.input) }];
}

function renderResult({ callId, content, status }: ToolResult): LangChainMessage {
  const contentParts: readonly Part[] = typeof content === "string" ? [{ kind: "text", text: content }] : content;
  const parts = contentParts.flatMap(renderShown);
  return { type: "tool", content: parts, tool_call_id: callId, status: status === "error" ? "error" : "success" };
}

function renderShown(block: Part | Block): readonly LangChainPart[] {
  switch (block.kind) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text }];
    case "image":
    case "document":
      return [renderMedia(block)];
    case "opaque":
      return block.native.provider === LANGCHAIN ? [ownFields(block.native)] : [];
    default:
      return [];
  }
}

/** Renders a file in a form that all models accept, whatever its type: only the service knows which files a model accepts. */
function renderMedia({ kind, source, native }: Media): LangChainPart {
  const { detail, metadata } = ownFields(native);
  if (kind === "image") return { type: "image_url", image_url: { url: toUrl(source), ...present({ detail }) } };
  if (source.kind === "url") return { type: "file", url: source.url, ...present({ metadata }) };
  const type = /^(audio|video)\//.exec(source.mediaType)?.[1] ?? "file";
  return { type, mimeType: source.mediaType, data: source.data, ...present({ metadata }) };
}

function ownFields(native: Native | undefined): JsonObject {
  return native?.provider === LANGCHAIN ? (asObject(native.block) ?? {}) : {};
}
