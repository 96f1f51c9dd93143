import type { MessagePayload } from "../../../log/payload.ts";
import { asObject, asString, type JsonObject } from "../../../schema/json-fields.ts";
import { toContent } from "../../to-content.ts";
import { readMessageBlocks, readParts } from "./read.ts";

/** Reads messages in this form from any program, complete or broken. */
export function readMessages(messages: readonly unknown[]): readonly MessagePayload[] {
  return messages.flatMap((value) => {
    const message = asObject(value);
    const payload = message === undefined ? undefined : readMessage(message);
    return payload === undefined || payload.blocks.length === 0 ? [] : [payload];
  });
}

function readMessage(message: JsonObject): MessagePayload {
  switch (message["role"]) {
    case "assistant":
      return { role: "assistant", origin: "model", blocks: readMessageBlocks(message) };
    case "tool":
      return { role: "user", origin: "tool", blocks: [readResult(message)] };
    default: {
      const origin = message["role"] === "user" ? "human" : "host";
      return { role: "user", origin, blocks: readParts(message["content"]) };
    }
  }
}

function readResult(message: JsonObject): MessagePayload["blocks"][number] {
  const content = toContent(readParts(message["content"]));
  return { kind: "tool_result", callId: asString(message["tool_call_id"]) ?? "", content, status: "ok" };
}
