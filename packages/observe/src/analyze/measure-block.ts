import type { Block, Part } from "palimpsest";
import { FEATURE_NAMES, type FeatureName, type Features, featuresOf } from "palimpsest/inspect";

import type { RecordedBlock, RecordedPart } from "../transcripts/readers/recorded.ts";

/** Of longer texts only pieces are looked at: what they cost together is counted by the provider, shares are all that is asked. */
const SAMPLE_PIECES = 3;
const PIECE_CHARACTERS = 768;
const SAMPLE_CHARACTERS = SAMPLE_PIECES * PIECE_CHARACTERS;

/** What of a recorded block costs tokens. */
export function measureBlock(block: RecordedBlock): Features {
  const text = block.kind === "text" ? block.text : block.kind === "tool_result" ? block.content : undefined;
  if (typeof text !== "string" || text.length <= SAMPLE_CHARACTERS) return featuresOf(toBlock(block));
  const distance = (text.length - PIECE_CHARACTERS) / (SAMPLE_PIECES - 1);
  const pieces = Array.from({ length: SAMPLE_PIECES }, (_, piece) => {
    const start = Math.floor(piece * distance);
    return text.slice(start, start + PIECE_CHARACTERS);
  });
  const sampled = featuresOf({ kind: "text", text: pieces.join("") });
  const scale = text.length / SAMPLE_CHARACTERS;
  const features: Record<FeatureName, number> = { ...sampled };
  for (const name of FEATURE_NAMES) features[name] = sampled[name] * scale;
  return { ...features, blocks: 1, toolResults: block.kind === "tool_result" ? 1 : 0 };
}

function toBlock(block: RecordedBlock): Block {
  switch (block.kind) {
    case "thinking":
      return { ...block, provider: "" };
    case "tool_call":
      return { kind: "tool_call", id: block.callId, name: block.name, input: block.input };
    case "tool_result": {
      const content = typeof block.content === "string" ? block.content : block.content.map(toPart);
      return { kind: "tool_result", callId: block.callId, content, status: "ok" };
    }
    default:
      return toPart(block);
  }
}

function toPart(part: RecordedPart): Part {
  switch (part.kind) {
    case "text":
      return part;
    case "opaque":
      return { kind: "opaque", native: { provider: "", block: part.value } };
    default:
      // What it costs hangs on how many there are, not on the bytes, which are not recorded.
      return { kind: part.kind, source: { kind: "base64", mediaType: part.mediaType, data: "" } };
  }
}
