import { HEAD, type HeadContent, headText } from "../log/messages.ts";
import type { CompactionTrigger } from "../log/payload-compaction.ts";
import { isUsersOwn } from "../log/provenance.ts";
import { recallOf } from "../recall/recall.ts";
import type { NothingCause } from "../session/compact/compact-options.ts";
import { gatherKnowledge, type Knowledge } from "../session/compact/gather-knowledge.ts";
import type { Snapshot } from "../session/snapshot.ts";
import type { Settings } from "../settings/settings.ts";
import { estimateTokens, padTokens } from "../size/calibration.ts";
import { type ChosenRange, type CompactionPart, chooseRange } from "../stages/compact/choose-range.ts";
import { type RoomPart, shareRoom } from "../stages/compact/share-room.ts";
import { readEntry } from "../state/load.ts";
import type { LogReader } from "../stores/store.ts";
import type { Item, MessageItem } from "../view/item.ts";
import { openCalls } from "../view/open-calls.ts";
import type { Configuration } from "../view/view.ts";
import { hasRoomForUser, type SummaryMaterial } from "./draft.ts";
import { type Evidence, readEvidence } from "./evidence/state.ts";
import { transcriptOf } from "./summary/transcript.ts";
import type { UserMessage } from "./user-messages.ts";

export type RangeToCompact = Extract<ChosenRange, { kind: "fold" }>;
export type Room = Readonly<Record<RoomPart, number>>;

export interface CompactionPlan {
  readonly snapshot: Snapshot;
  readonly range: RangeToCompact;
  readonly variant: CompactionPart["variant"];
  /** To be carried on by the boundary. */
  readonly knowledge: Knowledge;
  readonly evidence: Evidence;
  readonly material: SummaryMaterial;
  /** What is to stand first again, because it is folded. */
  readonly head: HeadContent | undefined;
  /** Of what no compaction changes, in tokens. */
  readonly fixed: Readonly<Record<"system and tools" | "head" | "kept messages" | "pins", number>>;
  /** The result must stay below. */
  readonly targetTokens: number;
  readonly leastShrink: number;
  /** The room of each part; undefined if what is fixed leaves none. */
  readonly room: Room | undefined;
}

export interface PlanOptions {
  readonly log: LogReader;
  readonly settings: Settings;
  readonly trigger: CompactionTrigger;
  /** `unattended`: nobody is there to answer. */
  readonly attendance: "attended" | "unattended";
  readonly todos: string | undefined;
  /** As the host gives it now. */
  readonly head: HeadContent | undefined;
}

/** Why there is nothing to compact. */
export interface NothingToCompact {
  readonly kind: "nothing";
  readonly cause: Extract<NothingCause, "nothing-to-compact" | "too-small">;
  readonly why: string;
}

const MOSTLY_USER: NothingToCompact = {
  kind: "nothing",
  cause: "too-small",
  why: "it could only be smaller by enough if the user's own words were cut",
};

/** What stays may take so much of the target; more is folded too, and the user's newest words are shown in part. */
const MAX_KEPT = 0.5;
/** Words of the engine's own around the parts. */
const FRAME_TOKENS = 300;

/** Everything that a compaction needs to know before a model is asked, or without one. */
export async function planCompaction(
  snapshot: Snapshot,
  part: CompactionPart,
  options: PlanOptions,
): Promise<CompactionPlan | NothingToCompact> {
  const targetTokens = targetOf(snapshot, options.trigger);
  const openAt = openResponse(snapshot);
  const chosen = chooseRange(snapshot.items, part, openAt);
  // Calls that are still to be run stay in view, however large: without them nobody would know of them.
  const range =
    openAt === undefined ? withinTarget(chosen, part, snapshot, { targetTokens, trigger: options.trigger }) : chosen;
  if (range.kind === "nothing") return { ...range, cause: "nothing-to-compact" };
  const plan = await planForRange(snapshot, range, part.variant, options);
  // What fits as it is need not be smaller: then the user's words are not cut to make it so.
  const fits = options.trigger !== "reactive" && snapshot.sizeTokens < targetTokens;
  const isCut = plan.room !== undefined && !hasRoomForUser(plan.room, plan.material);
  return fits && isCut ? MOSTLY_USER : plan;
}

/** The entry of the response whose calls are still to be run, in steps. */
function openResponse({ items, carriedState }: Snapshot): number | undefined {
  return carriedState.turn.calls.length === 0 ? undefined : openCalls({ items })[0]?.entry;
}

