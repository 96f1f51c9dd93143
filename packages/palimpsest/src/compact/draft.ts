import type { Text } from "../log/block.ts";
import { HOST, OUTSIDE, type Provenance, SUMMARY, USER } from "../log/provenance.ts";
import { type AgentInFlight, agentsText, type Pin } from "../state/carried.ts";
import { textAsSent } from "../view/texts.ts";
import { quoteLines } from "./evidence/facts.ts";
import type { Evidence } from "./evidence/state.ts";
import { evidenceText } from "./evidence/text.ts";
import { shortenText } from "./summary/sections.ts";
import type { TranscriptRound } from "./summary/transcript.ts";
import { shortestUserMessagesText, type UserMessage, userMessagesText } from "./user-messages.ts";

export interface SummaryParts {
  /**
   * `auto`: the work continues where it was. `autonomous`: the same, with nobody to answer. `manual`: the user requested it and
   * will speak next.
   */
  readonly preamble: "auto" | "manual" | "autonomous";
  /** The parsed and checked summary; undefined if no model has written one. */
  readonly summary: string | undefined;
  /** The user's messages, from the log. */
  readonly userMessages: string;
  /** Files, commands, errors and the like, from the log. */
  readonly evidence: string;
  /** Lines that show the names most in use, from the log. @default "" */
  readonly quotedLines?: string;
  readonly pins: readonly Pick<Pin, "entry" | "text" | "of" | "provenance">[];
  /** Running and finished agents. */
  readonly agents: string;
  /** Open todos. */
  readonly todos?: string;
  /** The state of a turn that was compacted while tools were running. */
  readonly latestResults?: string;
  /** How to get the originals back: with which tool, from which entries. */
  readonly recallHint: string;
}

/** A model that takes it for a message of the user would answer it. */
const PREAMBLE = [
  "This session continues an earlier part of the same conversation, which took up too much room and was folded into what",
  "follows. This text was put here by the program that runs the session; the user has not written it.",
  "Nothing is lost: the original messages can be read back.",
].join(" ");

const WITHOUT_SUMMARY =
  "No summary could be written this time. What follows was taken from the record word for word; read back what you need.";

/** Used in place of a summary. The model that will read it is unknown: a model of another provider cannot see the block. */
export const COMPACTED_BY_PROVIDER =
  "A summary by the provider stands before this text, if you can read it. What follows was taken from the record word for word.";

const CARRY_ON =
  "Carry on with the last task from where it stood, as if there had been no break. Do not recap, do not speak of this text, and ask no questions that were not open before.";

const CARRY_ON_ALONE = [
  "This is not a first start: you were in the middle of working on your own, and nobody is waiting for a greeting.",
  "Go on with the loop at once, with the step that was next. Do not introduce yourself, do not begin again, do not recap,",
  "and ask no questions: there is no one to answer them.",
].join(" ");

const ENDINGS: Readonly<Record<SummaryParts["preamble"], string | undefined>> = {
  auto: CARRY_ON,
  autonomous: CARRY_ON_ALONE,
  manual: undefined,
};

/**
 * Composes the one message that replaces the compacted conversation, as texts that each say where they come from: what a model
 * wrote about the conversation, or what tools returned, must not read like the words of the user. Blank parts have no heading.
 */
