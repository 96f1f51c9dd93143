// Converts files of the AI SDK to images and documents, and their data to JSON and back.

import type { SharedV4FileData } from "@ai-sdk/provider";
import type { Media, MediaSource } from "palimpsest/provider-parts";
import { asObject, asString } from "palimpsest/schema";

/** Converts a file of a message to an image or a document; undefined if only its provider can read the file. */
export function toMedia(data: unknown, mediaType: string): Media | undefined {
  const source = toSource(data, mediaType);
  return source && { kind: mediaType.startsWith("image") ? "image" : "document", source };
}

function toSource(data: unknown, mediaType: string): MediaSource | undefined {
  const fields = asObject(plainData(data)) ?? {};
  const [bytes, text, url] = [fields["data"], fields["text"], fields["url"]].map(asString);
  // Our form of a URL has no media type, so audio and video keep the form of the SDK.
  if (url !== undefined) return /^($|image|application\/pdf)/.test(mediaType) ? { kind: "url", url } : undefined;
  if (bytes !== undefined) return { kind: "base64", mediaType, data: bytes };
  if (text !== undefined) return { kind: "base64", mediaType, data: toBase64(new TextEncoder().encode(text)) };
  return undefined;
}

/** Renders a file. Our form of a URL has no media type, so the type is any image, or PDF for a document. */
export function toFile({ kind, source }: Media): { readonly mediaType: string; readonly data: SharedV4FileData } {
  if (source.kind === "base64") return { mediaType: source.mediaType, data: { type: "data", data: source.data } };
  const mediaType = kind === "image" ? "image/*" : "application/pdf";
  return { mediaType, data: { type: "url", url: new URL(source.url) } };
}

/** Converts the data of a file to a form that JSON preserves. */
export function plainData(data: unknown): unknown {
  if (data instanceof Uint8Array) return { type: "data", data: toBase64(data) };
  const fields = asObject(data);
  if (fields?.["data"] instanceof Uint8Array) return { ...fields, data: toBase64(fields["data"]) };
  if (fields?.["url"] instanceof URL) return { ...fields, url: fields["url"].href };
  return data;
}

/** Converts stored data of a file to the form that a provider accepts. */
export function liveData(data: unknown): unknown {
  const fields = asObject(data);
  const url = asString(fields?.["url"]);
  return url === undefined ? data : { ...fields, url: new URL(url) };
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  // In pieces, because a photo has more bytes than a call can have arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
