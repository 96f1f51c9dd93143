import { gatherError, withNumber } from "./overflow.ts";
import type { MediaProblem, ProviderFailure } from "./provider.ts";

/**
 * Recognizes errors that refuse an image or a document, at any depth of wrapping. Returns undefined for other errors.
 */
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
    place,
  };
}

/** A failure because of a refused image or document. */
export type MediaRefusal = Extract<ProviderFailure, { kind: "media-refused" }>;

/** Statuses of a refused request. With any other status, media are not the cause. */
const REFUSED_STATUSES: readonly number[] = [400, 413, 415, 422];

/** The place of the media in the request: `messages.3.content.1.image...`, `input[3].content[1].image_url`. */
const PLACE = /\b(?:messages|input)(?:\.\w+|\[\d+\])+/;

/** Machine codes that always mean refused media. */
const MEDIA_CODES: Readonly<Record<string, MediaProblem>> = {
  invalid_image: "unreadable",
  invalid_image_format: "unsupported",
  invalid_base64_image: "unreadable",
  invalid_image_url: "unreadable",
  image_too_large: "too-large",
  image_too_small: "unreadable",
  image_parse_error: "unreadable",
  image_content_policy_violation: "unsupported",
  invalid_image_mode: "unreadable",
  image_file_too_large: "too-large",
  unsupported_image_media_type: "unsupported",
  empty_image_file: "unreadable",
  failed_to_download_image: "unreadable",
  image_file_not_found: "unreadable",
};

/** Sentences with which providers refuse an image or a document. `N` stands for a number; the first match wins. */
const MEDIA_TEXTS: readonly (readonly [MediaProblem, RegExp])[] = [
  // Anthropic, also behind Bedrock and Vertex
  ["too-many", /too many images/],
  ["too-many", /maximum of N (?:images|documents) may be provided/],
  ["too-large", /image exceeds N ?[km]b maximum/],
  ["too-large", /image dimensions exceed max allowed size/],
  ["too-large", /maximum of N pdf pages may be provided/],
  ["unreadable", /could not process (?:image|pdf|document)/],
  ["unreadable", /image was specified using the .{1,40} media type, but the image appears to be/],
  ["unreadable", /(?:image|pdf|document) cannot be empty/],
  ["unreadable", /pdf specified (?:was not valid|is password protected)/],
  ["unsupported", /(?:image|document)\.source\.base64\.media_type: input should be/],
  // OpenAI, Azure
  ["unsupported", /you uploaded an unsupported image/],
  ["unreadable", /image data you provided does not represent a valid image/],
  ["unreadable", /invalid (?:base64 )?image(?:_url| data)/],
  ["unreadable", /unable to (?:download|process) .{0,30}image/],
  ["too-large", /'[^']*(?:image_url|file_data)[^']*': string too long/],
  ["too-large", /image (?:is|was) too large/],
  ["unreadable", /(?:pdf|file) .{0,60}(?:is password protected|is encrypted|could not be (?:read|parsed|processed))/],
  // Models and servers that accept no images at all
  ["no-media", /(?:image_url|image input|images?|vision) (?:is|are) (?:only|not) supported/],
  ["no-media", /does not support (?:image|vision|document|file|pdf)/],
  ["no-media", /no endpoints found that support image input/],
];

const PATTERNS = MEDIA_TEXTS.map(([problem, pattern]) => [problem, withNumber(pattern)] as const);
