import type { MediaSource } from "../log/block.ts";

/** Returns media in the form that most services accept: a web address, or a data URL with the bytes. */
export function toUrl(source: MediaSource): string {
  return source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

/** The media that an address or a data URL stands for. */
export function fromUrl(url: string): MediaSource {
  const [, mediaType, data] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? [];
  return mediaType === undefined || data === undefined ? { kind: "url", url } : { kind: "base64", mediaType, data };
}

/** Some services require a file name and read the type from its extension. */
export function fileNameOf(source: MediaSource): string {
  return `document.${source.kind === "base64" && source.mediaType === "application/pdf" ? "pdf" : "txt"}`;
}
