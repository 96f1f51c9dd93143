import type { Media } from "../log/block.ts";
import { IMAGE_TYPES } from "../log/media-type.ts";

/**
 * Whether the services accept media of this type. A refused type would block every later request of the conversation.
 */
export function canBeShown({ kind, source }: Media): boolean {
  if (source.kind === "url") return true;
  if (kind === "image") return IMAGE_TYPES.includes(source.mediaType);
  return source.mediaType === "application/pdf" || source.mediaType.startsWith("text/");
}

/** Returns the text in place of media that cannot be shown. */
export function describeMedia({ kind, source }: Media): string {
  return source.kind === "url"
    ? `[${kind} at ${source.url}, which cannot be shown]`
    : `[${kind} of type ${source.mediaType}, which cannot be shown]`;
}
