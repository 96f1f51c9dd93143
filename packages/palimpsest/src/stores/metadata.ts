import { InvalidOptionError } from "../log/invalid-option-error.ts";
import type { SessionMetadata } from "./store.ts";

/** The size limit of a session's metadata, as JSON in UTF-8: lists stay fast, and content belongs in the log. */
export const MAX_METADATA_BYTES = 16_384;

/** Returns the metadata as JSON text. Throws an `InvalidOptionError` if a store could not return the same value. */
export function toMetadataText(metadata: SessionMetadata): string {
  const isObject = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
  const text = isObject ? JSON.stringify(metadata) : undefined;
  if (text === undefined) throw new InvalidOptionError("setMetadata(session, metadata)", metadata, "a JSON object");
  const bytes = new TextEncoder().encode(text).length;
  if (bytes <= MAX_METADATA_BYTES) return text;
  throw new InvalidOptionError(
    "setMetadata(session, metadata)",
    metadata,
    "smaller",
    `The metadata takes ${bytes} bytes as JSON; at most ${MAX_METADATA_BYTES} are kept. Leave something out.`,
  );
}

/** Parses metadata; undefined for an invalid text. */
export function fromMetadataText(text: string): SessionMetadata | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as SessionMetadata) : undefined;
  } catch {
    return undefined;
  }
}