export function composeSummary(parts: SummaryParts): readonly Text[] {
  const { preamble, summary, userMessages, evidence, quotedLines, pins, agents, todos, latestResults, recallHint } =
    parts;
  const opening = isBlank(recallHint) ? PREAMBLE : `${PREAMBLE} ${recallHint}`;
  const isWritten = !isBlank(summary) && summary !== COMPACTED_BY_PROVIDER;
  const instead = isBlank(summary) ? WITHOUT_SUMMARY : summary;
  return joined([
    text(isWritten ? opening : `${opening}\n\n${instead}`, HOST),
    ...(isWritten ? [text(summary, SUMMARY)] : []),
    ...under("What the user has said, word for word:", userMessages, USER),
    ...under("Evidence from the record:", evidence, SUMMARY),
    ...under("Lines from the record, as they last stood there, word for word:", quotedLines, SUMMARY),
    ...pins.map(({ entry, text: pinned, of, provenance = of === undefined ? HOST : OUTSIDE }) =>
      text(`Pinned, to be kept in mind at all times (entry ${entry}):\n${pinned}`, provenance),
    ),
    ...under("Agents that you have started; do not start them again:", agents, SUMMARY),
    ...under("Open todos, as they stood:", todos, SUMMARY),
    ...under("The latest results of tools:", latestResults, SUMMARY),
    ...(ENDINGS[preamble] === undefined ? [] : [text(ENDINGS[preamble], HOST)]),
  ]);
}

/** Neighbors that come from one place are one text: they need one pair of marks. */
function joined(texts: readonly Text[]): readonly Text[] {
  const whole: Text[] = [];
  for (const next of texts) {
    const last = whole.at(-1);
    if (last === undefined || last.provenance !== next.provenance) whole.push(next);
    else whole[whole.length - 1] = { ...last, text: `${last.text}\n\n${next.text}` };
  }
  return whole;
}

function under(heading: string, body: string | undefined, provenance: Provenance): readonly Text[] {
  return isBlank(body) ? [] : [text(`${heading}\n${body}`, provenance)];
}

function text(words: string, provenance: Provenance): Text {
  return { kind: "text", text: words, provenance };
}

function isBlank(text: string | undefined): text is undefined | "" {
  return text === undefined || text.trim() === "";
}

export interface RoomOptions {
  /** From this size on the next request would be compacted again. */
  readonly thresholdTokens: number;
  /** The size of the current view. */
  readonly sizeTokens: number;
  /** The part that compaction does not change: system prompt, tools, and the messages that stay. */
  readonly fixedTokens: number;
  /** A result must be smaller by at least this share. @default 0.2 */
  readonly leastShrink?: number;
  /** The maximum of each part in any window. */
  readonly atMost: Readonly<Record<RoomPart, number>>;
}

export type RoomPart =
  | "summary"
  | "userMessages"
  | "evidence"
  | "quotedLines"
  | "latestResults"
  | "files"
  | "skills"
  | "surroundings";

/** The shares of the parts in a small window. In a large window the maximum of each part is smaller than its share. */
const SHARES: Readonly<Record<RoomPart, number>> = {
  summary: 0.25,
  userMessages: 0.15,
  evidence: 0.15,
  quotedLines: 0.02,
  latestResults: 0.1,
  files: 0.18,
  skills: 0.05,
  surroundings: 0.1,
};

/** The part of the budget that is never used: estimates err, and the next answer becomes input. */
const KEPT_FREE = 0.15;

/** Returns the token budget of each part of a compacted view; undefined if nothing is left for any. */
export function shareRoom(options: RoomOptions): Readonly<Record<RoomPart, number>> | undefined {
  const { thresholdTokens, sizeTokens, fixedTokens, leastShrink = 0.2, atMost } = options;
  const allowedTokens = Math.min(thresholdTokens * (1 - KEPT_FREE), sizeTokens * (1 - leastShrink));
  const roomTokens = allowedTokens - fixedTokens;
  if (roomTokens <= 0) return undefined;
  const share = (part: RoomPart): number => Math.floor(Math.min(atMost[part], roomTokens * SHARES[part]));
  return Object.fromEntries((Object.keys(SHARES) as RoomPart[]).map((part) => [part, share(part)])) as Record<
    RoomPart,
    number
  >;
}

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

interface DraftedSummary {
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

interface Beside {
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
    summary,
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
  const tokens = countTokens(blocks.map((block) => textAsSent(block, { origin: "summary" }).text).join("\n\n"));
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
