import type { Block } from "palimpsest";
import type { RecordedThinking } from "../transcripts/readers/recorded.ts";

type Thinking = Extract<Block, { kind: "thinking" }>;

/** The engine counts signatures at this rate before a session has counts of its own (`size/calibration.ts`). */
export const TOKENS_PER_SIGNATURE_CHARACTER = 0.19;
/** Where a signature is missing: in recordings of Claude, signatures have three times as many characters as the text. */
const SIGNATURE_PER_TEXT = 3;

/**
 * Thinking of a recording. Only its size is replayed: the simulated service signs a block of that size. Codex records no content
 * but a count of tokens for the whole response, of which the block gets a share.
 */
export function toThinking({ text, signature }: RecordedThinking, reasoningTokens: number | undefined): Thinking[] {
  const characters =
    reasoningTokens === undefined
      ? (signature?.length ?? SIGNATURE_PER_TEXT * text.length)
      : Math.round(reasoningTokens / TOKENS_PER_SIGNATURE_CHARACTER);
  return characters === 0
    ? []
    : [{ kind: "thinking", provider: "recorded", text: "", signature: "=".repeat(characters) }];
}

/** The tokens of a recorded thinking block, as the simulated service counts it. */
export function thinkingTokens({ signature = "" }: Thinking): number {
  return Math.ceil(Math.max(LEAST_CHARACTERS, signature.length) * TOKENS_PER_SIGNATURE_CHARACTER);
}

/** The shortest signature that the simulated service makes: it holds several digests. */
const LEAST_CHARACTERS = 340;
