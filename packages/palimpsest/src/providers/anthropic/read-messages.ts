import type { MessagePayload } from "../../log/payload.ts";
import { asList, asObject } from "../../schema/json-fields.ts";
import { splitResults } from "../split-results.ts";
import { readBlock } from "./read-block.ts";

/** Reads messages in this form from any program, complete or broken. Each tool result becomes a message of its own. */
export function readMessages(messages: readonly unknown[]): readonly MessagePayload[] {
  return messages.flatMap((value) => {
    const message = asObject(value);
    if (message === undefined) return [];
    const { role, content } = message;
    const blocks = (asList(content) ?? [content]).map(readBlock).filter((block) => block !== undefined);
    if (role === "assistant") return blocks.length === 0 ? [] : [{ role, blocks, origin: "model" }];
    // Instructions inside the conversation (`system`), and unknown roles, count as text of the program.
    return splitResults(blocks, role === "user" ? "human" : "host");
  });
}
