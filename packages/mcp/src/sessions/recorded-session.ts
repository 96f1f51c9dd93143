import {
  type ReadLinesOptions,
  type RecordedBlock,
  type RecordedEntry,
  type RecordedMessage,
  readTranscript,
  type TranscriptDescription,
} from "@palimpsest/observe";
import { type Analysis, analyze, breakText, partName } from "@palimpsest/observe/analyze";
import { inputTokensOf } from "palimpsest/inspect";
import { knownModel } from "palimpsest/provider-parts";
import { readQuery } from "palimpsest/store-parts";
import { findSnippet } from "./find-snippet.ts";
import type { FoundSession, SessionEntry, SessionHit, Spending } from "./session.ts";
import { sessionKey } from "./session-key.ts";
import { yielding } from "./yielding.ts";

/** A longer line is skipped: parsing it would hold up the protocol for too long. */
export const READ_LINES: ReadLinesOptions = { maxLineBytes: 16 * 1024 * 1024 };

/** A session that another agent recorded. Every call reads its file as a stream, from the beginning. */
export function recordedSession(described: TranscriptDescription, signal?: AbortSignal): FoundSession {
  const { path, session, agent, id, title, startedAtMs, writtenAtMs, cwd } = described;
  const reference = { path, session };
  const read = (): AsyncIterable<RecordedEntry> => yielding(readTranscript(reference, READ_LINES), signal);

  async function* messages(from: number): AsyncGenerator<RecordedText> {
    let number = 0;
    for await (const entry of read()) {
      if (entry.kind !== "message") continue;
      number += 1;
      if (number >= from) yield toEntry(entry, number);
    }
  }

  async function* search(words: string): AsyncGenerator<SessionHit> {
    const phrases = readQuery(words);
    if (phrases.length === 0) return;
    for await (const { number, text } of messages(1)) {
      const [whole] = text();
      const snippet = await findSnippet(whole, phrases, signal);
      if (snippet !== undefined) yield { entry: number, snippet };
    }
  }

  return {
    key: sessionKey(agent, path, session ?? ""),
    agent,
    id,
    title,
    startedAtMs,
    usedAtMs: writtenAtMs,
    cwd,
    signal,
    entries: messages,
    search,
    spending: async () => toSpending(await analyze(read(), { factsOf: (model) => knownModel(model).facts })),
  };
}

interface RecordedText extends SessionEntry {
  /** In one part. */
  text(): readonly [string];
}

function toEntry({ atMs, role, origin, blocks }: RecordedMessage, number: number): RecordedText {
  const who = origin === "human" || origin === "model" ? role : origin;
  return { number, atMs, who, text: () => [blocks.flatMap(blockTexts).join("\n")] };
}

function blockTexts(block: RecordedBlock): readonly string[] {
  switch (block.kind) {
    case "text":
      return [block.text];
    case "tool_call":
      return [`[call of ${block.name}] ${inputText(block.input)}`];
    case "tool_result":
      return typeof block.content === "string" ? [block.content] : block.content.flatMap(blockTexts);
    case "image":
    case "document":
      return [`[${block.kind}: ${block.mediaType}, ${block.sizeBytes} bytes]`];
    case "thinking":
    case "opaque":
      return [];
  }
}

function inputText(input: unknown): string {
  try {
    return JSON.stringify(input) ?? "";
  } catch {
    return "[input that is nested too deeply]";
  }
}

function toSpending({ totals, parts, breaks, points, compactions }: Analysis): Spending {
  const newest = points.at(-1);
  const names = new Map(parts.map((part) => [part.name, partName(part)]));
  return {
    totals: {
      responses: totals.responses,
      inputTokens: inputTokensOf(totals),
      cacheReadTokens: totals.cacheReadTokens,
      outputTokens: totals.outputTokens,
      usd: totals.usd,
      perfectUsd: totals.perfectUsd,
      unpricedResponses: totals.unpricedResponses,
    },
    parts: parts.map((part) => ({ name: partName(part), usd: part.usd, tokens: part.sentTokens })),
    misses: breaks.map(({ atMs, rebilledTokens, usd, ...one }) => ({
      atMs,
      tokens: rebilledTokens,
      why: breakText({ atMs, rebilledTokens, ...one }),
      usd,
    })),
    compactions: compactions.map(({ atMs, tokensBefore }) => ({ atMs, tokensBefore })),
    window:
      newest === undefined
        ? undefined
        : {
            tokens: inputTokensOf(newest),
            windowTokens: newest.windowTokens,
            model: newest.model,
            parts: Object.entries(newest.parts)
              .map(([name, tokens]) => ({ name: names.get(name) ?? name, tokens: Math.round(tokens) }))
              .toSorted((one, other) => other.tokens - one.tokens),
          },
  };
}
