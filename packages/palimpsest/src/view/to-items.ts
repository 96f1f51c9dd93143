import type { AttachmentPayload, MessagePayload, Replacement, RequestPayload } from "../log/payload.ts";
import type { FeatureOptions } from "../tokens/features.ts";
import { type MessageItem, type Seal, toItem } from "./item.ts";

/** A message as it is shown before anything is decided about it. */
export function messageItem(
  at: number,
  { role, blocks, origin, responseId, answers, provider, stored, stop }: MessagePayload,
  options?: FeatureOptions,
): MessageItem {
  const known = {
    ...(responseId === undefined ? {} : { responseId }),
    ...(answers === undefined ? {} : { answers }),
    ...(provider === undefined ? {} : { provider }),
    ...(stored === undefined ? {} : { stored }),
    ...(stop === undefined ? {} : { stop }),
  };
  return toItem({ from: at, to: at, role, blocks, origin, ...known }, options);
}

export function attachmentItem(at: number, { type, blocks }: AttachmentPayload, options?: FeatureOptions): MessageItem {
  return toItem({ from: at, to: at, role: "user", blocks, origin: "host", attachment: type }, options);
}

export function sealItem(at: number, { maxTokens, previousResponseId }: RequestPayload): Seal {
  const compared = previousResponseId === undefined ? {} : { previousResponseId };
  return { kind: "seal", from: at, to: at, maxTokens, ...compared };
}

export function replacementItems(
  { from, to, by }: Pick<MessageItem, "from" | "to"> & { readonly by: number },
  replacements: readonly Replacement[],
  options?: FeatureOptions,
): MessageItem[] {
  return replacements.map((replacement) => toItem({ from, to, by, ...replacement }, options));
}
