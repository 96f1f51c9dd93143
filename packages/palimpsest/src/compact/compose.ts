import type { Text } from "../log/block.ts";
import type { AttachmentPayload } from "../log/payload.ts";
import type { Settings } from "../settings/settings.ts";
import type { CleanText, Surroundings } from "../state/host-content.ts";
import { COMPACTED_BY_PROVIDER, draftSummary, draftTexts, type RoomPart, type SummaryTexts } from "./draft.ts";
import type { CompactionBlock, WrittenSummary } from "./ladder.ts";
import type { CompactionPlan, Room } from "./plan.ts";
import { type Rehydrated, rehydrate, toolsAgain } from "./rehydrate.ts";

import { transcriptOf } from "./summary/transcript.ts";

interface ComposeOptions {
  readonly settings: Settings;
  readonly surroundings: Surroundings;
  /** Files that the model still sees, with the entries of their reads. */
  readonly filesRead: ReadonlyMap<string, number>;
  /** A summary may repeat what the model has read, so its text is cleaned like everything else. @default it stays as it is */
  readonly cleanText?: CleanText | undefined;
}

/** What the model is to see in the place of what is folded. */
export interface CompactedView {
  /** The summary's texts, each with its provenance. */
  readonly blocks: readonly Text[];
  /** The same as one text, without marks. */
  readonly text: string;
  /** Stands before the text, in the words of the provider that wrote it. */
  readonly block?: CompactionBlock;
  /** Texts that bring in again what was brought in before: deferred tools. */
  readonly tools: readonly Text[];
  readonly attachments: readonly AttachmentPayload[];
  readonly files: Rehydrated["files"];
  /** What the host had for the model, and what of it is in view. */
  readonly putBack: Rehydrated["parts"];
  /** Of each part, in tokens. */
  readonly parts: Readonly<Record<string, number>>;
  /** Of the whole view, by estimate. */
  readonly tokensAfter: number;
}

/** What is told from the record beside what the provider has folded; the rest of the view is as it is. */
export function composeRecord(
  block: CompactionBlock,
  plan: CompactionPlan,
): Pick<CompactedView, "blocks" | "text" | "parts" | "tokensAfter"> {
  const { snapshot, targetTokens, material, room } = plan;
  const blockTokens = snapshot.countBlock(block);
  const around = tokensAround(plan) + blockTokens;
  for (const factor of [...SMALLER_AND_SMALLER, 0]) {
    const texts = draft({ block }, scaled(room ?? NO_ROOM, factor), material);
    const { blocks, text, tokens, parts } = draftSummary(texts, material, {
      texts: keptTexts(plan),
      quotedLinesTokens: texts.quotedLinesTokens,
    });
    const tokensAfter = around + tokens;
    // It has been folded already: what cannot be left out (pins) stands there, however large.
    if (tokensAfter < targetTokens || factor === 0)
      return { blocks, text, parts: { ...parts, ...headPart(plan), provider: blockTokens }, tokensAfter };
  }
  throw new TypeError("There is no smallest part.");
}

const NO_ROOM: Room = {
  summary: 0,
  userMessages: 0,
  evidence: 0,
  quotedLines: 0,
  latestResults: 0,
  files: 0,
  skills: 0,
  surroundings: 0,
};

/** Without a model's summary there is always less that can be told: down to the user's words and a few facts. */
const SMALLER_AND_SMALLER = [1, 0.5, 0.25, 0.1, 0.04];

/** Puts the new view together; undefined if it would not be smaller by enough, or not fit. */
export async function composeView(
  written: WrittenSummary | undefined,
  plan: CompactionPlan,
  options: ComposeOptions,
): Promise<CompactedView | undefined> {
  const { room } = plan;
  const { cleanText } = options;
  const isText = written !== undefined && "text" in written && cleanText !== undefined;
  const summary = isText ? { text: cleanText(written.text) } : written;
  if (room === undefined) return undefined;
  for (const factor of summary === undefined ? SMALLER_AND_SMALLER : [1]) {
    const view = await composeWithin(scaled(room, factor), summary, plan, options);
    const { targetTokens, leastShrink, snapshot } = plan;
    const mostTokens = Math.min(targetTokens - 1, snapshot.sizeTokens * (1 - leastShrink));
    if (view.tokensAfter <= mostTokens) return view;
  }
  return undefined;
}

