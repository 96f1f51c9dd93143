import { estimateTokens, startCalibration } from "palimpsest/inspect";
import type { PartTotals } from "./analysis.ts";
import { readPart } from "./part-of.ts";
import type { NewItem, Settled } from "./window.ts";

export interface PartBooks {
  addInput(settled: Settled, usd: ReadonlyMap<string, number> | undefined): void;
  /** Distributes the model's output over its parts. */
  addOutput(said: readonly NewItem[], output: Output): void;
  /** The most expensive first; without prices, what was sent most. */
  list(): readonly PartTotals[];
}

export interface Output {
  readonly outputTokens: number;
  /** The part of the output that was thinking, if known. */
  readonly reasoningTokens?: number;
  /** US dollars for one token. */
  readonly rate: number;
}

const THINKING = "thinking";
const PRIOR = startCalibration();

export function createPartTotals(): PartBooks {
  const books = new Map<string, { addedTokens: number; sentTokens: number; outputTokens: number; usd: number }>();
  const bookOf = (name: string) => {
    const known = books.get(name) ?? { addedTokens: 0, sentTokens: 0, outputTokens: 0, usd: 0 };
    books.set(name, known);
    return known;
  };
  function write(name: string, tokens: number, rate: number): void {
    const book = bookOf(name);
    book.outputTokens += tokens;
    book.usd += tokens * rate;
  }

  return {
    addInput({ parts, added }, usd) {
      for (const [name, tokens] of parts) {
        const book = bookOf(name);
        book.sentTokens += tokens;
        book.addedTokens += added.get(name) ?? 0;
        book.usd += usd?.get(name) ?? 0;
      }
    },
    addOutput(said, { outputTokens, reasoningTokens, rate }) {
      const thought = Math.min(reasoningTokens ?? 0, outputTokens);
      if (thought > 0) write(THINKING, thought, rate);
      // Thinking that was counted by itself has its share already.
      const rest = thought > 0 ? said.filter(({ part }) => part !== THINKING) : said;
      const estimates = rest.map(({ features }) => Math.max(1, estimateTokens(PRIOR, features)));
      const sum = estimates.reduce((total, estimate) => total + estimate, 0);
      const left = outputTokens - thought;
      if (sum === 0 && left > 0) write("assistant", left, rate);
      rest.forEach(({ part }, index) => {
        write(part, (left * estimates[index]!) / sum, rate);
      });
    },
    list() {
      const all = [...books].map(([name, book]): PartTotals => {
        const { addedTokens, sentTokens, outputTokens, usd } = book;
        const counts = { addedTokens, sentTokens, outputTokens };
        const whole = Object.fromEntries(Object.entries(counts).map(([count, tokens]) => [count, Math.round(tokens)]));
        return { name, ...readPart(name), ...(whole as typeof counts), usd };
      });
      return all
        .filter(({ sentTokens, outputTokens }) => sentTokens + outputTokens > 0)
        .sort((one, other) => other.usd - one.usd || other.sentTokens - one.sentTokens);
    },
  };
}
