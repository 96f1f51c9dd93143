import type { Ledger } from "../cost/ledger.ts";
import { cachedPrompt } from "../cost/misses.ts";
import type {
  DeletedResult,
  KeptThinking,
  ProviderEdits,
  RequestedEdits,
  ResultEdits,
} from "../log/payload-compaction.ts";
import type { Provider } from "../providers/provider.ts";
import type { Settings } from "../settings/settings.ts";
import type { Budget } from "../size/budget.ts";
import type { RequestLimits } from "../state/limits.ts";
import type { ResultIndex } from "../view/results.ts";
import { headTools } from "../view/tool-search.ts";
import type { MessageItem, View } from "../view/view.ts";
import { clearableTools, type Eligibility, eligibilityOf, eligibleResults } from "./results.ts";

export interface EditsSituation {
  readonly view: Pick<View, "items" | "configuration" | "edits">;
  readonly settings: Settings;
  readonly budget: Pick<Budget, "warningTokens">;
  /** Whether the provider accepts edits with these parameters. */
  readonly takesEdits: "yes" | "no";
  readonly thinking: "bound" | "free";
  /** `new`: the user has written since the newest request. */
  readonly turn: "new" | "open";
  /** Time since the newest answered request. */
  readonly idleMs: number;
}

/**
 * Plans the edits to request from the provider with the next request; undefined if none. Within a turn, the plan does
 * not change.
 */
export function planEdits(situation: EditsSituation): ProviderEdits | undefined {
  const { settings, takesEdits, thinking, view } = situation;
  const way = settings["clearing.enabled"] === "off" ? "off" : settings["clearing.byProvider"];
  // Once requested, edits stay until a compaction boundary: otherwise the removed content would come back.
  const isWanted = way === "on" || (way === "auto" && (thinking === "bound" || view.edits !== undefined));
  if (!isWanted || takesEdits === "no") return undefined;
  return { results: planResults(situation), thinking: planThinking(situation) };
}

/**
 * In a window that warns before the trigger, both numbers are smaller in proportion. They never grow between compaction
 * boundaries.
 */
function planResults({ view, settings, budget }: EditsSituation): ResultEdits {
  const tools = view.configuration?.tools ?? [];
  const isClearable = clearableTools(tools, settings["clearing.keepTools"]);
  const triggerTokens = settings["clearing.providerTriggerTokens"];
  const scale = Math.min(1, budget.warningTokens / triggerTokens);
  const scaled = (tokens: number, before = Number.MAX_SAFE_INTEGER): number =>
    Math.min(Math.floor(tokens * scale), before);
  const writing = new Set(settings["clearing.providerInputTools"].map((name) => name.toLowerCase()));
  const names = headTools(tools).map(({ name }) => name);
  return {
    aboveTokens: scaled(triggerTokens, view.edits?.results.aboveTokens),
    minimumTokens: scaled(settings["clearing.providerMinTokens"], view.edits?.results.minimumTokens),
    keepNewest: settings["clearing.keepNewest"],
    keptTools: names.filter((name) => !isClearable(name)),
    inputsOf: names.filter((name) => isClearable(name) && writing.has(name.toLowerCase())),
  };
}

/**
 * All thinking stays while the user is active. After a long idle time the prompt is no longer in the cache, and
 * removing old thinking costs nothing: the kept thinking begins with the last turn before the idle time, and this start
 * does not move. A moving start ("the last turn") would remove the thinking of one turn, and the cache after it, with
 * every later turn.
 */
function planThinking(situation: EditsSituation): ProviderEdits["thinking"] {
  const { view, settings, turn, idleMs } = situation;
  const before = view.edits?.thinking ?? "all";
  const isBack = turn === "new" && idleMs >= settings["clearing.providerIdleMinutes"] * 60_000;
  const from = (isBack ? lastTurn(view) : undefined) ?? (before === "all" ? undefined : before.from);
  return from === undefined ? "all" : keptFrom(from, situation);
}

/** Returns the start of the newest turn that was part of a request. */
function lastTurn({ items }: EditsSituation["view"]): number | undefined {
  const seal = items.findLastIndex(({ kind }) => kind === "seal");
  return items.findLast((item, index) => index < seal && item.kind === "message" && isWords(item))?.from;
}