async function composeWithin(
  room: Room,
  summary: WrittenSummary | undefined,
  plan: CompactionPlan,
  { settings, surroundings, filesRead }: ComposeOptions,
): Promise<CompactedView> {
  const { material, snapshot, range, evidence } = plan;
  const { countTokens, countBlock } = snapshot;
  const block = summary !== undefined && "block" in summary ? summary.block : undefined;
  const texts = draft(summary, room, material);
  const blockTokens = block === undefined ? 0 : countBlock(block);
  const isKept = (entry: number): boolean => entry < range.from || entry > range.to;
  const {
    attachments,
    files,
    parts: hostParts,
  } = await rehydrate({
    surroundings,
    room,
    evidence,
    countTokens,
    newestTexts: [texts.summary ?? "", texts.userMessages, texts.latestResults],
    shownFiles: new Set([...filesRead].flatMap(([path, entry]) => (isKept(entry) ? [path] : []))),
    fileTokens: settings["rehydration.fileTokens"],
    skillTokens: settings["rehydration.skillTokens"],
  });
  const shownAgain = attachments.flatMap(({ blocks: shown }) =>
    shown.flatMap((one) => (one.kind === "text" ? [one.text] : [])),
  );
  const unusedTokens = unusedRoom(room, [...wordsOf(texts), ...shownAgain].map(countTokens));
  const {
    blocks,
    text,
    tokens: summaryTokens,
    parts,
  } = draftSummary(texts, material, {
    texts: [...keptTexts(plan), ...shownAgain],
    quotedLinesTokens: Math.min(settings["compaction.quotedLinesTokens"], texts.quotedLinesTokens + unusedTokens),
  });
  const rehydratedTokens: Record<string, number> = {};
  for (const { type, blocks: texts } of attachments) {
    const tokens = texts.reduce((sum, block) => sum + (block.kind === "text" ? countTokens(block.text) : 0), 0);
    rehydratedTokens[type] = (rehydratedTokens[type] ?? 0) + tokens;
  }
  const tools = toolsAgain(range.folded, (text) => countTokens(text));
  const toolTokens = tools.reduce((total, one) => total + countTokens(one.text), 0);
  const around = tokensAround(plan) + summaryTokens + blockTokens + toolTokens;
  const tokensAfter = Object.values(rehydratedTokens).reduce((sum, tokens) => sum + tokens, around);
  return {
    blocks,
    text,
    tools,
    attachments,
    files,
    tokensAfter,
    putBack: hostParts,
    block,
    parts: {
      ...parts,
      ...headPart(plan),
      ...rehydratedTokens,
      ...(tools.length === 0 ? {} : { tools: toolTokens }),
      ...(block === undefined ? {} : { provider: blockTokens }),
    },
  };
}

/** Of what stands there beside the summary, without what is put back. Pins are part of the summary's text. */
function tokensAround({ fixed }: CompactionPlan): number {
  return fixed["system and tools"] + fixed.head + fixed["kept messages"];
}

/** What the parts leave of their room. Evidence and quoted lines are not among them: they are written last. */
function unusedRoom({ evidence: _, quotedLines: __, ...room }: Room, usedTokens: readonly number[]): number {
  const roomTokens = Object.values(room).reduce((sum, tokens) => sum + tokens, 0);
  return Math.max(
    0,
    usedTokens.reduce((left, tokens) => left - tokens, roomTokens),
  );
}

function wordsOf({ summary = "", userMessages, latestResults, agents, todos }: SummaryTexts): readonly string[] {
  return [summary, userMessages, latestResults, agents, todos];
}

/** Messages that stay, as text. */
function keptTexts({ range }: CompactionPlan): readonly string[] {
  return transcriptOf(range.kept).map(({ text }) => text);
}

function headPart({ head, fixed }: CompactionPlan): Readonly<Record<string, number>> {
  return head === undefined ? {} : { head: fixed.head };
}

/** Beside a block that nobody can read, the newest rounds are told: without them another model would know nothing of them. */
function draft(summary: WrittenSummary | undefined, room: Room, material: CompactionPlan["material"]): SummaryTexts {
  if (summary === undefined || "text" in summary) return draftTexts(summary?.text, room, material);
  const isSealed = summary.block.kind === "opaque";
  return draftTexts(COMPACTED_BY_PROVIDER, room, isSealed ? { ...material, turn: "open" } : material);
}

function scaled(room: Room, factor: number): Room {
  const parts = Object.entries(room).map(([part, tokens]) => [part, Math.floor(tokens * factor)]);
  return Object.fromEntries(parts) as Record<RoomPart, number>;
}
