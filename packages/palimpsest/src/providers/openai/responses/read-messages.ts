import type { Block } from "../../../log/block.ts";
import type { MessagePayload } from "../../../log/payload.ts";
import { asObject, asString, type JsonObject } from "../../../schema/json-fields.ts";
import { toContent } from "../../to-content.ts";
import { readOutputItem, readParts } from "./read.ts";

/** Reads items in this form from any program, complete or broken. Consecutive items of the model become one message. */
export function readMessages(items: readonly unknown[]): readonly MessagePayload[] {
  const payloads: MessagePayload[] = [];
  let spoken: Block[] = [];
  const flush = (): void => {
    if (spoken.length > 0) payloads.push({ role: "assistant", blocks: spoken, origin: "model" });
    spoken = [];
  };
  for (const value of items) {
    const item = asObject(value);
    if (item === undefined || asString(item["type"] ?? item["role"]) === undefined) continue;
    if (isOfModel(item)) {
      const block = readOutputItem(item);
      if (block !== undefined) spoken.push(block);
      continue;
    }
    flush();
    const payload = readGiven(item);
    if (payload !== undefined) payloads.push(payload);
  }
  flush();
  return payloads;
}

function isOfModel({ type = "message", role }: JsonObject): boolean {
  return type === "message" ? role === "assistant" : !asString(type)?.endsWith("_output");
}

function readGiven(item: JsonObject): MessagePayload | undefined {
  if (item["type"] === "function_call_output") {
    const content = toContent(readParts(item["output"]));
    const callId = asString(item["call_id"]) ?? "";
    return { role: "user", origin: "tool", blocks: [{ kind: "tool_result", callId, content, status: "ok" }] };
  }
  if (item["type"] !== undefined && item["type"] !== "message") {
    const block = readOutputItem(item);
    return block && { role: "user", origin: "tool", blocks: [block] };
  }
  const blocks = readParts(item["content"]);
  const origin = item["role"] === "user" ? "human" : "host";
  return blocks.length === 0 ? undefined : { role: "user", origin, blocks };
}
