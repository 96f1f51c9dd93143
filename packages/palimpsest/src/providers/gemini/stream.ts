import type { Candidate, GenerateContentResponse, Part } from "@google/genai";
import { asObject } from "../../schema/json-fields.ts";
import type { ResponseReport, StreamPart } from "../provider.ts";
import type { Collector } from "../stream.ts";
import type { GeminiResponse } from "./facts.ts";
import { callIdOf, readUsage } from "./read.ts";

/**
 * Assembles a response from its chunks: collects all parts, and takes every other field from the newest chunk. Calls
 * arrive whole. The last chunk has a finish reason; the response to a blocked prompt has no candidate.
 */
export function createStreamCollector(): Collector<GenerateContentResponse, GeminiResponse> {
  let newest: GeminiResponse | undefined;
  let reported: string | undefined;
  let ending: Omit<Candidate, "content"> = {};
  const parts: Part[] = [];

  function show(part: Part, responseId: string): readonly StreamPart[] {
    const index = parts.push(part) - 1;
    const { text = "", thought, functionCall } = part;
    if (functionCall !== undefined) {
      const { id = callIdOf(responseId, index), name = "", args = {} } = functionCall;
      return [
        { kind: "tool_call", id, name },
        { kind: "tool_input", id, text: JSON.stringify(args) },
      ];
    }
    if (text === "") return [];
    return [{ kind: thought === true ? "thinking" : "text", text }];
  }

  return {
    add({ candidates, usageMetadata, modelVersion, responseId = "", promptFeedback }) {
      const isFirst = newest === undefined;
      const [candidate] = candidates ?? [];
      newest = { ...newest, ...defined({ usageMetadata, modelVersion, responseId, promptFeedback }) };
      const { content, ...rest } = candidate ?? {};
      ending = { ...ending, ...rest };
      const counted = JSON.stringify(usageMetadata);
      const isNew = isFirst || (counted !== undefined && counted !== reported);
      reported = counted ?? reported;
      return [
        ...(isNew ? [reportOf({ responseId, modelVersion, usageMetadata })] : []),
        ...(content?.parts ?? []).flatMap((part) => show(part, responseId)),
      ];
    },
    whole() {
      if (ending.finishReason !== undefined)
        return { ...newest, candidates: [{ ...ending, content: { role: "model", parts } }] };
      return newest?.promptFeedback?.blockReason === undefined ? undefined : newest;
    },
  };
}

/** Reports the usage so far. Every chunk repeats the usage, and later chunks add the output count. */
function reportOf({ responseId, modelVersion: model = "", usageMetadata }: ReportedFields): ResponseReport {
  const report = { kind: "report", responseId, model } as const;
  const counts = asObject(usageMetadata);
  if (counts === undefined) return report;
  const { outputTokens, ...input } = readUsage(counts);
  return { ...report, usage: outputTokens === 0 ? input : { ...input, outputTokens } };
}

interface ReportedFields {
  readonly responseId: string;
  readonly modelVersion: string | undefined;
  readonly usageMetadata: unknown;
}

function defined(fields: { [Name in keyof GeminiResponse]: GeminiResponse[Name] | undefined }): GeminiResponse {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
