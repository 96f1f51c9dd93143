import { extname } from "node:path";
import type { Part } from "palimpsest";

/** The limit of most providers for one image. */
export const MOST_IMAGE_BYTES: number = 5 * 1_048_576;

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

/** What a file's name says of it; undefined where it is none of the images that models are shown. */
export function imageTypeOf(path: string): string | undefined {
  return MEDIA_TYPES[extname(path).toLowerCase()];
}

export function imagePart(mediaType: string, bytes: Buffer): Part {
  return { kind: "image", source: { kind: "base64", mediaType, data: bytes.toString("base64") } };
}
