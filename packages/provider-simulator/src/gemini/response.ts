import { createHash } from "node:crypto";
import type { ServerSentEvent } from "../http-face.ts";
import { inPieces } from "../in-pieces.ts";
import { seal } from "../seal.ts";
import type { Speech, SpokenCall } from "../speak.ts";
import { inputTokensOf, type Usage } from "../usage.ts";
import { SECRET } from "./check-signatures.ts";
import type { GeminiModel } from "./models.ts";
import type { ContentPart } from "./request.ts";

/** A response of Gemini. */
export interface GenerateContentResponse {
  readonly candidates: readonly {
    readonly content: { readonly role: "model"; readonly parts?: readonly ContentPart[] };
    readonly finishReason?: string;
    readonly finishMessage?: string;
    readonly index: 0;
  }[];
  readonly usageMetadata: object;
  readonly modelVersion: string;
  readonly responseId: string;
}

export interface ResponseDraft {
  readonly speech: Speech;
  readonly usage: Usage;
  readonly model: GeminiModel;
  /** How many responses came before this one: ids depend on nothing else. */
  readonly ordinal: number;
  readonly thoughts: "included" | "left-out";
}

/** Speech as one response. */
export function toResponse(draft: ResponseDraft): GenerateContentResponse {
  const { model, usage, ordinal, speech } = draft;
  const broken = brokenCall(speech);
  const parts = broken === undefined && speech.stop !== "refusal" ? toParts(draft) : [];
  return {
    candidates: [
      {
        content: parts.length === 0 ? { role: "model" } : { role: "model", parts },
        finishReason: finishReasonOf(speech),
        finishMessage: broken === undefined ? undefined : `Malformed function call: ${broken.name}(${broken.arguments}`,
        index: 0,
      },
    ],
    usageMetadata: toUsageMetadata(usage),
    modelVersion: model.id,
    responseId: idOf("response", ordinal),
  };
}

/**
 * The same response as chunks. Texts come in pieces, each call whole; usage is repeated and grows. The last chunk has the reason
 * to finish and, without calls, the signature in a part without words.
 */
export function toChunks(response: GenerateContentResponse, usage: Usage): ServerSentEvent[] {
  const [{ content, ...last }] = response.candidates as [GenerateContentResponse["candidates"][number]];
  const chunk = (parts: readonly ContentPart[], ending: object, usageMetadata: object): ServerSentEvent => {
    const spoken = { role: "model", ...(parts.length === 0 ? {} : { parts }) };
    return { data: JSON.stringify({ ...response, candidates: [{ content: spoken, ...ending }], usageMetadata }) };
  };
  const pieces = (content.parts ?? []).flatMap((part): ContentPart[] => {
    if (part.text === undefined) return [part];
    const { text, thoughtSignature: _, ...rest } = part;
    return inPieces(text).map((piece) => ({ ...rest, text: piece }));
  });
  const signature = content.parts?.findLast(({ text }) => text !== undefined)?.thoughtSignature;
  const signed = signature === undefined ? [] : [{ text: "", thoughtSignature: signature }];
  const begun = toUsageMetadata({ ...usage, outputTokens: 0, thinkingTokens: 0 });
  return [...pieces.map((piece) => chunk([piece], { index: 0 }, begun)), chunk(signed, last, response.usageMetadata)];
}

function toParts({ speech, model, ordinal, thoughts }: ResponseDraft): ContentPart[] {
  const parts = speech.words.flatMap((words, index): ContentPart[] => {
    if (words.kind === "text") return words.text === "" ? [] : [{ text: words.text }];
    if (words.kind === "thinking") return thoughts === "included" ? [{ text: words.text, thought: true }] : [];
    const id = words.id ?? (model.callIds === "given" ? idOf(`call ${index}`, ordinal) : undefined);
    return [{ functionCall: { id, name: words.name, args: words.input ?? {} } }];
  });
  const calls = parts.findIndex(({ functionCall }) => functionCall !== undefined);
  const place = calls < 0 ? parts.findLastIndex(({ thought }) => thought !== true) : calls;
  if (model.signatures === "none" || place < 0) return parts;
  const thoughtSignature = seal(SECRET, { response: String(ordinal) }, speech.thinkingTokens * 4);
  return parts.map((part, index) => (index === place ? { ...part, thoughtSignature } : part));
}

/** A call whose arguments are no JSON never arrives: the response is empty and says why (types of the client). */
function brokenCall(speech: Speech): SpokenCall | undefined {
  return speech.words.find((words): words is SpokenCall => {
    if (words.kind !== "tool-call" || words.ending === "cut") return false;
    try {
      JSON.parse(words.arguments);
      return false;
    } catch {
      return true;
    }
  });
}

function finishReasonOf(speech: Speech): string {
  if (brokenCall(speech) !== undefined) return "MALFORMED_FUNCTION_CALL";
  if (speech.stop === "output-limit") return "MAX_TOKENS";
  return speech.stop === "refusal" ? "SAFETY" : "STOP";
}

/** The count of the prompt includes what was cached; thoughts are counted beside the candidates. */
function toUsageMetadata(usage: Usage): object {
  const [promptTokenCount, thoughts] = [inputTokensOf(usage), usage.thinkingTokens];
  const candidatesTokenCount = usage.outputTokens - thoughts;
  return {
    promptTokenCount,
    ...(usage.outputTokens === 0 ? {} : { candidatesTokenCount }),
    totalTokenCount: promptTokenCount + usage.outputTokens,
    ...(usage.cacheReadTokens === 0 ? {} : { cachedContentTokenCount: usage.cacheReadTokens }),
    promptTokensDetails: [{ modality: "TEXT", tokenCount: promptTokenCount }],
    ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
  };
}

function idOf(what: string, ordinal: number): string {
  return createHash("sha1").update(`gemini:${what}:${ordinal}`).digest("base64url").slice(0, 22);
}
