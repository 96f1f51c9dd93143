import type { Tokenizer } from "@palimpsest/provider-simulator";
import type { RebuiltBlock, RecordedRequest } from "./requests.ts";

/**
 * The sizes of all blocks of a session, scaled so that every request is as large as the provider said. What a transcript
 * does not hold stands before the conversation in three opaque blocks: the part of the system prompt that all sessions
 * share, the rest of the system prompt, and context that the client adds to the first message.
 */
export class PromptSizes {
  readonly #tokens = new Map<string, number>();
  #systemGeneration = 0;
  #contextGeneration = 0;
  #sharedTokens: number;
  #systemTokens: number;

  /** The first request finds only what other sessions left: its read is the shared part, unless the file goes on with another. */
  constructor(first: RecordedRequest) {
    const continued = first.usage.cacheReadTokens > 0.8 * first.contextTokens;
    this.#sharedTokens = continued ? 0 : first.usage.cacheReadTokens;
    // Without any hint: three quarters of a first request, which is mostly system prompt (medians 33K to 53K tokens).
    this.#systemTokens = this.#sharedTokens || 0.75 * Math.min(first.contextTokens, 45_000);
  }

  get sharedKey(): string {
    return "shared";
  }

  get systemKey(): string {
    return `system ${this.#systemGeneration}`;
  }

  get contextKey(): string {
    return `context ${this.#contextGeneration}`;
  }

  /** Sizes stand under keys, and keys are the text of the blocks: the simulated model counts by looking up. */
  get tokenizer(): Tokenizer {
    const countText = (text: string): number => {
      if (text === this.sharedKey) return this.#sharedTokens;
      if (text === this.systemKey) return this.#systemTokens - this.#sharedTokens;
      if (text.startsWith("tail ")) return Number(text.slice("tail ".length));
      return this.#tokens.get(text.endsWith("{}") ? text.slice(0, -"{}".length) : text) ?? 0;
    };
    const nothing = {
      blockTokens: 0,
      toolTokens: 0,
      imageTokens: 0,
      documentTokens: 0,
      signatureTokensPerCharacter: 0,
    };
    return { name: "recorded", countText, ...nothing };
  }

  /** A new process builds its system prompt anew; an edit that cannot be located changes the conversation from its start. */
  note({ changes, blocks }: RecordedRequest): void {
    if (changes.includes("restart")) this.#systemGeneration++;
    const cutUnseen = changes.includes("microcompaction") && !blocks.some(({ key }) => key.endsWith(":cleared"));
    if (changes.includes("shrunk") || cutUnseen) this.#contextGeneration++;
  }

  /** Gives what is new in a request the tokens by which it grew: the answer what it is known to have cost, the rest by estimate. */
  scale({ blocks, contextTokens, usage, changes }: RecordedRequest, before: RecordedRequest | undefined): void {
    const room = contextTokens - usage.freshTokens - this.#systemTokens;
    if (this.#tokens.size === 0 || changes.includes("compaction") || changes.includes("new-start")) {
      const estimated = sum(blocks.map(({ estimate }) => estimate));
      const share = estimated > room ? Math.max(0, room) / estimated : 1;
      for (const { key, estimate } of blocks) this.#tokens.set(key, estimate * share);
      this.#tokens.set(this.contextKey, Math.max(0, room - estimated));
      return;
    }
    const fresh = blocks.filter(({ key }) => !this.#tokens.has(key));
    const known = sum(blocks.map(({ key }) => this.#tokens.get(key) ?? 0)) + (this.#tokens.get(this.contextKey) ?? 0);
    const growth = room - known;
    if (fresh.length > 0 && growth > 0) {
      const answer = fresh.filter(({ key }) => before?.answerKeys.includes(key));
      const rest = fresh.filter((block) => !answer.includes(block));
      const isKnown = before?.usage.outputCount === "final" && answer.length > 0 && rest.length > 0;
      const answerTokens = isKnown ? Math.min(before.usage.outputTokens, growth) : 0;
      this.#distribute(isKnown ? answer : [], answerTokens);
      this.#distribute(isKnown ? rest : fresh, growth - answerTokens);
      return;
    }
    for (const { key, estimate } of fresh) this.#tokens.set(key, Math.min(estimate, 5));
    this.#shrink(blocks, room);
  }

  #distribute(blocks: readonly RebuiltBlock[], tokens: number): void {
    const estimated = sum(blocks.map(({ estimate }) => estimate));
    for (const { key, estimate } of blocks) this.#tokens.set(key, (estimate * tokens) / estimated);
  }

  /** A prompt that became smaller without saying where: everything gives its share. */
  #shrink(blocks: readonly RebuiltBlock[], room: number): void {
    const keys = [this.contextKey, ...blocks.map(({ key }) => key)];
    const total = sum(keys.map((key) => this.#tokens.get(key) ?? 0));
    const share = total === 0 ? 1 : Math.min(1, Math.max(0, room) / total);
    for (const key of keys) this.#tokens.set(key, (this.#tokens.get(key) ?? 0) * share);
  }

  /** A later miss inside the lifetime shows how large the marked system prompt is; the rest gives way, totals stay. */
  learnSystem(tokens: number, blocks: readonly RebuiltBlock[]): void {
    if (tokens < this.#sharedTokens) return;
    let difference = tokens - this.#systemTokens;
    this.#systemTokens = tokens;
    for (const key of [this.contextKey, ...blocks.map((block) => block.key)]) {
      const size = this.#tokens.get(key) ?? 0;
      const taken = difference > 0 ? Math.min(size, difference) : difference;
      this.#tokens.set(key, size - taken);
      difference -= taken;
      if (Math.abs(difference) < 1) return;
    }
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
