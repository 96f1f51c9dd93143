import { asList, asObject, asString, type JsonObject } from "palimpsest/schema";
import type { RecordedBlock, RecordedPart, RecordedToolResult } from "./recorded.ts";
import { sizeOfBase64 } from "./to-blocks.ts";

/** Reads content in the form of the Gemini API: a text, a part, or a list of both. Qwen Code records the same form. */
export function toGeminiBlocks(content: unknown): RecordedBlock[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  return (asList(content) ?? [content]).flatMap((part) =>
    typeof part === "string" ? toGeminiBlocks(part) : toBlock(asObject(part) ?? {}),
  );
}

function toBlock(part: JsonObject): RecordedBlock[] {
  const call = asObject(part["functionCall"]);
  const response = asObject(part["functionResponse"]);
  if (call !== undefined) return [toGeminiCall(call)];
  if (response !== undefined) return [toGeminiResult(response)];
  const text = asString(part["text"]);
  if (part["thought"] === true) {
    return [{ kind: "thinking", text: text ?? "", signature: asString(part["thoughtSignature"]) }];
  }
  if (text !== undefined) return text === "" ? [] : [{ kind: "text", text }];
  return toPart(part);
}

/** A call is recorded with its arguments under `args`; Gemini CLI's own records of calls have the same names. */
export function toGeminiCall(call: JsonObject): RecordedBlock {
  return {
    kind: "tool_call",
    callId: asString(call["id"]) ?? "",
    name: asString(call["name"]) ?? "",
    input: call["args"],
  };
}

/** A tool's result is under `output` or `error` if it is a text; media are beside it, in `parts`. */
export function toGeminiResult(response: JsonObject): RecordedToolResult {
  const returned = asObject(response["response"]) ?? {};
  const error = asString(returned["error"]);
  const text = asString(returned["output"]) ?? error ?? asString(response["response"]);
  const media = (asList(response["parts"]) ?? []).flatMap((part) => toPart(asObject(part) ?? {}));
  const value = text === undefined ? response["response"] : undefined;
  const content: RecordedPart[] = [
    ...(text === undefined ? [] : [{ kind: "text", text } as const]),
    ...(value === undefined ? [] : [{ kind: "opaque", type: "response", value } as const]),
    ...media,
  ];
  const [only] = content;
  return {
    kind: "tool_result",
    callId: asString(response["id"]) ?? "",
    content: content.length === 1 && only?.kind === "text" ? only.text : content,
    status: error === undefined ? "ok" : "error",
  };
}

function toPart(part: JsonObject): RecordedPart[] {
  const inline = asObject(part["inlineData"]);
  const data = asString(inline?.["data"]);
  if (data !== undefined) {
    const mediaType = asString(inline?.["mimeType"]) ?? "unknown";
    const kind = mediaType.startsWith("image/") ? "image" : "document";
    return [{ kind, mediaType, sizeBytes: sizeOfBase64(data) }];
  }
  const [type] = Object.keys(part).filter((name) => name !== "thoughtSignature");
  return type === undefined ? [] : [{ kind: "opaque", type, value: part }];
}
