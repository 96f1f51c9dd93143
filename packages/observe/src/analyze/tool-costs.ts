import type { RecordedHead } from "../transcripts/readers/recorded.ts";
import type { ToolCost } from "./analysis.ts";

export interface ToolBooks {
  /** Adds a request: what stood before its messages, its tokens, and what they cost. */
  addHead(head: RecordedHead, fixedTokens: number, fixedUsd: number): void;
  addCall(name: string): void;
  /** The largest first. */
  list(): readonly ToolCost[];
}

/** Shares what stands before the messages among the tools and the system prompt, by their sizes. */
export function createToolCosts(): ToolBooks {
  const books = new Map<string, { tokens: number; requests: number; usd: number }>();
  const calls = new Map<string, number>();
  return {
    addHead({ systemBytes, tools }, fixedTokens, fixedUsd) {
      const allBytes = tools.reduce((sum, { bytes }) => sum + bytes, systemBytes);
      for (const { name, bytes } of tools) {
        const book = books.get(name) ?? { tokens: 0, requests: 0, usd: 0 };
        books.set(name, book);
        const share = allBytes === 0 ? 0 : bytes / allBytes;
        book.tokens = Math.round(share * fixedTokens);
        book.requests++;
        book.usd += share * fixedUsd;
      }
    },
    addCall: (name) => void calls.set(name, (calls.get(name) ?? 0) + 1),
    list: () =>
      [...books]
        .map(([name, book]) => ({ name, ...book, calls: calls.get(name) ?? 0 }))
        .sort((one, other) => other.tokens - one.tokens || one.name.localeCompare(other.name)),
  };
}
