import type { RecordedBlock, RecordedMessage } from "../transcripts/readers/recorded.ts";
import type { Part } from "./analysis.ts";
import { AGENT } from "./window.ts";

const RESULTS_OF = "results of ";

/** The name of the part of the window that a block belongs to. */
export function partOf(block: RecordedBlock, origin: RecordedMessage["origin"], tool: string | undefined): string {
  if (block.kind === "tool_result") return `${RESULTS_OF}${tool ?? "unknown"}`;
  if (block.kind === "tool_call") return "calls";
  if (block.kind === "thinking") return "thinking";
  if (origin === "model") return "assistant";
  if (origin === "summary") return "summary";
  return origin === "human" ? "user" : AGENT;
}

/** What a name stands for. */
export function readPart(name: string): Part {
  if (name.startsWith(RESULTS_OF)) return { kind: "results", tool: name.slice(RESULTS_OF.length) };
  return { kind: name as Part["kind"] };
}
