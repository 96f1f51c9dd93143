// The types of the AI SDK that appear in logs and requests.

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { Native } from "palimpsest/provider-parts";
import { asObject, asString, type JsonObject } from "palimpsest/schema";

/** The name of this wire form in logs. */
export const AI_SDK = "ai-sdk";

/** A message as the AI SDK sends it to a model. */
export type AiSdkMessage = LanguageModelV4Message;

/** A call of a language model, with the id of the model. */
export interface AiSdkRequest extends LanguageModelV4CallOptions {
  readonly model: string;
}

/** The whole result of a language model. */
export type AiSdkResponse = Pick<
  LanguageModelV4GenerateResult,
  "content" | "finishReason" | "usage" | "providerMetadata" | "response"
>;

/** Returns the options of a part that are sent back with the part: signatures, ids, citations. @param fields further fields */
export function toNative(options: unknown, fields: JsonObject = {}): { native?: Native } {
  const kept = withoutMarks(options);
  const block = { ...fields, ...(kept === undefined ? {} : { providerOptions: kept }) };
  return Object.keys(block).length === 0 ? {} : { native: { provider: AI_SDK, block } };
}

/** Returns the kept options of a part, to send them back with the part. */
export function optionsOf(native: Native | undefined): { providerOptions?: SharedV4ProviderOptions } {
  if (native?.provider !== AI_SDK) return {};
  const { providerOptions } = asObject(native.block) ?? {};
  return providerOptions === undefined ? {} : { providerOptions: providerOptions as SharedV4ProviderOptions };
}

/** Returns the kept name of a file, to send it back with the part. */
export function filenameOf(native: Native | undefined): { filename?: string } {
  const filename = native?.provider === AI_SDK ? asString(asObject(native.block)?.["filename"]) : undefined;
  return filename === undefined ? {} : { filename };
}

function withoutMarks(options: unknown): SharedV4ProviderOptions | undefined {
  const entries = Object.entries(asObject(options) ?? {}).flatMap(([provider, fields]) => {
    const kept = Object.entries(asObject(fields) ?? {}).filter(([name]) => !MARKS.includes(name));
    return kept.length === 0 ? [] : [[provider, Object.fromEntries(kept)] as const];
  });
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as SharedV4ProviderOptions);
}

/** The names of provider options for cache marks. The session sets the marks, so they are not kept with the content. */
const MARKS: readonly string[] = ["cacheControl", "cache_control", "cachePoint"];
