import { asList, asObject, type JsonObject } from "palimpsest/schema";
import { gatherChat } from "./gather-chat.ts";
import { gatherMessages } from "./gather-messages.ts";
import { readEvents } from "./read-events.ts";
import type { WireApi } from "./wire-apis.ts";
import { toResponse, type WireResponse } from "./wire-response.ts";

/** Reads the body of a response, streamed or not. Undefined: the service refused, or sent something else. */
export function readResponse(api: WireApi, body: Buffer): WireResponse | undefined {
  const text = body.toString("utf8");
  if (text.trimStart().startsWith("{")) {
    const whole = parse(text);
    return whole === undefined || whole["error"] ? undefined : ofWhole(api, whole);
  }
  const events = readEvents(text);
  if (events.length === 0) return undefined;
  if (api === "messages") return gatherMessages(events);
  return api === "chat" ? gatherChat(events) : gatherResponses(events);
}

/** Where each API has what the model said. */
const SAID: Readonly<Record<WireApi, string>> = { messages: "content", responses: "output", chat: "choices" };

function ofWhole(api: WireApi, whole: JsonObject): WireResponse | undefined {
  const said = asList(whole[SAID[api]]);
  if (said === undefined) return undefined;
  switch (api) {
    case "messages":
      return toResponse(whole, [{ role: "assistant", content: said }], "whole");
    case "responses":
      return toResponse(whole, said, whole["status"] === "failed" ? "cut" : "whole");
    case "chat":
      return toResponse(whole, [asObject(said[0])?.["message"]].filter(Boolean), "whole");
  }
}

/** The last event has the whole response. If it is missing, the finished items are there, and no counts. */
function gatherResponses(events: readonly JsonObject[]): WireResponse | undefined {
  const last = events.findLast(({ type }) => /^response\.(completed|incomplete|failed)$/.test(String(type)));
  const response = asObject(last?.["response"]);
  if (response !== undefined) return ofWhole("responses", response);
  const begun = asObject(events.find(({ response }) => asObject(response) !== undefined)?.["response"]) ?? {};
  const items = events.flatMap(({ type, item }) => (type === "response.output_item.done" ? [item] : []));
  return toResponse({ ...begun, usage: undefined }, items, "cut");
}

function parse(text: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}
