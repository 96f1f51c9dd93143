import type { Block } from "../../log/block.ts";
import type { MessagePayload } from "../../log/payload.ts";
import { asList, asObject, asString, type JsonObject } from "../../schema/json-fields.ts";
import { splitResults } from "../split-results.ts";
import { readParts } from "./read.ts";

/** Reads contents from any program, complete or broken. A response without an id answers the next open call of its function. */
export function readMessages(messages: readonly unknown[]): readonly MessagePayload[] {
  let open: Extract<Block, { kind: "tool_call" }>[] = [];
  return messages.flatMap((value, index) => {
    const message = asObject(value);
    if (message === undefined) return [];
    const { role, parts } = message;
    if (role === "model") {
      const blocks = readParts(parts, (place) => `call-${index}-${place}`);
      open = blocks.filter((block) => block.kind === "tool_call");
      return blocks.length === 0 ? [] : [{ role: "assistant", origin: "model", blocks }];
    }
    const blocks = (asList(parts) ?? []).flatMap((part): Block[] => {
      const response = asObject(asObject(part)?.["functionResponse"]);
      return response === undefined ? readParts([part], () => "") : [readResponse(response, takeCall(response))];
    });
    return splitResults(blocks, role === "user" || role === undefined ? "human" : "host");
  });

  function takeCall(response: JsonObject): string {
    const given = asString(response["id"]);
    if (given !== undefined) return given;
    const place = open.findIndex(({ name }) => name === response["name"]);
    const [call] = place < 0 ? [] : open.splice(place, 1);
    return call?.id ?? "";
  }
}

/** `output` and `error` have a meaning for the model; of any other response, all of it is the output. */
function readResponse({ response }: JsonObject, callId: string): Block {
  const { output, error } = asObject(response) ?? {};
  const said = error ?? output ?? response ?? "";
  const content = typeof said === "string" ? said : JSON.stringify(said);
  return { kind: "tool_result", callId, content, status: error === undefined ? "ok" : "error" };
}
