// Plans a compaction before any model is asked: which messages go, what the log knows about them, and how much room there is.

import { HEAD, type HeadContent, headText } from "../log/messages.ts";
import type { CompactionTrigger } from "../log/payload-compaction.ts";
import { isUsersOwn } from "../log/provenance.ts";
import { type Guarded, isPaused, type RuleFailure, rangeOf } from "../policy/guard.ts";
import type { KeepPart, Outline, OutlineTurn, Policy, UserMessage } from "../policy/policy.ts";
import type { WindowState } from "../policy/window-state.ts";
import { recallOf } from "../recall/recall.ts";
import { estimateTokens, padTokens } from "../size/calibration.ts";
import { readEntry } from "../state/load.ts";
import type { Snapshot } from "../state/state.ts";
import type { LogReader } from "../stores/store.ts";
import { wholeFrom } from "../view/kept-together.ts";
import { openCalls } from "../view/turn.ts";
import type { Configuration, Item, MessageItem } from "../view/view.ts";
import { readEvidence } from "./evidence/state.ts";
import type { NothingCause } from "./outcome.ts";
import { shortestUserMessagesText, withFloor } from "./parts/floor.ts";
import { type EngineMaterial, gatherKnowledge, IMAGES, type Knowledge, messagesOf } from "./parts/knowledge.ts";
import { type TranscriptRound, transcriptOf } from "./summary/transcript.ts";

/** `full`: the whole conversation. `from`: a message and everything after it. `up_to`: everything before a message. */
export type CompactionPart =
  | { readonly variant: "full" }
  | { readonly variant: "from" | "up_to"; readonly entry: number };

/**
 * `auto`: the work continues where it was. `autonomous`: the same, with nobody to answer. `manual`: the user requested the
 * compaction and will speak next.
 */
