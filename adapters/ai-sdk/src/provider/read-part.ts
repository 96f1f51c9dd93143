// Reads the parts of a message as blocks.

import type { Block, Part, ToolResult } from "palimpsest";
import { type Opaque, toContent } from "palimpsest/provider-parts";
import { asList, asObject, asString, type JsonObject, present } from "palimpsest/schema";
import { plainData, toMedia } from "./file-data.ts";
import { AI_SDK, toNative } from "./wire.ts";

/** Reads the blocks of one message of a prompt that any program wrote, even a malformed one. */
export function readContent(message: JsonObject): readonly Block[] {
  const { role, content } = message;
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  return (asList(content) ?? []).flatMap((value) => {
    const part = asObject(value);
    if (part === undefined) return [];
    return role === "assistant" ? readAnswerPart(part) : readInputPart(part);
  });
}

/** Reads a part that the model wrote. */
export function readAnswerPart(part: JsonObject): readonly Block[] {
  const text = asString(part["text"]) ?? "";
  const own = toNative(part["providerOptions"]);
  switch (part["type"]) {
    case "text":
      return text === "" ? [] : [{ kind: "text", text, ...own }];
    case "reasoning":
      return [{ kind: "thinking", provider: AI_SDK, text, ...own }];
    case "tool-call": {
      // The result of a tool that the provider runs is in the same message, so it needs no result of the application.
      if (part["providerExecuted"] === true) return [toOpaque(part)];
      const [id, name] = [asString(part["toolCallId"]) ?? "", asString(part["toolName"]) ?? ""];
      return [{ kind: "tool_call", id, name, input: part["input"] ?? {}, ...own }];
    }
    case "custom":
      return REPORTS.test(asString(part["kind"]) ?? "") ? [] : [toOpaque(part)];
    default:
      return asString(part["type"]) === undefined ? [] : [toOpaque(part)];
  }
}

/** The types of parts that only report to a user interface or to the caller. The model never gets them. */
const REPORTS = /^palimpsest\.|\.message_start$/;

/** Reads a part that the user or a tool wrote. Drops the options of texts, because most of them are cache marks. */
function readInputPart(part: JsonObject): readonly Block[] {
  switch (part["type"]) {
    case "tool-result":
      return [readResult(part)];
    case "text":
    case "file":
      return readShown(part);
    default:
      return asString(part["type"]) === undefined ? [] : [toOpaque(part)];
  }
}

function readShown(part: JsonObject): readonly Part[] {
  const text = asString(part["text"]);
  if (text !== undefined) return text === "" ? [] : [{ kind: "text", text }];
  const media = toMedia(part["data"], asString(part["mediaType"]) ?? "");
  const { filename, providerOptions } = part;
  return [media === undefined ? toOpaque(part) : { ...media, ...toNative(providerOptions, present({ filename })) }];
}

function readResult(part: JsonObject): ToolResult {
  const output = asObject(part["output"]) ?? {};
  const isError = output["type"] === "error-text" || output["type"] === "error-json";
  const callId = asString(part["toolCallId"]) ?? "";
  return { kind: "tool_result", callId, content: readOutput(output), status: isError ? "error" : "ok" };
}

function readOutput(output: JsonObject): ToolResult["content"] {
  const { type, value, reason } = output;
  if (type === "content") return toContent((asList(value) ?? []).flatMap((part) => readShown(asObject(part) ?? {})));
  // Providers of the SDK send the same words.
  if (type === "execution-denied") return asString(reason) ?? "Tool call execution denied.";
  return asString(value) ?? JSON.stringify(value ?? null);
}

function toOpaque(part: JsonObject): Opaque {
  const block = "data" in part ? { ...part, data: plainData(part["data"]) } : part;
  return { kind: "opaque", native: { provider: AI_SDK, block } };
}
