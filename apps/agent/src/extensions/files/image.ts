import { extname } from "node:path";
import type { Part } from "palimpsest";
import { detectMediaType } from "palimpsest/provider-parts";

/** The image size limit of most providers. */
export const MAX_IMAGE_BYTES: number = 5 * 1_048_576;

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

/** The media type by the file's name. Undefined if models do not accept it as an image. */
export function imageTypeOf(path: string): string | undefined {
  return MEDIA_TYPES[extname(path).toLowerCase()];
}

/** Recognizes an image by its bytes, whatever its name. Undefined if models do not accept it. */
export function imagePart(bytes: Buffer): Part | undefined {
  const mediaType = detectMediaType(bytes);
  if (mediaType === undefined || !Object.values(MEDIA_TYPES).includes(mediaType)) return undefined;
  return { kind: "image", source: { kind: "base64", mediaType, data: bytes.toString("base64") } };
}
