import type { Text } from "../log/block.ts";
import { composeSummary, type SummaryParts } from "../stages/compact/compose-summary.ts";
import { evidenceText } from "../stages/compact/evidence/evidence-text.ts";
import { quoteLines } from "../stages/compact/evidence/quote-lines.ts";
import { type AgentInFlight, agentsText } from "../stages/compact/running-agents.ts";
import type { RoomPart } from "../stages/compact/share-room.ts";
import { shortenText } from "../stages/compact/summary/shorten-text.ts";
import type { Pin } from "../state/carried.ts";
import { inItsVoice } from "../view/voice.ts";
import type { Evidence } from "./evidence/state.ts";
import type { TranscriptRound } from "./summary/transcript.ts";
import { shortestUserMessagesText, type UserMessage, userMessagesText } from "./user-messages.ts";

export interface SummaryMaterial {
  readonly preamble: SummaryParts["preamble"];
  /** The compacted messages of the user. */
  readonly userMessages: readonly UserMessage[];
  readonly evidence: Evidence;
  readonly pins: readonly Pin[];
  readonly agents: readonly AgentInFlight[];
  readonly todos?: string;
  /** The compacted items, oldest first. */
  readonly rounds: readonly TranscriptRound[];
  /** The same without content that is repeated beside it: the user's messages, pins. */
  readonly work: readonly TranscriptRound[];
  /** `open`: the model was in the middle of a turn; it sees the newest tool results as text. */
  readonly turn: "open" | "closed";
  readonly recallHint: string;
  readonly countTokens: (text: string) => number;
}

export interface DraftedSummary {
  /** The texts of the message, each with its provenance. */
  readonly blocks: readonly Text[];
  /** The same as one text, without marks. */
  readonly text: string;
  /** The tokens of the message as it is sent, with its marks. */
  readonly tokens: number;
  /** The parts of the message, in tokens. */
  readonly parts: Readonly<Record<string, number>>;
}

/** The parts that do not depend on what is rehydrated beside them, and what is left for the others. */
export interface SummaryTexts {
  readonly summary: string | undefined;
  readonly userMessages: string;
  readonly latestResults: string;
  readonly agents: string;
  readonly todos: string;
  readonly quotedLinesTokens: number;
  readonly evidenceTokens: number;
}

/**
 * Writes the first parts of the message that replaces the compacted conversation, within its budget. Without a model's summary,
 * the newest rounds take its place, so it can be written at any time.
 */
export function draftTexts(
  summary: string | undefined,
  room: Readonly<Record<RoomPart, number>>,
  material: SummaryMaterial,
): SummaryTexts {
  const { work, turn, countTokens } = material;
  const resultTokens = room.latestResults + (summary === undefined ? room.summary : 0);
  const mostTokens = room.userMessages + resultTokens + room.quotedLines + room.evidence;
  const budgets = { budgetTokens: room.userMessages, mostTokens, countTokens };
  const userMessages = userMessagesText(material.userMessages, budgets);
  // To bring the message within its share, results are shortened first, then quoted lines, then evidence.
  let overTokens = countTokens(userMessages) - room.userMessages;
  const lessOver = (tokens: number): number => {
    const left = tokens - Math.max(0, overTokens);
    overTokens -= tokens;
    return Math.max(0, left);
  };
  const isShown = turn === "open" || summary === undefined;
  const latestTokens = lessOver(resultTokens);
  return {
    summary,
    userMessages,
    latestResults: isShown ? newestRounds(work, latestTokens, countTokens) : "",
    agents: agentsText(material.agents, { budgetTokens: room.surroundings, countTokens }),
    todos: within(material.todos ?? "", room.surroundings, countTokens),
    quotedLinesTokens: lessOver(room.quotedLines),
    evidenceTokens: lessOver(room.evidence),
  };
}

export interface Beside {
  /** Texts that stand in the view beside the message: messages that stay, files. */
  readonly texts: readonly string[];
  /** The budget of quoted lines, which may use what other parts have left. */
  readonly quotedLinesTokens: number;
}

/** Completes the message from the record: lines and evidence that nothing else shows. */
export function draftSummary(texts: SummaryTexts, material: SummaryMaterial, beside: Beside): DraftedSummary {
  const { preamble, evidence, pins, recallHint, countTokens } = material;
  const { summary, userMessages, latestResults, agents, todos, evidenceTokens } = texts;
  const ofRecord = [userMessages, latestResults, ...beside.texts].join("\n");
  const quotedLines = quoteLines(evidence, {
    budgetTokens: beside.quotedLinesTokens,
    countTokens,
    shown: ofRecord,
    ...(summary === undefined ? {} : { summary }),
  });
  const shown = [summary ?? "", ofRecord, quotedLines].join("\n");
  const counted = {
    summary: summary ?? "",
    userMessages,
    evidence: evidenceText(evidence, { budgetTokens: evidenceTokens, countTokens, shown }),
    quotedLines,
    latestResults,
    agents,
    todos,
  };
  const blocks = composeSummary({ ...counted, summary, preamble, pins, recallHint });
  const parts = Object.entries(counted).flatMap(([part, words]) => (words === "" ? [] : [[part, countTokens(words)]]));
  const pinTokens = pins.reduce((sum, pin) => sum + countTokens(pin.text), 0);
  const text = blocks.map((block) => block.text).join("\n\n");
  const tokens = countTokens(blocks.map((block) => inItsVoice(block, { origin: "summary" }).text).join("\n\n"));
  return {
    blocks,
    text,
    tokens,
    parts: { ...Object.fromEntries(parts), ...(pinTokens === 0 ? {} : { pins: pinTokens }) },
  };
}

/** Whether the task and the user's newest message fit beside a summary without being cut. */
export function hasRoomForUser(
  room: Readonly<Record<RoomPart, number>>,
  { userMessages, countTokens }: Pick<SummaryMaterial, "userMessages" | "countTokens">,
): boolean {
  const mostTokens = room.userMessages + room.latestResults + room.quotedLines + room.evidence;
  return countTokens(shortestUserMessagesText(userMessages)) <= mostTokens;
}

/** The newest complete rounds that fit; the newest one in part, if it alone is too long. */
function newestRounds(
  rounds: readonly TranscriptRound[],
  budgetTokens: number,
  countTokens: (text: string) => number,
): string {
  const texts: string[] = [];
  let left = budgetTokens;
  for (const { text } of rounds.toReversed()) {
    const tokens = countTokens(text);
    if (tokens > left) break;
    texts.unshift(text);
    left -= tokens;
  }
  const newest = rounds.at(-1);
  return texts.length > 0 || newest === undefined ? texts.join("\n") : partOf(newest, budgetTokens, countTokens);
}

function partOf(
  { text, from, to }: TranscriptRound,
  budgetTokens: number,
  countTokens: (text: string) => number,
): string {
  return within(text, budgetTokens, countTokens, ` of entries ${from} to ${to}`);
}

/** Returns a text, or as much of its beginning and end as the budget allows. */
function within(text: string, budgetTokens: number, countTokens: (text: string) => number, of = ""): string {
  const tokens = countTokens(text);
  if (tokens <= budgetTokens) return text;
  const leftOut = (left: number): string => `[left out: ${left} characters${of}]`;
  let characters = Math.floor((text.length * budgetTokens) / tokens);
  for (; characters > 200; characters = Math.floor(characters * 0.7)) {
    const part = shortenText(text, characters, leftOut);
    if (countTokens(part) <= budgetTokens) return part;
  }
  return "";
}
