import type { Block } from "palimpsest";
import type { ResponseContent } from "palimpsest/provider-parts";
import { asCount, asObject, asString, type JsonObject } from "palimpsest/schema";
import { readAnswer } from "./read-messages.ts";
import type { LangChainResponse } from "./wire.ts";

/** Reasons to stop, in the words of the services. */
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

/** Streams report about themselves in other fields than whole answers. */
function reports(message: JsonObject): readonly JsonObject[] {
  return [message["response_metadata"], message["additional_kwargs"]].map((fields) => asObject(fields) ?? {});
}

function modelOf(message: JsonObject): string | undefined {
  const names = reports(message).flatMap(({ model, model_name }) => [asString(model), asString(model_name)]);
  return names.find((name) => name !== undefined && name !== "");
}

/** Why the model stopped; undefined if the service has not said. */
function stopReason(message: JsonObject): string | undefined {
  const reasons = reports(message).flatMap(({ stop_reason, finish_reason, incomplete_details }) => [
    asString(stop_reason),
    asString(finish_reason),
    asString(asObject(incomplete_details)?.["reason"]),
  ]);
  return reasons.find((reason) => reason !== undefined && reason !== "");
}

/** Whether an answer is the beginning of one: a service that names the reason to stop has not done so. */
export function isCut(message: JsonObject): boolean {
  const isKnownToSay = reports(message).some((fields) => fields["model_provider"] === "anthropic");
  return isKnownToSay && stopReason(message) === undefined;
}

function toStop(reason: string | undefined, blocks: readonly Block[]): ResponseContent["stop"] {
  const name = reason?.toLowerCase();
  if (name === undefined || ENDS.includes(name)) {
    return blocks.some(({ kind }) => kind === "tool_call") ? "tools" : "end";
  }
  return STOPS[name] ?? "other";
}

/** The framework counts all input in one number. Some older models of it leave out what was cached. */
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
