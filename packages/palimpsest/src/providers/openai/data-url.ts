import type { MediaSource } from "../../log/block.ts";

/** Media as the service takes it: an address on the web, or the bytes themselves in one. */
export function toUrl(source: MediaSource): string {
  return source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

export function fromUrl(url: string): MediaSource {
  const [, mediaType, data] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? [];
  return mediaType === undefined || data === undefined ? { kind: "url", url } : { kind: "base64", mediaType, data };
}

/** A file needs a name, and its ending tells the service what it is. */
export function fileNameOf(source: MediaSource): string {
  return `document.${source.kind === "base64" && source.mediaType === "application/pdf" ? "pdf" : "txt"}`;
}
