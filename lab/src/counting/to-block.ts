import type { RecordedBlock, RecordedPart } from "@palimpsest/observe";
import type { Block, Part } from "palimpsest";

/** A block of a transcript in the engine's words. Of media the bytes are not recorded, and the engine does not look at them. */
export function toBlock(block: RecordedBlock, provider: string): Block {
  switch (block.kind) {
    case "thinking":
      return { ...block, provider };
    case "tool_call":
      return { kind: "tool_call", id: block.callId, name: block.name, input: block.input };
    case "tool_result":
      return {
        kind: "tool_result",
        callId: block.callId,
        content:
          typeof block.content === "string" ? block.content : block.content.map((part) => toPart(part, provider)),
        status: block.status === "error" ? "error" : "ok",
      };
    default:
      return toPart(block, provider);
  }
}

function toPart(part: RecordedPart, provider: string): Part {
  switch (part.kind) {
    case "text":
      return part;
    case "image":
    case "document":
      return { kind: part.kind, source: { kind: "base64", mediaType: part.mediaType, data: "" } };
    case "opaque":
      return { kind: "opaque", native: { provider, block: part.value } };
  }
}
