import { asCount, asList, asObject, asString, type JsonObject } from "palimpsest/schema";
import { asTimeMs } from "./as-time-ms.ts";
import type { RecordedBlock, RecordedPart, RecordedToolResult, RecordedUsage } from "./recorded.ts";
import { fromDataUrl, sizeOfBase64 } from "./to-blocks.ts";

/** One response with the results of its tools. */
export interface OpencodeStep {
  readonly blocks: RecordedBlock[];
  readonly results: RecordedToolResult[];
  /** Results that were pruned later, with the time. */
  readonly pruned: { readonly atMs: number; readonly callId: string }[];
  /** The time when its last tool finished; 0 if there was none. */
  endedAtMs: number;
  /** The part with the usage, if there is one. */
  finish?: JsonObject;
}

/** Splits the parts of an assistant's message into responses. */
export function splitSteps(parts: readonly JsonObject[]): OpencodeStep[] {
  const steps: OpencodeStep[] = [newStep()];
  for (const part of parts) {
    let step = steps.at(-1)!;
    const isOver = step.finish !== undefined || part["type"] === "step-start";
    if (isOver && (step.finish !== undefined || step.blocks.length > 0)) {
      step = newStep();
      steps.push(step);
    }
    addPart(step, part);
  }
  // Parts after the last response (a patch, a snapshot) are not a response.
  return steps.filter(({ blocks, finish }, index) => index === 0 || blocks.length > 0 || finish !== undefined);
}

function newStep(): OpencodeStep {
  return { blocks: [], results: [], pruned: [], endedAtMs: 0 };
}

function addPart(step: OpencodeStep, part: JsonObject): void {
  const text = asString(part["text"]) ?? "";
  switch (part["type"]) {
    case "text":
      if (part["ignored"] !== true) step.blocks.push({ kind: "text", text });
      break;
    case "reasoning":
      step.blocks.push({ kind: "thinking", text, signature: signatureOf(part) });
      break;
    case "tool":
      addTool(step, part);
      break;
    case "step-finish":
      step.finish = part;
      break;
  }
}

/** The provider's own data about a part is under the provider's name. */
function signatureOf(part: JsonObject): string | undefined {
  const own = Object.values(asObject(part["metadata"]) ?? {}).map((value) => asObject(value) ?? {});
  const signed = own.flatMap((fields) => fields["signature"] ?? fields["reasoningEncryptedContent"] ?? []);
  return asString(signed[0]);
}

function addTool(step: OpencodeStep, part: JsonObject): void {
  const callId = asString(part["callID"]) ?? "";
  const state = asObject(part["state"]) ?? {};
  const time = asObject(state["time"]) ?? {};
  step.blocks.push({ kind: "tool_call", callId, name: asString(part["tool"]) ?? "", input: state["input"] });
  const text = asString(state["output"]) ?? asString(state["error"]);
  if (text === undefined) return;
  const media = (asList(state["attachments"]) ?? []).flatMap((value) => toMedia(asObject(value) ?? {}));
  const content = media.length === 0 ? text : [{ kind: "text", text } as const, ...media];
  const status = state["status"] === "completed" ? "ok" : state["status"] === "error" ? "error" : "unknown";
  step.results.push({ kind: "tool_result", callId, content, status });
  step.endedAtMs = Math.max(step.endedAtMs, asTimeMs(time["end"]) ?? 0);
  const prunedAtMs = asTimeMs(time["compacted"]);
  if (prunedAtMs !== undefined) step.pruned.push({ atMs: prunedAtMs, callId });
}

/** Returns a user's message in the form that was sent. A text file is sent as the text beside it. */
export function toUserBlocks(parts: readonly JsonObject[]): RecordedBlock[] {
  return parts.flatMap((part): RecordedBlock[] => {
    const text = asString(part["text"]);
    if (part["type"] === "text" && text !== undefined && part["ignored"] !== true) return [{ kind: "text", text }];
    return part["type"] === "file" ? toMedia(part) : [];
  });
}

function toMedia(file: JsonObject): RecordedPart[] {
  const data = fromDataUrl(asString(file["url"]));
  const mediaType = asString(file["mime"]) ?? data?.mediaType ?? "unknown";
  if (data === undefined || mediaType === "text/plain") return [];
  const kind = mediaType.startsWith("image/") ? "image" : "document";
  return [{ kind, mediaType, sizeBytes: sizeOfBase64(data.characters) }];
}

type Counts = Omit<RecordedUsage, "kind" | "responseId" | "branch" | "atMs" | "model">;

/**
 * Returns the usage of a response; undefined if it was stopped before any report. `input` excludes cache reads and
 * writes.
 */
export function toOpencodeUsage(of: JsonObject, info: JsonObject): Counts | undefined {
  const tokens = asObject(of["tokens"]) ?? {};
  const cache = asObject(tokens["cache"]) ?? {};
  const count = (value: unknown): number => asCount(value) ?? 0;
  const [freshTokens, output, reasoning] = [
    count(tokens["input"]),
    count(tokens["output"]),
    count(tokens["reasoning"]),
  ];
  const [cacheReadTokens, cacheWriteTokens] = [count(cache["read"]), count(cache["write"])];
  const inputTokens = freshTokens + cacheReadTokens + cacheWriteTokens;
  if (inputTokens === 0) return undefined;
  // Newer versions count reasoning beside the output, and record the sum.
  const isBeside = asCount(tokens["total"]) === inputTokens + output + reasoning;
  return {
    freshTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: output + (isBeside ? reasoning : 0),
    outputCount: info["error"] === undefined || info["error"] === null ? "final" : "provisional",
    reasoningTokens: reasoning === 0 ? undefined : reasoning,
    costUsd: asCount(of["cost"]) || undefined,
  };
}
