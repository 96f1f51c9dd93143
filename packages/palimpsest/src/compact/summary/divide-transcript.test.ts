import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { divideTranscript, type TranscriptRound } from "./transcript.ts";

const tokensOf = (text: string): number => Math.ceil(text.length / 4);

/** A round of one entry with lines that can be told apart. */
function roundOf(number: number, tokens: number): TranscriptRound {
  const line = `line of ${number}, `.repeat(3);
  const lines = Array.from({ length: Math.ceil((tokens * 4) / (line.length + 8)) }, (_, index) => `${index}: ${line}`);
  return { text: `<entry ${number}, result of shell>\n${lines.join("\n")}\n</entry>`, from: number, to: number };
}
const roundsOf = (count: number, tokens: number): TranscriptRound[] =>
  Array.from({ length: count }, (_, index) => roundOf(index + 1, tokens));

function plan(rounds: readonly TranscriptRound[], partTokens: number, maximumParts: number) {
  const planned = divideTranscript(rounds, { partTokens, maximumParts, tokensOf });
  if (planned === undefined) throw new Error("no plan");
  return planned;
}
const sizeOf = (part: readonly TranscriptRound[]): number => part.reduce((sum, { text }) => sum + tokensOf(text), 0);

describe("parts", () => {
  test("what fits goes in whole and in order", () => {
    const rounds = roundsOf(10, 300);
    const { parts, shortenedRounds, leftOutRounds } = plan(rounds, 1_000, 5);
    expect(parts.flat()).toEqual(rounds);
    expect(parts.length).toBeLessThanOrEqual(5);
    expect([shortenedRounds, leftOutRounds]).toEqual([0, 0]);
  });

  test("a round larger than a part is split; each part goes on under its own label, and nothing is lost", () => {
    const round = roundOf(7, 5_000);
    const { parts } = plan([round], 1_000, 10);
    const texts = parts.flat().map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(4);
    for (const text of texts.slice(1)) expect(text.startsWith("<entry 7, result of shell, continued>\n")).toBe(true);
    for (const text of texts) expect(text.endsWith("</entry>")).toBe(true);
    const lines = (text: string): string[] => text.split("\n").filter((line) => /^\d+: /.test(line));
    expect(texts.flatMap(lines)).toEqual(lines(round.text));
  });

  test("too much: the newest whole, the older shortened, the first still there", () => {
    const rounds = roundsOf(60, 400);
    const { parts, shortenedRounds, leftOutRounds } = plan(rounds, 4_000, 4);
    expect(parts.length).toBeLessThanOrEqual(4);
    const shown = parts.flat();
    expect(shown.slice(-15)).toEqual(rounds.slice(-15));
    expect(shown[0]?.from).toBe(1);
    expect(shortenedRounds).toBeGreaterThan(30);
    expect(leftOutRounds).toBe(0);
    expect(shown[1]?.text).toMatch(/\[left out of entries 2 to 2: [\d,]+ characters\]/);
  });

  test("a shortened round uses its room, and shows more of its end than of its beginning", () => {
    const { parts, shortenedRounds } = plan(roundsOf(12, 2_000), 4_000, 4);
    expect(shortenedRounds).toBe(8);
    for (const { text } of parts.flat().slice(0, 8)) {
      const [head, tail] = text.split(/\[left out of .*\]/).map((part) => part.length);
      expect(tokensOf(text)).toBeGreaterThan(700);
      expect(head! / (head! + tail!)).toBeGreaterThan(0.33);
      expect(head! / (head! + tail!)).toBeLessThan(0.47);
    }
  });

  test("far too much: of the older, some are left out, evenly", () => {
    const rounds = roundsOf(3_000, 400);
    const { parts, leftOutRounds } = plan(rounds, 4_000, 4);
    expect(parts.length).toBeLessThanOrEqual(4);
    expect(parts.flat().length + leftOutRounds).toBe(3_000);
    expect(parts[0]![0]?.from).toBe(1);
    expect(parts.flat().at(-1)).toEqual(rounds.at(-1));
  });

  test("a part that is too small is of no use", () =>
    expect(divideTranscript(roundsOf(3, 300), { partTokens: 100, maximumParts: 3, tokensOf })).toBeUndefined());

  test("one giant line of twenty windows", () => {
    const text = `<entry 1, user>\n${"😀".repeat(40_000)}\n</entry>`;
    const { parts } = plan([{ text, from: 1, to: 1 }], 1_000, 3);
    expect(parts.length).toBeLessThanOrEqual(3);
    for (const part of parts) expect(sizeOf(part)).toBeLessThanOrEqual(1_000);
    for (const { text: part } of parts.flat()) expect(part.isWellFormed()).toBe(true);
  });

  test("whatever the sizes: no more parts than allowed, each fits, in order, frames closed", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 6_000 }), { maxLength: 40 }),
        fc.integer({ min: 500, max: 3_000 }),
        fc.integer({ min: 1, max: 6 }),
        (sizes, partTokens, maximumParts) => {
          const rounds = sizes.map((tokens, index) => roundOf(index + 1, tokens));
          const { parts } = plan(rounds, partTokens, maximumParts);
          expect(parts.length).toBeLessThanOrEqual(maximumParts);
          for (const part of parts) expect(sizeOf(part)).toBeLessThanOrEqual(partTokens);
          const numbers = parts.flat().map(({ from }) => from);
          expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
          for (const { text } of parts.flat())
            expect(text.match(/<entry /g)?.length ?? 0).toBe(text.match(/<\/entry>/g)?.length ?? 0);
          if (rounds.length > 0) expect(numbers.at(-1)).toBe(rounds.length);
        },
      ),
      { numRuns: 60 },
    );
  });
});