function keptFrom(from: number, { view: { items }, thinking }: EditsSituation): KeptThinking {
  const isSent = (item: MessageItem): boolean =>
    item.blocks.some(({ kind }) => kind === "thinking") && !(thinking === "bound" && item.thinking === "lost");
  let turns = 0;
  let here: "none" | "some" = "none";
  for (let index = items.length - 1; index >= 0 && items[index]!.from >= from; index--) {
    const item = items[index]!;
    if (item.kind === "seal") continue;
    if (isWords(item)) here = "none";
    else if (here === "none" && isSent(item)) {
      here = "some";
      turns++;
    }
  }
  return { from, turns: Math.max(1, turns) };
}

/** Whether a message begins a turn: any message on the user's side that is not a result. */
function isWords({ role, blocks }: MessageItem): boolean {
  return role === "user" && blocks.some(({ kind }) => kind !== "tool_result");
}

export interface DeletionSituation {
  readonly index: ResultIndex;
  readonly eligibility: Eligibility;
  /** Results that the newest request deleted; empty after a compaction boundary. */
  readonly deleted: readonly DeletedResult[];
  readonly cache: "none" | "warm" | "cold";
  /** The newest answered request: only entries before it are in the cache. */
  readonly cachedTo: number;
}

interface DeletionParameters {
  /** Nothing is deleted while there are fewer results that are neither deleted nor kept for another reason. */
  readonly leastResults: number;
  readonly keepNewest: number;
}

/**
 * Plans the results that the next request deletes from the provider's cached prompt. A deletion applies to one request
 * only, so all earlier deletions are repeated, and the oldest results are added once there are enough. The view does
 * not change. If the prompt is no longer in the cache, the list starts empty.
 */
export function planDeletions(
  { index, eligibility, deleted, cache, cachedTo }: DeletionSituation,
  { leastResults, keepNewest }: DeletionParameters,
): readonly DeletedResult[] {
  if (cache !== "warm") return [];
  const gone = new Set(deleted.map(({ entry }) => entry));
  const active = eligibleResults(index, { ...eligibility, keepNewest: 0 }).filter(({ entry }) => !gone.has(entry));
  if (active.length < leastResults) return deleted;
  const calls = Map.groupBy(index.calls, ({ call }) => call.id);
  const oldest = eligibleResults(index, { ...eligibility, keepNewest })
    // An id that two calls share identifies neither.
    .filter(({ entry, callId }) => entry < cachedTo && !gone.has(entry) && calls.get(callId)?.length === 1)
    .map(({ entry, callId }) => ({ entry, callId }));
  return [...deleted, ...oldest];
}

interface RequestedEditsParts extends Pick<RequestLimits, "budget" | "rules"> {
  readonly view: View;
  readonly ledger: Ledger;
  readonly results: ResultIndex;
  readonly settings: Settings;
  readonly provider: Pick<Provider, "takesEdits" | "cacheEdits">;
  /** `new`: the user has said something since the newest request. */
  readonly turn: "new" | "open";
  readonly nowMs: number;
}

/** What the next request asks of the provider beside an answer: edits, or deletions from its cache, never both. */
export function chooseRequestedEdits(parts: RequestedEditsParts): RequestedEdits {
  const edits = editsOf(parts);
  return toRequestedEdits(edits, edits === undefined ? deletionsOf(parts) : []);
}

export function toRequestedEdits(edits: ProviderEdits | undefined, deleted: readonly DeletedResult[]): RequestedEdits {
  return { edits, ...(deleted.length === 0 ? {} : { deleted }) };
}

function editsOf({ view, ledger, settings, budget, rules, provider, turn, nowMs }: RequestedEditsParts) {
  return planEdits({
    view,
    settings,
    budget,
    turn,
    thinking: rules.thinking,
    takesEdits: provider.takesEdits?.(view.configuration?.parameters ?? {}) ?? "no",
    idleMs: nowMs - (ledger.sources["main"]?.previous?.atMs ?? nowMs),
  });
}

function deletionsOf({
  view,
  ledger,
  results,
  settings,
  provider,
  nowMs,
}: RequestedEditsParts): readonly DeletedResult[] {
  const isOn = settings["clearing.enabled"] === "on" && settings["clearing.byCacheEdit"] === "on";
  if (!isOn || provider.cacheEdits === undefined) return [];
  const previous = ledger.sources["main"]?.previous;
  return planDeletions(
    {
      index: results,
      eligibility: eligibilityOf(view.configuration, settings),
      deleted: view.deleted,
      cache: cachedPrompt(previous, nowMs),
      cachedTo: previous?.request ?? 0,
    },
    { leastResults: settings["clearing.cacheEditResults"], keepNewest: settings["clearing.cacheEditKeepNewest"] },
  );
}
