import type { MessagePayload } from "../../log/payload.ts";
import { asObject } from "../../schema/json-fields.ts";
import { splitResults } from "../split-results.ts";
import { readBlocks } from "./read.ts";

/** Reads messages from any program, complete or broken. Each tool result becomes a message of its own. */
export function readMessages(messages: readonly unknown[]): readonly MessagePayload[] {
  return messages.flatMap((value) => {
    const message = asObject(value);
    if (message === undefined) return [];
    const { role, content } = message;
    const blocks = readBlocks(content);
    if (role === "assistant") return blocks.length === 0 ? [] : [{ role, blocks, origin: "model" }];
    return splitResults(blocks, role === "user" ? "human" : "host");
  });
}
