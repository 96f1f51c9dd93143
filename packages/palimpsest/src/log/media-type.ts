// Detects the real type of images and PDFs, and checks media against the type that they declare.

import type { Media } from "./block.ts";

/** Image types that the services accept. */
export const IMAGE_TYPES: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const PDF = "application/pdf";

/** `corrected`: the bytes have another type than the declared one. `unreadable`: no service accepts the media. */
type CheckedMedia =
  | { readonly kind: "fine" }
  | { readonly kind: "corrected"; readonly media: Media }
  | { readonly kind: "unreadable"; readonly why: string };

/**
 * Checks whether media have their declared type. Examines only content that a service decodes. URLs, plain text and types that
 * no service accepts pass, because they are sent unchanged or as text.
 */
export function checkMedia(media: Media): CheckedMedia {
  const { kind, source } = media;
  // An append refuses malformed content.
  if (source?.kind !== "base64" || typeof source.data !== "string") return { kind: "fine" };
  const { mediaType, data } = source;
  const isShown = kind === "image" ? IMAGE_TYPES.includes(mediaType) : mediaType === PDF;
  const bytes = firstBytes(data);
  if (bytes === undefined) return isShown ? unreadable(`its data is no base64`) : { kind: "fine" };
  if (isShown && bytes.length === 0) return unreadable("it is empty");
  const found = detectMediaType(bytes);
  if (found === mediaType) return { kind: "fine" };
  const isUsable = found !== undefined && (kind === "image" ? IMAGE_TYPES.includes(found) : found === PDF);
  if (isUsable) return { kind: "corrected", media: { ...media, source: { ...source, mediaType: found } } };
  if (!isShown) return { kind: "fine" };
  return unreadable(found === undefined ? `its bytes are no ${mediaType}` : `it is ${found}, not ${mediaType}`);
}

function unreadable(why: string): CheckedMedia {
  return { kind: "unreadable", why };
}

/** How much of the content is examined. A PDF may have some bytes before its signature. */
const EXAMINED_BYTES = 1_024;

/** Decodes the beginning of a base64 text; undefined if the text is not base64. */
function firstBytes(base64: string): Uint8Array | undefined {
  try {
    const binary = atob(base64.slice(0, Math.ceil(EXAMINED_BYTES / 3) * 4));
    return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Detects the type of an image or a PDF from its first bytes; undefined for other content. */
export function detectMediaType(bytes: Uint8Array): string | undefined {
  const starts = (...expected: readonly number[]): boolean => expected.every((byte, at) => bytes[at] === byte);
  const says = (at: number, word: string): boolean =>
    word.split("").every((letter, index) => bytes[at + index] === letter.charCodeAt(0));
  if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return "image/png";
  if (starts(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (says(0, "GIF87a") || says(0, "GIF89a")) return "image/gif";
  if (says(0, "RIFF") && says(8, "WEBP")) return "image/webp";
  const text = String.fromCharCode(...bytes.subarray(0, EXAMINED_BYTES));
  return text.includes("%PDF-") ? PDF : undefined;
}
