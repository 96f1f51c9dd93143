// Renders messages in the form of the AI SDK.

import type {
  LanguageModelV4FilePart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import type { Block, Part, ToolResult } from "palimpsest";
import { type FlatMessage, frozenCopy, type Media, type Opaque, toArguments } from "palimpsest/provider-parts";
import { asObject } from "palimpsest/schema";
import { liveData, toFile } from "./file-data.ts";
import { AI_SDK, type AiSdkMessage, filenameOf, optionsOf } from "./wire.ts";

type PartOf<Role extends AiSdkMessage["role"]> = Exclude<
  Extract<AiSdkMessage, { role: Role }>["content"],
  string
>[number];

/** Renders a message as messages of a prompt. Results become a message of the tool. The request adds the names of tools. */
export function renderMessage({ role, blocks }: FlatMessage): readonly AiSdkMessage[] {
  if (role === "assistant") return frozen(messageOf("assistant", blocks.flatMap(renderAnswer)));
  const [results, others] = [blocks.filter(isOfTool), blocks.filter((block) => !isOfTool(block))];
  return frozen([
    ...messageOf("tool", results.flatMap(renderOfTool)),
    ...messageOf("user", others.flatMap(renderShown)),
  ]);
}

function messageOf(role: "assistant" | "tool" | "user", content: readonly object[]): readonly AiSdkMessage[] {
  return content.length === 0 ? [] : [{ role, content } as unknown as AiSdkMessage];
}

function renderAnswer(block: Block): readonly PartOf<"assistant">[] {
  switch (block.kind) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text, ...frozenCopy(optionsOf(block.native)) }];
    case "thinking":
      if (block.provider !== AI_SDK) return [];
      return [{ type: "reasoning", text: block.text, ...frozenCopy(optionsOf(block.native)) }];
    case "tool_call": {
      const { id: toolCallId, name: toolName, native } = block;
      const input = frozenCopy(toArguments(block.input));
      return [{ type: "tool-call", toolCallId, toolName, input, ...frozenCopy(optionsOf(native)) }];
    }
    case "image":
    case "document":
      return [renderMedia(block)];
    case "opaque":
      return renderOpaque(block) as readonly PartOf<"assistant">[];
    case "tool_result":
      return [];
  }
}

function isOfTool(block: Block): boolean {
  if (block.kind === "tool_result") return true;
  return block.kind === "opaque" && asObject(block.native.block)?.["type"] === "tool-approval-response";
}

function renderOfTool(block: Block): readonly PartOf<"tool">[] {
  if (block.kind === "opaque") return renderOpaque(block) as readonly PartOf<"tool">[];
  return block.kind === "tool_result" ? [renderResult(block)] : [];
}

function renderResult({ callId: toolCallId, content, status }: ToolResult): LanguageModelV4ToolResultPart {
  return { type: "tool-result", toolCallId, toolName: "", output: renderOutput(content, status) };
}

function renderOutput(content: ToolResult["content"], status: ToolResult["status"]): LanguageModelV4ToolResultOutput {
  const texts =
    typeof content === "string" ? [content] : content.map((part) => (part.kind === "text" ? part.text : ""));
  const isText = typeof content === "string" || content.every(({ kind }) => kind === "text");
  // A failed result is sent as text, because the form has no errors with images.
  if (status === "error") return { type: "error-text", value: texts.filter(Boolean).join("\n") };
  if (isText && texts.length < 2) return { type: "text", value: texts.join("") };
  return { type: "content", value: (content as readonly Part[]).flatMap((part) => renderShown(part)) };
}

function renderShown(block: Part | Block): readonly (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  switch (block.kind) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text }];
    case "image":
    case "document":
      return [renderMedia(block)];
    case "opaque":
      return renderOpaque(block) as readonly LanguageModelV4FilePart[];
    default:
      return [];
  }
}

/** Renders a file of any type, because only the provider knows which files a model accepts. */
function renderMedia(media: Media): LanguageModelV4FilePart {
  return { type: "file", ...toFile(media), ...filenameOf(media.native), ...frozenCopy(optionsOf(media.native)) };
}

function renderOpaque({ native }: Opaque): readonly object[] {
  const part = asObject(native.block);
  if (native.provider !== AI_SDK || part === undefined) return [];
  return ["data" in part ? { ...frozenCopy(part), data: liveData(part["data"]) } : frozenCopy(part)];
}

/** Freezes a value in place. A frozen copy would lose URLs, which are objects of a class. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}
