import { longestWithin } from "./longest-within.ts";
import type { Reply, StopCause, Words } from "./script.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** Content that the model wrote, with calls serialized. */
export type SpokenWords = SpokenText | SpokenThinking | SpokenCall;

interface Spoken {
  readonly tokens: number;
  readonly ending: "complete" | "cut";
}

export interface SpokenText extends Spoken {
  readonly kind: "text";
  readonly text: string;
}

export interface SpokenThinking extends Spoken {
  readonly kind: "thinking";
  readonly text: string;
  readonly display: "as-asked" | "redacted";
}

export interface SpokenCall extends Spoken {
  readonly kind: "tool-call";
  readonly name: string;
  readonly input: unknown;
  /** The written part of the input: of a cut call only the beginning, of a garbled one invalid JSON. */
  readonly arguments: string;
  readonly id?: string;
}

export interface Speech {
  readonly words: readonly SpokenWords[];
  readonly outputTokens: number;
  readonly thinkingTokens: number;
  readonly stop: StopCause;
  /** The stop sequence that was met; it is not part of the text. */
  readonly stopSequence?: string;
  /** Whether the limit cut the content. A script can also end with the same stop cause by itself. */
  readonly ending: "complete" | "cut";
}

export interface SpeakOptions {
  readonly tokenizer: Tokenizer;
  readonly maxOutputTokens: number;
  /** A model without thinking never writes thinking, whatever its script returns. */
  readonly thinking: "said" | "left-out";
  /** Searched in each text. @default none */
  readonly stopSequences?: readonly string[];
}

/** Writes the reply until it is done, meets a stop sequence, or reaches the output limit in mid-word. */
export function speak(reply: Reply, options: SpeakOptions): Speech {
  const { tokenizer, maxOutputTokens, thinking, stopSequences = [] } = options;
  const words: SpokenWords[] = [];
  let outputTokens = 0;
  let thinkingTokens = 0;
  let ending: "complete" | "cut" = "complete";
  let stopSequence: string | undefined;
  const wanted = reply.words.filter(({ kind }) => kind !== "thinking" || thinking === "said");
  for (const word of wanted) {
    const stop = word.kind === "text" ? findStop(word.text, stopSequences) : undefined;
    const text = stop?.before ?? (word.kind === "tool-call" ? argumentsOf(word) : word.text);
    const overhead = word.kind === "tool-call" ? tokenizer.countText(word.name) + tokenizer.blockTokens : 0;
    const room = maxOutputTokens - outputTokens - overhead;
    if (room < 0) {
      ending = "cut";
      break;
    }
    const said = longestWithin(text, room, tokenizer);
    if (said.length < text.length) ending = "cut";
    // A text or a thought without any room is left out.
    if (said === "" && ending === "cut" && word.kind !== "tool-call") break;
    const tokens = tokenizer.countText(said) + overhead;
    outputTokens += tokens;
    if (word.kind === "thinking") thinkingTokens += tokens;
    words.push(toSpoken(word, said, { tokens, ending }));
    if (ending === "complete") stopSequence = stop?.sequence;
    if (ending === "cut" || stopSequence !== undefined) break;
  }
  const calls = words.some(({ kind }) => kind === "tool-call");
  const stopped = stopSequence === undefined ? undefined : "stop-sequence";
  return {
    words,
    outputTokens,
    thinkingTokens,
    stop: ending === "cut" ? "output-limit" : (stopped ?? reply.stop ?? (calls ? "tool-call" : "end")),
    stopSequence,
    ending,
  };
}

/** Returns the first stop sequence in a text, and the text before it. */
function findStop(text: string, sequences: readonly string[]): { before: string; sequence: string } | undefined {
  let first: { index: number; sequence: string } | undefined;
  for (const sequence of sequences) {
    const index = sequence === "" ? -1 : text.indexOf(sequence);
    if (index >= 0 && (first === undefined || index < first.index)) first = { index, sequence };
  }
  return first && { before: text.slice(0, first.index), sequence: first.sequence };
}

function toSpoken(word: Words, said: string, spoken: Spoken): SpokenWords {
  switch (word.kind) {
    case "text":
      return { kind: "text", text: said, ...spoken };
    case "thinking":
      return { kind: "thinking", text: said, display: word.display ?? "as-asked", ...spoken };
    case "tool-call": {
      const { name, input, id } = word;
      return { kind: "tool-call", name, input, arguments: said, id, ...spoken };
    }
  }
}

function argumentsOf(call: Extract<Words, { kind: "tool-call" }>): string {
  return call.rawInput ?? JSON.stringify(call.input ?? {});
}