/** The same for a range that is settled. */
export async function planForRange(
  snapshot: Snapshot,
  range: RangeToCompact,
  variant: CompactionPart["variant"],
  options: PlanOptions,
): Promise<CompactionPlan> {
  const { log, settings, trigger, attendance, todos } = options;
  const targetTokens = targetOf(snapshot, trigger);
  const { newestEntry, configuration, countTokens, tokensOf, view } = snapshot;
  // A pin that stands in a message which is kept is not told twice.
  const pins = snapshot.carriedState.pins.filter(({ entry, of = entry + 1 }) => !isIn(range.kept, of));
  const knowledge = await gatherKnowledge(log, newestEntry, snapshot.carriedState);
  const evidence = readEvidence(knowledge.evidence);
  const isHeadKept = range.kept.some((item) => item.attachment === HEAD);
  const head = isHeadKept || headText(options.head ?? "").trim() === "" ? undefined : options.head;
  const fixed = {
    "system and tools": padTokens(view.calibration, estimateTokens(view.calibration, configuration.features)),
    head: head === undefined ? 0 : countTokens(headText(head)),
    "kept messages": range.kept.reduce((sum, item) => sum + tokensOf(item), 0),
    pins: pins.reduce((sum, { text }) => sum + countTokens(text), 0),
  };
  const leastShrink = settings["compaction.minShrinkPercent"] / 100;
  const fixedTokens = Object.values(fixed).reduce((sum, tokens) => sum + tokens, FRAME_TOKENS);
  const waits = trigger === "manual" || range.pending.length > 0;
  return {
    snapshot,
    range,
    variant,
    knowledge,
    evidence,
    head,
    fixed,
    targetTokens,
    leastShrink,
    room: shareRoom({
      thresholdTokens: targetTokens,
      sizeTokens: snapshot.sizeTokens,
      fixedTokens,
      leastShrink,
      atMost: mostTokens(settings),
    }),
    material: {
      preamble: waits ? "manual" : attendance === "unattended" ? "autonomous" : "auto",
      userMessages: await readUserMessages(log, knowledge.said, range),
      evidence,
      pins,
      agents: snapshot.carriedState.agents,
      ...(todos === undefined ? {} : { todos }),
      rounds: transcriptOf(range.folded, { leftOut: PUT_BACK_ANYWAY }),
      work: transcriptOf(range.folded.filter(isWork), { leftOut: [...PUT_BACK_ANYWAY, "pin"] }),
      turn: range.folded.at(-1)?.origin === "tool" ? "open" : "closed",
      recallHint: recallHint(range, configuration),
      countTokens,
    },
  };
}

/** Types of attachments that are made anew after every compaction, or by the host when they are due again. */
const PUT_BACK_ANYWAY = [
  ...[HEAD, "instructions", "record", "file", "skill", "plan", "plan-mode", "tools", "tool-instructions"],
];

/** Neither the user's words nor an earlier summary, which has them too: they are told for themselves, and once. */
function isWork(item: MessageItem): boolean {
  return !isUsersOwn(item) && item.origin !== "summary";
}

/** A provider that goes on refusing has a smaller window than it says, or counts in another way than anyone knows. */
function targetOf({ budget, carriedState }: Snapshot, trigger: CompactionTrigger): number {
  const repeated = trigger === "reactive" ? Math.max(0, carriedState.overflows - 1) : 0;
  return Math.floor(budget.autoCompactTokens * 0.5 ** repeated);
}

/** If what is to stay is too much by itself, all of it is folded: by our own measure, or by that of the provider. */
function withinTarget(
  range: ChosenRange,
  part: CompactionPart,
  { items, tokensOf }: Snapshot,
  { targetTokens, trigger }: { readonly targetTokens: number; readonly trigger: CompactionTrigger },
): ChosenRange {
  const { kept, kind } = range.kind === "fold" ? range : { kept: messagesOf(items), kind: range.kind };
  const keptTokens = kept.reduce((sum, item) => sum + tokensOf(item), 0);
  const isRefused = trigger === "reactive" && kind === "nothing";
  if (part.variant !== "full" || (!isRefused && keptTokens <= targetTokens * MAX_KEPT)) return range;
  const folded = messagesOf(items);
  if (folded.length === 0) return range;
  return { kind: "fold", from: folded[0]!.from, to: folded.at(-1)!.to, folded, kept: [], pending: [] };
}

function messagesOf(items: readonly Item[]): readonly MessageItem[] {
  return items.filter((item) => item.kind === "message");
}

function mostTokens(settings: Settings): Room {
  return {
    summary: settings["compaction.summaryTokens"],
    userMessages: settings["compaction.userMessageTokens"],
    evidence: settings["compaction.evidenceTokens"],
    quotedLines: settings["compaction.quotedLinesTokens"],
    latestResults: 10_000,
    files: settings["rehydration.files"] === "on" ? settings["rehydration.filesTokens"] : 0,
    skills: settings["rehydration.skillsTokens"],
    surroundings: 20_000,
  };
}

/** What the user said and what is not shown any more, as it stands in the log. */
async function readUserMessages(
  log: LogReader,
  said: readonly number[],
  { kept }: RangeToCompact,
): Promise<UserMessage[]> {
  const reads = await Promise.all(said.filter((entry) => !isIn(kept, entry)).map((entry) => readEntry(log, entry)));
  return reads.flatMap((read) => {
    if (read?.kind !== "message") return [];
    const text = read.payload.blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n");
    return text.trim() === "" ? [] : [{ entry: read.sequence, text }];
  });
}

function isIn(items: readonly MessageItem[], entry: number): boolean {
  return items.some(({ from, to }) => from <= entry && entry <= to);
}

function recallHint({ from, to }: RangeToCompact, { tools }: Configuration): string {
  const range = `Entries ${from} to ${to} were folded.`;
  return recallOf(tools) === "offered"
    ? `${range} The recall tool reads them by number, or finds them by words.`
    : range;
}
