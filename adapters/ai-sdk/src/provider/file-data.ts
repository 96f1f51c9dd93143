import type { SharedV4FileData } from "@ai-sdk/provider";
import type { Media, MediaSource } from "palimpsest/provider-parts";
import { asObject, asString } from "palimpsest/schema";

/** A file of a message as an image or a document; undefined if only its provider can read it. */
export function toMedia(data: unknown, mediaType: string): Media | undefined {
  const source = toSource(data, mediaType);
  return source && { kind: mediaType.startsWith("image") ? "image" : "document", source };
}

function toSource(data: unknown, mediaType: string): MediaSource | undefined {
  const fields = asObject(plainData(data)) ?? {};
  const [bytes, text, url] = [fields["data"], fields["text"], fields["url"]].map(asString);
  // Of an address, our form does not keep the type: sounds and films stay in the SDK's.
  if (url !== undefined) return /^($|image|application\/pdf)/.test(mediaType) ? { kind: "url", url } : undefined;
  if (bytes !== undefined) return { kind: "base64", mediaType, data: bytes };
  if (text !== undefined) return { kind: "base64", mediaType, data: toBase64(new TextEncoder().encode(text)) };
  return undefined;
}

/** The data of a file part. An address without a known type is taken as what its provider is most likely to show. */
export function toFile({ kind, source }: Media): { readonly mediaType: string; readonly data: SharedV4FileData } {
  if (source.kind === "base64") return { mediaType: source.mediaType, data: { type: "data", data: source.data } };
  const mediaType = kind === "image" ? "image/*" : "application/pdf";
  return { mediaType, data: { type: "url", url: new URL(source.url) } };
}

/** Data of a file in a form that JSON keeps. */
export function plainData(data: unknown): unknown {
  if (data instanceof Uint8Array) return { type: "data", data: toBase64(data) };
  const fields = asObject(data);
  if (fields?.["data"] instanceof Uint8Array) return { ...fields, data: toBase64(fields["data"]) };
  if (fields?.["url"] instanceof URL) return { ...fields, url: fields["url"].href };
  return data;
}

/** The same as a provider takes it. */
export function liveData(data: unknown): unknown {
  const fields = asObject(data);
  const url = asString(fields?.["url"]);
  return url === undefined ? data : { ...fields, url: new URL(url) };
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  // In pieces: an argument for each byte of a photo would be too many.
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
