import { type Digest, digestText } from "./digest.ts";
import { Prefix } from "./prefix.ts";
import type { Tokenizer } from "./tokenizer.ts";

export type BreakpointLifetime = "30m" | "12h" | "inherited";

/** The smallest piece of a prompt that the cache can tell from another. */
export interface PromptBlock {
  readonly digest: Digest;
  readonly tokens: number;
  readonly breakpoint?: BreakpointLifetime;
}

/** One item of a Responses input or one message of a chat, as it enters the prompt. */
export interface PromptEntry {
  readonly speaker: "instructions" | "user" | "assistant" | "tool";
  /** What was said, without images and calls. */
  readonly text: string;
  readonly blocks: readonly PromptBlock[];
  readonly tokens: number;
  /** The calls an assistant's entry makes. */
  readonly calls?: readonly string[];
  /** The call that a tool's entry answers. */
  readonly resultOf?: string;
}

/** A whole prompt in the order of the cache: settings, tools, instructions, conversation. */
export interface Prompt {
  /** What changes the rendered prompt or its routing as a whole; any difference here misses everything cached. */
  readonly settings: readonly unknown[];
  readonly head: readonly PromptBlock[];
  readonly entries: readonly PromptEntry[];
}

export interface RenderedPrompt {
  readonly prefix: Prefix;
  /** Explicit breakpoints as positions in the prefix, in order. */
  readonly marks: readonly { readonly position: number; readonly lifetime: BreakpointLifetime }[];
}

export function renderPrompt(prompt: Prompt): RenderedPrompt {
  const prefix = new Prefix();
  const marks: { position: number; lifetime: BreakpointLifetime }[] = [];
  const append = (block: PromptBlock): void => {
    prefix.append(block.digest, block.tokens);
    if (block.breakpoint !== undefined) marks.push({ position: prefix.length, lifetime: block.breakpoint });
  };
  prefix.mix(digestText(JSON.stringify(prompt.settings)));
  for (const block of prompt.head) append(block);
  for (const entry of prompt.entries) for (const block of entry.blocks) append(block);
  return { prefix, marks };
}

/** A block of text or of JSON. The label tells apart what would read the same: a user's words and a tool's. */
export function textBlock(label: string, text: string, tokenizer: Tokenizer): PromptBlock {
  return { digest: digestText(`${label}\n${text}`), tokens: tokenizer.countText(text) + tokenizer.blockTokens };
}

/** An image, a file or a sound: sized by its kind, told apart by its content. */
export function mediaBlock(label: string, content: unknown, tokens: number): PromptBlock {
  return { digest: digestText(`${label}\n${JSON.stringify(content)}`), tokens };
}

export function toolBlock(tool: object, tokenizer: Tokenizer): PromptBlock {
  const text = JSON.stringify(tool);
  return { digest: digestText(`tool\n${text}`), tokens: tokenizer.countText(text) + tokenizer.toolTokens };
}

export function sumTokens(blocks: readonly PromptBlock[]): number {
  let tokens = 0;
  for (const block of blocks) tokens += block.tokens;
  return tokens;
}

/** The newest thing the user said, and the results at the end that nobody has answered yet. */
export function askedFor(entries: readonly PromptEntry[]): {
  userText: string;
  toolResults: { callId: string; text: string }[];
} {
  const userText = entries.findLast((entry) => entry.speaker === "user")?.text ?? "";
  const lastAnswer = entries.findLastIndex((entry) => entry.speaker === "assistant");
  const toolResults = entries
    .slice(lastAnswer + 1)
    .flatMap((entry) => (entry.resultOf === undefined ? [] : [{ callId: entry.resultOf, text: entry.text }]));
  return { userText, toolResults };
}
