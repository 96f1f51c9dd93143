// Reads a whole answer, its usage and the reason to stop.

import type { Block } from "palimpsest";
import type { ResponseContent } from "palimpsest/provider-parts";
import { asCount, asObject, asString, type JsonObject } from "palimpsest/schema";
import { readAnswer } from "./read-messages.ts";
import type { LangChainResponse } from "./wire.ts";

export function readResponse({ message, model }: LangChainResponse): ResponseContent {
  const fields = message as unknown as JsonObject;
  const blocks = readAnswer(fields);
  return {
    responseId: asString(fields["id"]) ?? "",
    model: modelOf(fields) ?? model,
    blocks,
    stop: toStop(stopReason(fields), blocks),
    usage: readUsage(fields["usage_metadata"]),
  };
}

/** Returns the objects in which an answer reports on itself. Streams and whole answers use different ones. */
function reports(message: JsonObject): readonly JsonObject[] {
  return [message["response_metadata"], message["additional_kwargs"]].map((fields) => asObject(fields) ?? {});
}

function modelOf(message: JsonObject): string | undefined {
  const names = reports(message).flatMap(({ model, model_name }) => [asString(model), asString(model_name)]);
  return names.find((name) => name !== undefined && name !== "");
}

/** Returns the reason why the model stopped; undefined if the service sent none. */
function stopReason(message: JsonObject): string | undefined {
  const reasons = reports(message).flatMap(({ stop_reason, finish_reason, incomplete_details }) => [
    asString(stop_reason),
    asString(finish_reason),
    asString(asObject(incomplete_details)?.["reason"]),
  ]);
  return reasons.find((reason) => reason !== undefined && reason !== "");
}

/** Whether an answer is incomplete: the service names reasons to stop, but sent none. */
export function isCut(message: JsonObject): boolean {
  const sendsReasons = reports(message).some((fields) => fields["model_provider"] === "anthropic");
  return sendsReasons && stopReason(message) === undefined;
}

function toStop(reason: string | undefined, blocks: readonly Block[]): ResponseContent["stop"] {
  const name = reason?.toLowerCase();
  if (name === undefined || ENDS.includes(name)) {
    return blocks.some(({ kind }) => kind === "tool_call") ? "tools" : "end";
  }
  return STOPS[name] ?? "other";
}

/** The reasons to stop by the names that services use. */
const STOPS: Readonly<Record<string, ResponseContent["stop"]>> = {
  max_tokens: "length",
  length: "length",
  max_output_tokens: "length",
  model_context_window_exceeded: "window",
  pause_turn: "paused",
  refusal: "refused",
  content_filter: "refused",
  safety: "refused",
};
const ENDS: readonly string[] = ["end_turn", "stop", "stop_sequence", "tool_use", "tool_calls", "completed"];

/** Reads the usage. The framework counts all input in one number, but some older models leave cached tokens out. */
export function readUsage(usage: unknown): ResponseContent["usage"] {
  const { input_tokens, output_tokens, input_token_details, output_token_details } = asObject(usage) ?? {};
  const details = asObject(input_token_details) ?? {};
  const [cacheReadTokens, cacheWriteTokens] = [details["cache_read"], details["cache_creation"]].map(
    (count) => asCount(count) ?? 0,
  ) as [number, number];
  const input = asCount(input_tokens) ?? 0;
  const cached = cacheReadTokens + cacheWriteTokens;
  const reasoningTokens = asCount(asObject(output_token_details)?.["reasoning"]);
  return {
    freshTokens: input >= cached ? input - cached : input,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: asCount(output_tokens) ?? 0,
    ...(reasoningTokens ? { reasoningTokens } : {}),
  };
}
