import { readPayload } from "../log/draft.ts";
import { HEAD, type HeadContent, headText } from "../log/messages.ts";
import type { CompactionTrigger } from "../log/payload-compaction.ts";
import { isUsersOwn } from "../log/provenance.ts";
import { recallOf } from "../recall/recall.ts";
import type { Settings } from "../settings/settings.ts";
import { estimateTokens, padTokens } from "../size/calibration.ts";
import type { CarriedState } from "../state/carried.ts";
import { findBranch, readEntry } from "../state/load.ts";
import type { Snapshot } from "../state/state.ts";
import { readEntries } from "../stores/read.ts";
import type { LogReader } from "../stores/store.ts";
import { wholeFrom } from "../view/kept-together.ts";
import { openCalls } from "../view/turn.ts";
import type { Configuration, Item, MessageItem } from "../view/view.ts";
import { hasRoomForUser, type RoomPart, type SummaryMaterial, shareRoom } from "./draft.ts";
import { createEvidence } from "./evidence/evidence.ts";
import { type Evidence, readEvidence } from "./evidence/state.ts";
import type { NothingCause } from "./outcome.ts";
import { transcriptOf } from "./summary/transcript.ts";
import type { UserMessage } from "./user-messages.ts";

/** How many of the user's messages are remembered by number beside the first. */
const REMEMBERED_MESSAGES = 400;

/** What a boundary carries on of the entries before it. */
type Knowledge = Pick<CarriedState, "evidence" | "said">;

/**
 * What held before, with the facts and the user's messages of all entries since the newest boundary. Read from the log, so
 * that results which are shown as previews or stubs are known as they came in. Costs what was added since that boundary.
 */
export async function gatherKnowledge(log: LogReader, at: number, carriedState: CarriedState): Promise<Knowledge> {
  const { ranges } = await findBranch(log, at);
  return addKnowledge(log, ranges, carriedState);
}

export async function addKnowledge(
  log: LogReader,
  ranges: readonly { readonly from: number; readonly to: number }[],
  before: Knowledge,
): Promise<Knowledge> {
  const evidence = createEvidence(before.evidence);
  const said = [...before.said];
  for (const { from, to } of ranges) {
    for await (const entry of readEntries(log, from, to)) {
      const read = readPayload(entry);
      if (read.kind === "passed-over") continue;
      evidence.take(read);
      if (read.kind === "message" && isUsersOwn(read.payload)) said.push(read.sequence);
    }
  }
  const [first, ...others] = said;
  const remembered = first === undefined ? [] : [first, ...others.slice(-REMEMBERED_MESSAGES)];
  return { evidence: evidence.state(), said: remembered };
}

/** `full`: the whole conversation. `from`: a message and everything after it. `up_to`: everything before a message. */
export type CompactionPart =
  | { readonly variant: "full" }
  | { readonly variant: "from" | "up_to"; readonly entry: number };

type ChosenRange =
  | {
      readonly kind: "fold";
      /** The compacted entries, both ends included. */
      readonly from: number;
      readonly to: number;
      readonly folded: readonly MessageItem[];
      /** The items that stay unchanged, before and after. */
      readonly kept: readonly MessageItem[];
      /** Messages of the user at the end that were not sent yet. */
      readonly pending: readonly MessageItem[];
    }
  | { readonly kind: "nothing"; readonly why: string };

/**
 * Chooses the items that a compaction replaces. Calls stay with their results, and the pieces of a response with each other. A
 * response whose calls are still to be run stays whole, with everything after it.
 * @param openAt the entry of that response, if there is one
 */
export function chooseRange(items: readonly Item[], part: CompactionPart, openAt?: number): ChosenRange {
  const openFrom = openAt === undefined ? -1 : items.findIndex(({ to }) => to >= openAt);
  const end = openFrom < 0 ? items.length : wholeFrom(items, openFrom);
  const pendingAt = Math.min(pendingFrom(items), end);
  const [first, wanted] = part.variant === "full" ? [0, pendingAt] : cutAt(items, part);
  const last = Math.max(first, Math.min(wanted, end));
  const folded = messagesOf(items.slice(first, last));
  // A summary of a summary would only lose information.
  if (!folded.some(({ origin, attachment }) => origin !== "summary" && attachment === undefined)) {
    return { kind: "nothing", why: "nothing that can be compacted was added since the last summary" };
  }
  return {
    kind: "fold",
    from: folded[0]!.from,
    to: folded.at(-1)!.to,
    folded,
    kept: messagesOf([...items.slice(0, first), ...items.slice(last)]),
    pending: messagesOf(items.slice(Math.max(pendingAt, last))),
  };
}

function cutAt(items: readonly Item[], part: Extract<CompactionPart, { entry: number }>): [number, number] {
  const at = items.findIndex(({ to }) => to >= part.entry);
  const cut = wholeFrom(items, at < 0 ? items.length : at);
  return part.variant === "from" ? [cut, items.length] : [0, cut];
}

/** The position after all messages of the model and all results. */
function pendingFrom(items: readonly Item[]): number {
  const isAnswer = (item: Item): boolean =>
    item.kind === "message" && (item.role === "assistant" || item.origin === "tool" || item.origin === "summary");
  return items.findLastIndex(isAnswer) + 1;
}

function messagesOf(items: readonly Item[]): readonly MessageItem[] {
  return items.filter((item) => item.kind === "message");
}

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
interface NothingToCompact {
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
      todos,
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
