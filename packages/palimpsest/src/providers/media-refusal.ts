import { gatherError } from "./gather-error.ts";
import { MEDIA_CODES, MEDIA_TEXTS } from "./media-refusal-texts.ts";
import type { ProviderFailure } from "./provider-error.ts";

export type MediaRefusal = Extract<ProviderFailure, { kind: "media-refused" }>;

/** Statuses of a refused request. With any other status, media are not the cause. */
const REFUSED_STATUSES: readonly number[] = [400, 413, 415, 422];
const NUMBER = "\\d[\\d,._]*";
const PATTERNS = MEDIA_TEXTS.map(
  ([problem, { source }]) => [problem, new RegExp(source.replace(/\bN\b/g, NUMBER), "i")] as const,
);
/** The place of the media in the request: `messages.3.content.1.image...`, `input[3].content[1].image_url`. */
const PLACE = /\b(?:messages|input)(?:\.\w+|\[\d+\])+/;

/** Returns the refused image or document that an error reports, at any depth of wrapping; otherwise undefined. */
export function readMediaRefusal(error: unknown): MediaRefusal | undefined {
  const { texts, statuses } = gatherError(error);
  if (!statuses.every((status) => REFUSED_STATUSES.includes(status))) return undefined;
  const problem =
    texts.map((text) => (Object.hasOwn(MEDIA_CODES, text) ? MEDIA_CODES[text] : undefined)).find(Boolean) ??
    PATTERNS.find(([, pattern]) => texts.some((text) => pattern.test(text)))?.[0];
  if (problem === undefined) return undefined;
  const place = texts.map((text) => PLACE.exec(text)?.[0]).find(Boolean);
  const isDocument = texts.some((text) => /\b(?:pdf|document|file_data|input_file)\b/i.test(text));
  return {
    kind: "media-refused",
    problem,
    media: isDocument ? "document" : "image",
    ...(place === undefined ? {} : { place }),
  };
}
