import { costsOf } from "../../cache/token-costs.ts";
import type { Ledger } from "../../cost/ledger.ts";
import type { ModelPrices } from "../../log/prices.ts";
import type { UpdatePolicy, UpdateSituation } from "../../notes/when.ts";
import type { Settings } from "../../settings/settings.ts";
import type { MessageItem } from "../../view/item.ts";
import type { CompactionPoint } from "../compact/compaction-point-type.ts";
import type { Snapshot } from "../snapshot.ts";

export interface SituationSources {
  readonly snapshot: Snapshot;
  readonly ledger: Ledger;
  readonly prices: ModelPrices | undefined;
  /** Where the conversation will be compacted next. */
  readonly compaction: CompactionPoint;
  readonly settings: Settings;
  /** Of the notes as they are; 0 if there are none. */
  readonly notesTokens: number;
  readonly nowMs: number;
}

/** What the timing of an update goes by; undefined as long as no request was answered. */
export function notesSituation(sources: SituationSources): UpdateSituation | undefined {
  const { snapshot, ledger, prices, compaction, settings, notesTokens, nowMs } = sources;
  const previous = ledger.sources["main"]?.previous;
  if (previous === undefined) return undefined;
  const { carriedState, tokensOf, sizeTokens } = snapshot;
  const messages = snapshot.items.filter((item): item is MessageItem => item.kind === "message");
  const { coveredTo } = carriedState.notes ?? { coveredTo: 0 };
  const uncovered = messages.filter(({ to }) => to > coveredTo);
  const sum = (items: readonly MessageItem[]): number => items.reduce((total, item) => total + tokensOf(item), 0);
  return {
    sizeTokens,
    notesTokens,
    cachedTokens: previous.cacheReadTokens + previous.cacheWriteTokens,
    conversationTokens: sum(messages),
    uncoveredTokens: sum(uncovered),
    keptTokens: settings["notes.keepTokens"],
    toolCallsSinceUpdate: uncovered.reduce((calls, { blocks }) => calls + blocks.filter(isCall).length, 0),
    turn: messages.at(-1)?.blocks.some(isCall) === true ? "open" : "closed",
    ...(compaction.policy === "off"
      ? {}
      : {
          thresholdTokens: compaction.withinTurnAtTokens ?? compaction.atTokens,
          betweenTurnsTokens: compaction.atTokens,
        }),
    // A cold start folds by the notes only where compaction may come before the window is full.
    coldStart: compaction.policy === "economic" ? "folded" : "whole",
    idleMs: nowMs - previous.atMs,
    lifetimeMs: previous.lifetimeMs,
    costs: costsOf(prices, { lifetimeMs: previous.lifetimeMs, inputTokens: sizeTokens }),
  };
}

export function notesPolicy(settings: Settings): UpdatePolicy {
  return settings["notes.policy"] === "fixed"
    ? {
        policy: "fixed",
        firstTokens: settings["notes.fixedFirstTokens"],
        growthTokens: settings["notes.fixedGrowthTokens"],
        toolCalls: settings["notes.fixedToolCalls"],
      }
    : {
        policy: "paying",
        beforeColdPercent: settings["notes.beforeColdPercent"],
        nearTokens: settings["notes.nearTokens"],
      };
}

function isCall({ kind }: { readonly kind: string }): boolean {
  return kind === "tool_call";
}
