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

/** A call of a language model, and the id of the model that is called. */
export interface AiSdkRequest extends LanguageModelV4CallOptions {
  readonly model: string;
}

/** What a language model has generated, whole. */
export type AiSdkResponse = Pick<
  LanguageModelV4GenerateResult,
  "content" | "finishReason" | "usage" | "providerMetadata" | "response"
>;

/** Names under which providers take cache marks. The marks are the session's: they move, and are no part of what is said. */
const MARKS: readonly string[] = ["cacheControl", "cache_control", "cachePoint"];

/** Options that belong to a part and go back with it: signatures, ids, citations. @param fields others that do, too */
export function toNative(options: unknown, fields: JsonObject = {}): { native?: Native } {
  const kept = withoutMarks(options);
  const block = { ...fields, ...(kept === undefined ? {} : { providerOptions: kept }) };
  return Object.keys(block).length === 0 ? {} : { native: { provider: AI_SDK, block } };
}

/** The same options, for the part that is sent back. */
export function optionsOf(native: Native | undefined): { providerOptions?: SharedV4ProviderOptions } {
  if (native?.provider !== AI_SDK) return {};
  const { providerOptions } = asObject(native.block) ?? {};
  return providerOptions === undefined ? {} : { providerOptions: providerOptions as SharedV4ProviderOptions };
}

/** The name of a file, for the part that is sent back. */
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
