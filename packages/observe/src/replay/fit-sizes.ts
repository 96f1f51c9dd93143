import type { Block } from "palimpsest";
import { thinkingTokens } from "./recorded-thinking.ts";

/** Sizes by the recorded provider, which make the simulated one count alike. */
export interface RecordedSizes {
  /** Tokens of system prompt, tools, and anything else in the first request that is in no transcript. */
  readonly headTokens: number;
  readonly bytesPerToken: number;
}

/** The part of a recorded round that shows sizes. */
interface SizedRound {
  readonly arrivals: readonly { readonly blocks: readonly Block[] }[];
  readonly response: { readonly blocks: readonly Block[] };
  readonly contextTokens?: number;
  readonly follows: "round" | "compaction";
}

/** The overhead of each block, as in the simulator's plain tokenizer. */
const BLOCK_TOKENS = 4;
/** Medians of the recorded sessions with this information: 31,000 tokens, and 0.36 tokens a byte. */
const USUAL: RecordedSizes = { headTokens: 31_000, bytesPerToken: 2.8 };
/** Limits that every vocabulary in use keeps. */
const BYTES_PER_TOKEN = { least: 1, most: 5 };
const HEAD_TOKENS = { least: 3_000, most: 60_000 };
/** A smaller growth shows too little. */
const LEAST_GROWTH_TOKENS = 5_000;

/**
 * Fits the sizes to the recorded growth from request to request, without compactions. Media and other content that is not in the
 * transcript count as part of the text next to them.
 */
export function fitSizes(rounds: readonly SizedRound[]): RecordedSizes {
  let [grownTokens, grownBytes] = [0, 0];
  for (const [index, round] of rounds.entries()) {
    const before = rounds[index - 1];
    if (before?.contextTokens === undefined || round.contextTokens === undefined || round.follows !== "round") continue;
    const blocks = [...before.response.blocks, ...round.arrivals.flatMap((item) => item.blocks)];
    const tokens = round.contextTokens - before.contextTokens - BLOCK_TOKENS * blocks.length - thoughtsOf(blocks);
    const bytes = bytesOf(blocks);
    if (tokens <= 0 || bytes === 0) continue;
    grownTokens += tokens;
    grownBytes += bytes;
  }
  const bytesPerToken =
    grownTokens < LEAST_GROWTH_TOKENS ? USUAL.bytesPerToken : within(grownBytes / grownTokens, BYTES_PER_TOKEN);
  const [first] = rounds;
  if (first?.contextTokens === undefined) return { ...USUAL, bytesPerToken };
  const said = first.arrivals.flatMap(({ blocks }) => blocks);
  const saidTokens = bytesOf(said) / bytesPerToken + BLOCK_TOKENS * said.length;
  return { bytesPerToken, headTokens: Math.round(within(first.contextTokens - saidTokens, HEAD_TOKENS)) };
}

/** The tokens of the thinking: their number is known, whatever a byte of text counts. */
export function thoughtsOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + (block.kind === "thinking" ? thinkingTokens(block) : 0), 0);
}

/** Of what is counted of a block: its text, or its name and input. */
function bytesOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + Buffer.byteLength(countedText(block)), 0);
}

export function countedText(block: Block): string {
  switch (block.kind) {
    case "text":
      return block.text;
    case "tool_call":
      return `${block.name}${JSON.stringify(block.input)}`;
    case "tool_result":
      return typeof block.content === "string" ? block.content : "";
    default:
      return "";
  }
}

function within(value: number, { least, most }: { readonly least: number; readonly most: number }): number {
  return Math.min(most, Math.max(least, value));
}
