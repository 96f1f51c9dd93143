import type { SessionSize } from "palimpsest";
import { type Accounting, accountingRows } from "palimpsest/inspect";

import { cacheLeft, decisionText, duplicatesText, headText, sizeText } from "../../commands/context.ts";
import { type Color, type Line, plain, plainLines } from "../../text/line.ts";
import { cutText, padText } from "../../text/width.ts";
import { readTranscript, type TranscriptEntry } from "../../workspace/read-transcript.ts";

import type { ScreenCommand } from "./screen-command.ts";

const CELLS_PER_ROW = 40;
const ROWS = 5;
const LARGEST = 5;
const TOOLS_SHOWN = 3;

export const context: ScreenCommand = {
  name: "context",
  about: "show what fills the context window",
  when: "always",
  async open({ agent: { session }, project, print, columns, terminal }) {
    const log = (await project.store.openReader(session.id))!;
    const largest = largestEntries(await readTranscript(log));
    const { nextRequest } = await session.ledger.cost();
    const left = cacheLeft(nextRequest, terminal.clock.now());
    const decided = decisionText(session.history.decision());
    const [size, accounting] = [session.view.size(), session.view.accounting()];
    print([
      ...plainLines(sizeText(size, left)),
      ...decided.flatMap((text) => plainLines(text)),
      ...contextLines(size, accounting, largest, columns),
    ]);
  },
};

/** A part of the context window. Each part has its own letter, since not everyone sees the colors. */
interface Part {
  readonly letter: string;
  readonly name: string;
  readonly tokens: number;
  readonly color: Color;
}

function contextLines(
  size: SessionSize,
  accounting: Accounting,
  largest: readonly TranscriptEntry[],
  columns: number,
): readonly Line[] {
  const parts = partsOf(size, accounting);
  const rows = accountingRows(accounting).filter(([name]) => /^tool (calls|results):|^attached/.test(name));
  return [
    [],
    ...grid(parts, size.windowTokens, Math.min(CELLS_PER_ROW, Math.floor((columns - 1) / 2) - 1)),
    [],
    ...parts.map(
      ({ letter, name, tokens, color }): Line => [
        { text: `  ${letter}  `, color },
        { text: padText(name, 24) },
        { text: count(tokens).padStart(9) },
        { text: `${((tokens / size.windowTokens) * 100).toFixed(1)}%`.padStart(8), color: "quiet" },
      ],
    ),
    ...(rows.length === 0 ? [] : [[], plain("By tool and kind", { weight: "bold" })]),
    ...rows.map(([name, tokens]) => plain(`     ${padText(cutText(name, 24), 24)}${count(tokens).padStart(9)}`)),
    ...headText(accounting, TOOLS_SHOWN).flatMap((text) => plainLines(text)),
    ...(largest.length === 0
      ? []
      : [[], plain("Largest entries (/snip ENTRY removes one from the context)", { weight: "bold" })]),
    ...largest.map(({ entry, who, text }) => {
      const words = text.replaceAll(/\s+/g, " ").trim();
      const head = `  ${String(entry).padStart(5)}  ${padText(who, 8)}${count(text.length).padStart(9)} characters  `;
      return plain(head + cutText(words, Math.max(10, columns - head.length)), {});
    }),
    ...duplicatesText(accounting).flatMap((text) => plainLines(text)),
  ];
}

function partsOf(size: SessionSize, accounting: Accounting): readonly Part[] {
  const sum = (tokens: Readonly<Record<string, number>>): number =>
    Object.values(tokens).reduce((total, one) => total + one, 0);
  const attached = sum(
    Object.fromEntries(Object.entries(accounting.attachments).map(([type, { tokens }]) => [type, tokens])),
  );
  const used: readonly Part[] = [
    { letter: "S", name: "system prompt", tokens: accounting.systemTokens, color: "quiet" },
    { letter: "T", name: "tool definitions", tokens: accounting.toolDefinitionTokens, color: "tool" },
    { letter: "A", name: "memory, instructions", tokens: attached, color: "keyword" },
    { letter: "Y", name: "your messages, summaries", tokens: accounting.humanTokens, color: "you" },
    { letter: "M", name: "the model's answers", tokens: accounting.assistantTokens, color: "model" },
    { letter: "C", name: "tool calls", tokens: sum(accounting.toolCallTokens), color: "code" },
    { letter: "R", name: "tool results", tokens: sum(accounting.toolResultTokens), color: "warning" },
    { letter: "O", name: "output of your commands", tokens: accounting.commandOutputTokens, color: "string" },
    { letter: "I", name: "images, documents", tokens: accounting.otherTokens, color: "keyword" },
  ];
  const reserve = size.windowTokens - size.usableTokens;
  const filled = used.reduce((total, { tokens }) => total + tokens, 0);
  return [
    ...used.filter(({ tokens }) => tokens > 0),
    { letter: "·", name: "free", tokens: Math.max(0, size.windowTokens - reserve - filled), color: "quiet" },
    { letter: "x", name: "reserved for a summary", tokens: reserve, color: "bad" },
  ];
}

/** Draws the window as a grid. Every part gets at least one cell. */
function grid(parts: readonly Part[], windowTokens: number, cellsPerRow: number): readonly Line[] {
  const cells = cellsPerRow * ROWS;
  const rows: { text: string; color: Color }[][] = Array.from({ length: ROWS }, () => []);
  const free = parts.findIndex(({ letter }) => letter === "·");
  const counts = parts.map(({ tokens }) =>
    tokens === 0 ? 0 : Math.max(1, Math.round((tokens / windowTokens) * cells)),
  );
  const others = counts.reduce((sum, one, index) => (index === free ? sum : sum + one), 0);
  counts[free] = Math.max(0, cells - others);
  let at = 0;
  for (const [index, { letter, color }] of parts.entries()) {
    for (let left = counts[index]!; left > 0 && at < cells; ) {
      const row = Math.floor(at / cellsPerRow);
      const taken = Math.min(left, cellsPerRow - (at % cellsPerRow));
      rows[row]!.push({ text: `${letter} `.repeat(taken), color });
      at += taken;
      left -= taken;
    }
  }
  return rows.map((row) => [{ text: "  " }, ...row]);
}

function largestEntries(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  return entries
    .filter(({ seen, who, text }) => seen === "yes" && who !== "boundary" && who !== "taken-out" && text.length > 0)
    .toSorted((one, other) => other.text.length - one.text.length)
    .slice(0, LARGEST);
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
