import type { KeptThinking, ProviderEdits, ResultEdits } from "../log/provider-edits.ts";
import type { Settings } from "../settings/settings.ts";
import type { Budget } from "../size/budget.ts";
import { clearableTools } from "../stages/microcompact/clearable-tools.ts";
import type { MessageItem } from "../view/item.ts";
import { headTools } from "../view/offer-tools.ts";
import type { View } from "../view/view.ts";

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