export type Preamble = "auto" | "manual" | "autonomous";

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
  const folded = onlyMessages(items.slice(first, last));
  // A summary of a summary would only lose information.
  if (!folded.some(({ origin, attachment }) => origin !== "summary" && attachment === undefined)) {
    return { kind: "nothing", why: "nothing that can be compacted was added since the last summary" };
  }
  return {
    kind: "fold",
    from: folded[0]!.from,
    to: folded.at(-1)!.to,
    folded,
    kept: onlyMessages([...items.slice(0, first), ...items.slice(last)]),
    pending: onlyMessages(items.slice(Math.max(pendingAt, last))),
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

function onlyMessages(items: readonly Item[]): readonly MessageItem[] {
  return items.filter((item) => item.kind === "message");
}

export type RangeToCompact = Extract<ChosenRange, { kind: "fold" }>;

/** What is left for the summary and the parts. */
export interface Room {
  readonly tokens: number;
  /** The limit of the summary, which comes first. */
  readonly summary: number;
}

export interface CompactionPlan {
  readonly snapshot: Snapshot;
  readonly range: RangeToCompact;
  readonly variant: CompactionPart["variant"];
  /** The parts that survive, with those that always do. */
  readonly keep: readonly KeepPart[];
  /** The boundary carries this. */
  readonly knowledge: Knowledge;
  /** Collectors that failed. */
  readonly failures: readonly RuleFailure[];
  readonly material: CompactionMaterial;
  /** The head that stands first again, because it is compacted. */
  readonly head: HeadContent | undefined;
  /** The tokens of everything that no compaction changes. */
  readonly fixed: Readonly<Record<"system and tools" | "head" | "kept messages", number>>;
  /** The result must stay below this size. */
  readonly targetTokens: number;
  readonly leastShrink: number;
  /** Undefined if nothing is left. */
  readonly room: Room | undefined;
}

/** What the summary and the parts are made of. */
export interface CompactionMaterial {
  readonly preamble: Preamble;
  /** How to get the originals back. */
  readonly recallHint: string;
  /** The compacted messages as text, oldest first. */
  readonly rounds: readonly TranscriptRound[];
  /** The todo list of the host. */
  readonly todos: string | undefined;
  /** What does not depend on the summary. */
  readonly parts: Omit<EngineMaterial, "summary" | "shownFiles">;
}

export interface PlanOptions {
  readonly log: LogReader;
  readonly trigger: CompactionTrigger;
  /** `beside-turn`: the results of calls without a result are still to come, so the calls stay in view. */
  readonly moment: "before-request" | "beside-turn";
  /** `unattended`: nobody is there to answer. */
  readonly attendance: "attended" | "unattended";
  readonly todos: string | undefined;
  /** The head as the host gives it now. */
  readonly head: HeadContent | undefined;
  /** The parts of the policy, most important first. */
  readonly keep: readonly KeepPart[];
  /** A result must be smaller by this share. */
  readonly minShrinkShare: number;
  /** This share of the target is never used: estimates err, and the next answer becomes input. */
  readonly freeShare: number;
  readonly summaryTokens: number;
  /** The window before the compaction. */
  readonly state: WindowState;
}

/** The numbers and parts of a policy that a plan needs. Parts that failed three times in a row are left out. */
export function planNumbers(
  { compact, weigh }: Policy,
  { history }: WindowState,
): Pick<PlanOptions, "keep" | "minShrinkShare" | "freeShare"> {
  const keep = compact.keep.filter(({ name }) => !isPaused(history, name));
  return { keep, minShrinkShare: compact.minShrinkShare, freeShare: weigh.freeShare };
}

/** Returns the part of the conversation that the policy compacts. Undefined: nothing. */
export function partByPolicy(
  policy: Policy,
  { items, tokensOf }: Snapshot,
  state: WindowState,
): Guarded<CompactionPart | undefined> {
  const outline = outlineOf(items, tokensOf);
  const { value: cut, failure } = rangeOf(policy, outline, state);
  if (cut === undefined) return { value: undefined, failure };
  const isAll = cut.to >= (outline.turns.at(-1)?.to ?? 0);
  return { value: isAll ? { variant: "full" } : { variant: "up_to", entry: cut.to + 1 }, failure };
}

/** The conversation as turns. A turn begins with a message of the user, and an earlier summary is a turn of its own. */
function outlineOf(items: readonly Item[], tokensOf: Snapshot["tokensOf"]): Outline {
  const turns: { from: number; to: number; tokens: number; messages: number; origin: OutlineTurn["origin"] }[] = [];
  for (const item of items) {
    if (item.kind === "seal") continue;
    const origin = item.origin === "summary" ? "summary" : "conversation";
    const current = turns.at(-1);
    const begins = current === undefined || item.origin === "human" || current.origin !== origin;
    if (begins) turns.push({ from: item.from, to: item.to, tokens: 0, messages: 0, origin });
    const last = turns.at(-1)!;
    last.to = item.to;
    last.tokens += tokensOf(item);
    if (item.attachment === undefined && item.blocks.some(({ kind }) => kind === "text")) last.messages++;
  }
  const newest = items.findLast((item) => item.kind === "message");
  const status = newest?.kind === "message" && newest.origin === "tool" ? "open" : "closed";
  return { turns: turns.map((turn, index) => ({ ...turn, status: index === turns.length - 1 ? status : "closed" })) };
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
  const openAt = options.moment === "beside-turn" ? openCalls(snapshot)[0]?.entry : openResponse(snapshot);
  const chosen = chooseRange(snapshot.items, part, openAt);
  // Calls that are still to be run stay in view, however large: without them nobody would know of them.
  const range =
    openAt === undefined ? withinTarget(chosen, part, snapshot, { targetTokens, trigger: options.trigger }) : chosen;
  if (range.kind === "nothing") return { ...range, cause: "nothing-to-compact" };
  const plan = await planForRange(snapshot, range, part.variant, options);
  // What fits as it is need not be smaller: then the user's words are not cut to make it so.
  const fits = options.trigger !== "reactive" && snapshot.sizeTokens < targetTokens;
  const isCut = plan.room !== undefined && !hasRoomForUser(plan.room, plan);
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
  const { log, trigger, attendance, todos, minShrinkShare, freeShare, state } = options;
  const targetTokens = targetOf(snapshot, trigger);
  const { newestEntry, configuration, countTokens, tokensOf, view, carriedState } = snapshot;
  const keep = withFloor(options.keep);
  const gathered = await gatherKnowledge(log, newestEntry, carriedState, { keep, countTokens });
  const { knowledge, messages, failures } = gathered;
  const isHeadKept = range.kept.some((item) => item.attachment === HEAD);
  const head = isHeadKept || headText(options.head ?? "").trim() === "" ? undefined : options.head;
  const fixed = {
    "system and tools": padTokens(view.calibration, estimateTokens(view.calibration, configuration.features)),
    head: head === undefined ? 0 : countTokens(headText(head)),
    "kept messages": range.kept.reduce((sum, item) => sum + tokensOf(item), 0),
  };
  const fixedTokens = Object.values(fixed).reduce((sum, tokens) => sum + tokens, FRAME_TOKENS);
  const shrinkShare = repeatedRefusals(snapshot, trigger) === 0 ? minShrinkShare : Math.max(minShrinkShare, 0.5);
  const allowedTokens = Math.min(targetTokens * (1 - freeShare), snapshot.sizeTokens * (1 - shrinkShare));
  const waits = trigger === "manual" || range.pending.length > 0;
  return {
    snapshot,
    range,
    variant,
    keep,
    knowledge,
    failures,
    head,
    fixed,
    targetTokens,
    leastShrink: minShrinkShare,
    room: roomOf(Math.floor(allowedTokens - fixedTokens), options.summaryTokens),
    material: {
      preamble: waits ? "manual" : attendance === "unattended" ? "autonomous" : "auto",
      recallHint: recallHint(range, configuration),
      rounds: transcriptOf(range.folded, { leftOut: PUT_BACK_ANYWAY }),
      todos,
      parts: {
        state,
        turn: range.folded.at(-1)?.origin === "tool" ? "open" : "closed",
        compacted: messagesOf(range.folded, messages, countTokens),
        kept: messagesOf(range.kept, messages, countTokens),
        userMessages: await readUserMessages(log, knowledge.said, range),
        collected: null,
        evidence: readEvidence(knowledge.evidence),
        // A pin from a message that stays in view is not shown twice.
        pins: carriedState.pins.filter(({ entry, of = entry + 1 }) => !isIn(range.kept, of)),
        agents: carriedState.agents,
        work: transcriptOf(range.folded.filter(isWork), { leftOut: [...PUT_BACK_ANYWAY, "pin"] }),
      },
    },
  };
}

/** The summary's share of the room. */
const SUMMARY_SHARE = 0.25;

function roomOf(tokens: number, summaryTokens: number): Room | undefined {
  return tokens <= 0 ? undefined : { tokens, summary: Math.floor(Math.min(summaryTokens, tokens * SUMMARY_SHARE)) };
}

/** The user's task and newest message may take this share of the room before they are cut. */
const USER_SHARE = 0.42;

/** Whether the task and the user's newest message fit beside a summary without being cut. */
function hasRoomForUser({ tokens }: Room, { material, snapshot }: CompactionPlan): boolean {
  return snapshot.countTokens(shortestUserMessagesText(material.parts.userMessages)) <= tokens * USER_SHARE;
}

/** Types of attachments that are made anew after every compaction, or by the host when they are due again. */
const PUT_BACK_ANYWAY = [
  ...[
    HEAD,
    "instructions",
    IMAGES,
    "record",
    "file",
    "skill",
    "plan",
    "plan-mode",
    "tools",
    "tool-instructions",
    "folder-rules",
  ],
];

/** Neither the user's words nor an earlier summary, which has them too: they are told for themselves, and once. */
function isWork(item: MessageItem): boolean {
  return !isUsersOwn(item) && item.origin !== "summary";
}

/** A provider that goes on refusing has a smaller window than it says, or counts in another way than anyone knows. */
function targetOf(snapshot: Snapshot, trigger: CompactionTrigger): number {
  return Math.floor(snapshot.budget.autoCompactTokens * 0.5 ** repeatedRefusals(snapshot, trigger));
}

function repeatedRefusals({ carriedState }: Snapshot, trigger: CompactionTrigger): number {
  return trigger === "reactive" ? Math.max(0, carriedState.overflows - 1) : 0;
}

/** If what is to stay is too much by itself, all of it is folded: by our own measure, or by that of the provider. */
function withinTarget(
  range: ChosenRange,
  part: CompactionPart,
  { items, tokensOf }: Snapshot,
  { targetTokens, trigger }: { readonly targetTokens: number; readonly trigger: CompactionTrigger },
): ChosenRange {
  const { kept, kind } = range.kind === "fold" ? range : { kept: onlyMessages(items), kind: range.kind };
  const keptTokens = kept.reduce((sum, item) => sum + tokensOf(item), 0);
  const isRefused = trigger === "reactive" && kind === "nothing";
  if (part.variant !== "full" || (!isRefused && keptTokens <= targetTokens * MAX_KEPT)) return range;
  const folded = onlyMessages(items);
  if (folded.length === 0) return range;
  return { kind: "fold", from: folded[0]!.from, to: folded.at(-1)!.to, folded, kept: [], pending: [] };
}

/** What the user said and what is not shown any more, as it stands in the log. */
async function readUserMessages(
  log: LogReader,
  said: readonly number[],
  { kept }: RangeToCompact,
): Promise<readonly UserMessage[]> {
  const reads = await Promise.all(said.filter((entry) => !isIn(kept, entry)).map((entry) => readEntry(log, entry)));
  const messages = reads.flatMap((read) => {
    if (read?.kind !== "message") return [];
    const text = read.payload.blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n");
    return text.trim() === "" ? [] : [{ entry: read.sequence, text }];
  });
  return Object.freeze(messages);
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
