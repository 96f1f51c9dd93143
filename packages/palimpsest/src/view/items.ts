import type { PassedOver, ReadEntry } from "../log/draft.ts";
import type { AttachmentPayload, MessagePayload, Replacement, RequestPayload } from "../log/payload.ts";
import type { FeatureOptions } from "../tokens/features.ts";
import { type Item, type MessageItem, type Seal, toItem } from "./item.ts";

/** Returns the items of an entry before any decision about it; undefined if the entry is not for the model. */
export function itemOf(read: ReadEntry | PassedOver, options?: FeatureOptions): Item | undefined {
  switch (read.kind) {
    case "message":
      return read.payload.audience === "user" ? undefined : messageItem(read.sequence, read.payload, options);
    case "attachment":
      return attachmentItem(read.sequence, read.payload, options);
    case "request":
      return sealItem(read.sequence, read.payload);
    default:
      return undefined;
  }
}

export function messageItem(
  at: number,
  { role, blocks, origin, provenance, responseId, answers, provider, stored, stop }: MessagePayload,
  options?: FeatureOptions,
): MessageItem {
  const known = {
    ...(provenance === undefined ? {} : { provenance }),
    ...(responseId === undefined ? {} : { responseId }),
    ...(answers === undefined ? {} : { answers }),
    ...(provider === undefined ? {} : { provider }),
    ...(stored === undefined ? {} : { stored }),
    ...(stop === undefined ? {} : { stop }),
  };
  return toItem({ from: at, to: at, role, blocks, origin, ...known }, options);
}

function attachmentItem(
  at: number,
  { type, blocks, provenance }: AttachmentPayload,
  options?: FeatureOptions,
): MessageItem {
  return toItem({ from: at, to: at, role: "user", blocks, origin: "host", attachment: type, provenance }, options);
}

export function sealItem(
  at: number,
  { maxTokens, previousResponseId, cacheTtl, headTtl, cache }: RequestPayload,
): Seal {
  const compared = previousResponseId === undefined ? {} : { previousResponseId };
  const asked = {
    ...(cacheTtl === undefined ? {} : { cacheTtl }),
    ...(headTtl === undefined ? {} : { headTtl }),
    ...(cache?.edits === undefined ? {} : { edits: cache.edits }),
    ...(cache?.deleted === undefined ? {} : { deleted: cache.deleted }),
  };
  return { kind: "seal", from: at, to: at, maxTokens, ...compared, ...asked };
}

export function replacementItems(
  { from, to, by }: Pick<MessageItem, "from" | "to"> & { readonly by: number },
  replacements: readonly Replacement[],
  options?: FeatureOptions,
): MessageItem[] {
  return replacements.map((replacement) => toItem({ from, to, by, ...replacement }, options));
}
