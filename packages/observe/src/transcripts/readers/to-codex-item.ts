import { asList, asObject, asString, type JsonObject } from "palimpsest/schema";
import type { RecordedBlock, RecordedMessage } from "./recorded.ts";
import { toBlocks, toParts } from "./to-blocks.ts";

export type CodexItem = Pick<RecordedMessage, "role" | "origin" | "blocks">;

/**
 * Reads one item of the Responses API as Codex records it; undefined for what the model never saw. Whether a tool failed is
 * recorded only sometimes, hence `unknown`.
 */
export function toCodexItem(item: JsonObject): CodexItem | undefined {
  const type = asString(item["type"]) ?? "unknown";
  if (type === "message") return toMessage(item);
  if (type.endsWith("_output")) return { role: "user", origin: "tool", blocks: [toResult(item)] };
  if (type.includes("compaction")) return { role: "user", origin: "summary", blocks: [toOpaque(type, item)] };
  const block = type === "reasoning" ? toThinking(item) : type.endsWith("_call") ? toCall(type, item) : undefined;
  return block && { role: "assistant", origin: "model", blocks: [block] };
}

// Beginnings of user messages that the agent wrote (codex-rs/core/src/contextual_user_message.rs).
const AGENT_TEXT =
  /^\s*(<(environment_context|user_instructions|user_shell_command|skill|turn_aborted|subagent_notification)>|# AGENTS\.md)/i;

function toMessage(item: JsonObject): CodexItem {
  const blocks = toBlocks(item["content"]);
  if (item["role"] === "assistant") return { role: "assistant", origin: "model", blocks };
  if (item["role"] !== "user") return { role: "system", origin: "agent", blocks };
  const [first] = blocks;
  const isAgent = first?.kind === "text" && AGENT_TEXT.test(first.text);
  return { role: "user", origin: isAgent ? "agent" : "human", blocks };
}

function toThinking(item: JsonObject): RecordedBlock {
  const texts = [...(asList(item["summary"]) ?? []), ...(asList(item["content"]) ?? [])]
    .map((part) => asString(asObject(part)?.["text"]))
    .filter((text) => text !== undefined);
  return {
    kind: "thinking",
    text: texts.join("\n"),
    signature: asString(item["encrypted_content"]),
  };
}

/** A call without an id, such as a web search, is answered by the provider and has no result item. */
function toCall(type: string, item: JsonObject): RecordedBlock {
  const callId = asString(item["call_id"]);
  if (callId === undefined) return toOpaque(type, item);
  return {
    kind: "tool_call",
    callId,
    name: asString(item["name"]) ?? type.slice(0, -"_call".length),
    input: toInput(item["arguments"] ?? item["input"] ?? item["action"]),
  };
}

/** Arguments of a call are a text of JSON; a text that is not stays as it is. */
export function toInput(input: unknown): unknown {
  if (typeof input !== "string") return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

function toResult(item: JsonObject): RecordedBlock {
  const wrapped = asObject(item["output"]);
  const content = wrapped?.["content"] ?? item["output"] ?? item["tools"];
  return {
    kind: "tool_result",
    callId: asString(item["call_id"]) ?? "",
    content: toParts(content),
    status: wrapped?.["success"] === true ? "ok" : wrapped?.["success"] === false ? "error" : "unknown",
  };
}

function toOpaque(type: string, value: JsonObject): RecordedBlock {
  return { kind: "opaque", type, value };
}
