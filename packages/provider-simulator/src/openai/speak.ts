import type { Reply, StopCause, Words } from "../script.ts";
import type { Tokenizer } from "../tokenizer.ts";

/** Words that made it out of the model, with calls serialised. */
export type SpokenWords =
  | { readonly kind: "text" | "thinking"; readonly text: string; readonly ending: "complete" | "cut" }
  | {
      readonly kind: "tool-call";
      readonly name: string;
      readonly arguments: string;
      readonly id?: string;
      readonly ending: "complete" | "cut";
    };

export interface Speech {
  readonly words: readonly SpokenWords[];
  readonly outputTokens: number;
  readonly thinkingTokens: number;
  readonly stop: StopCause;
}

export interface SpeakOptions {
  readonly tokenizer: Tokenizer;
  readonly maxOutputTokens: number;
  /** A model without reasoning never thinks aloud, whatever its script says. */
  readonly reasoning: "always" | "none";
}

/** Lets the model speak until it is done or its output limit cuts it off, in the middle of a word if need be. */
export function speak(reply: Reply, { tokenizer, maxOutputTokens, reasoning }: SpeakOptions): Speech {
  const words: SpokenWords[] = [];
  let outputTokens = 0;
  let thinkingTokens = 0;
  let ending: "complete" | "cut" = "complete";
  const wanted = reply.words.filter(({ kind }) => kind !== "thinking" || reasoning === "always");
  for (const word of wanted) {
    const text = word.kind === "tool-call" ? argumentsOf(word) : word.text;
    const overhead = word.kind === "tool-call" ? tokenizer.countText(word.name) + tokenizer.blockTokens : 0;
    const room = maxOutputTokens - outputTokens - overhead;
    if (room < 0) {
      ending = "cut";
      break;
    }
    const said = longestWithin(text, room, tokenizer);
    if (said.length < text.length) ending = "cut";
    const tokens = tokenizer.countText(said) + overhead;
    outputTokens += tokens;
    if (word.kind === "thinking") thinkingTokens += tokens;
    words.push(
      word.kind === "tool-call"
        ? {
            kind: "tool-call",
            name: word.name,
            arguments: said,
            ending,
            ...(word.id === undefined ? {} : { id: word.id }),
          }
        : { kind: word.kind, text: said, ending },
    );
    if (ending === "cut") break;
  }
  const calls = words.some(({ kind }) => kind === "tool-call");
  return {
    words,
    outputTokens,
    thinkingTokens,
    stop: ending === "cut" ? "output-limit" : (reply.stop ?? (calls ? "tool-call" : "end")),
  };
}

function argumentsOf(call: Extract<Words, { kind: "tool-call" }>): string {
  return call.rawInput ?? JSON.stringify(call.input ?? {});
}

function longestWithin(text: string, tokens: number, tokenizer: Tokenizer): string {
  if (tokenizer.countText(text) <= tokens) return text;
  let low = 0;
  let high = text.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (tokenizer.countText(text.slice(0, middle)) <= tokens) low = middle;
    else high = middle - 1;
  }
  const end = low > 0 && isHighSurrogate(text, low - 1) ? low - 1 : low;
  return text.slice(0, end);
}

function isHighSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xd800 && code < 0xdc00;
}
