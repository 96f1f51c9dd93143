import type { Media, Part, ToolResult } from "../log/block.ts";

/** The texts of a result, for services whose results contain only text. */
export function textOfResult({ content }: ToolResult): string {
  if (typeof content === "string") return content;
  return content
    .filter((part) => part.kind === "text")
    .map(({ text }) => text)
    .join("\n");
}

/** The images and documents of a result, which such services are shown beside it. */
export function mediaOfResult({ content }: ToolResult): readonly Media[] {
  return typeof content === "string" ? [] : content.filter(isMedia);
}

function isMedia(part: Part): part is Media {
  return part.kind === "image" || part.kind === "document";
}
