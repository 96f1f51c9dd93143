// Lists the tool results in the view with their sizes, for the stages that store and clear results.

import type { ToolCall } from "../log/block.ts";
import { estimateTokens } from "../size/calibration.ts";
import { MARKED_REQUESTS } from "./flatten.ts";
import type { Item, View } from "./view.ts";

/** Creates an index of the tool results in a view. */
export function createResultIndex(): ResultIndex {
  let results: ShownResult[] = [];
  let calls: { call: ToolCall; resultsBefore: number }[] = [];
  let callById = new Map<string, ToolCall>();
  let totalTokens = 0;
  let markedTokens: readonly number[] = [];
  let unplannedTokens = 0;
  let itemCount = 0;
  let known: { readonly view: View | undefined; readonly changedAt: number } = { view: undefined, changedAt: 0 };

  function add(item: Item, view: View): void {
    if (item.kind === "seal") {
      // The last mark belongs to the next request itself.
      markedTokens = [...markedTokens, totalTokens].slice(1 - MARKED_REQUESTS);
      return;
    }
    const tokens = estimateTokens(view.calibration, item.features);
    for (const block of item.blocks) {
      // A call that the model did not make is not sent, and neither is its result. It must not count as the newest result.
      if (block.kind === "tool_call" && item.role === "assistant") {
        callById.set(block.id, block);
        calls.push({ call: block, resultsBefore: results.length });
      }
      if (block.kind !== "tool_result") continue;
      results.push({
        entry: item.from,
        call: callById.get(block.callId),
        callId: block.callId,
        status: block.status,
        characters: lengthOf(block.content),
        state: item.by !== undefined ? "replaced" : item.stored === undefined ? "whole" : "stored",
        tokens,
        beforeTokens: totalTokens,
      });
    }
    totalTokens += tokens;
    if (item.origin === "tool") unplannedTokens += tokens;
  }

  return {
    get results() {
      return results;
    },
    get calls() {
      return calls;
    },
    get totalTokens() {
      return totalTokens;
    },
    get markedTokens() {
      return markedTokens;
    },
    get unplannedTokens() {
      return unplannedTokens;
    },
    markPlanned() {
      unplannedTokens = 0;
    },
    update(view) {
      if (view !== known.view || view.changedAt !== known.changedAt) {
        [results, calls, callById, totalTokens, markedTokens, itemCount] = [[], [], new Map(), 0, [], 0];
        known = { view, changedAt: view.changedAt };
      }
      for (; itemCount < view.items.length; itemCount++) add(view.items[itemCount]!, view);
    },
  };
}

/** The tool results of a view, updated from request to request. */
export interface ResultIndex {
  /** All tool results, in the order of the view. */
  readonly results: readonly ShownResult[];
  /** All tool calls in order, each with the number of results before it. */
  readonly calls: readonly { readonly call: ToolCall; readonly resultsBefore: number }[];
  /** Tokens of all items. */
  readonly totalTokens: number;
  /** Ends of the newest requests, in tokens, that the next request marks again; oldest first. */
  readonly markedTokens: readonly number[];
  /** Tokens of results since `markPlanned`. A new plan is useless before there are enough of them. */
  readonly unplannedTokens: number;
  markPlanned(): void;
  /** Adds new items; reads the whole view again only if an old item has changed. */
  update(view: View): void;
}

/** A tool result in the view. */
export interface ShownResult {
  /** The entry that contains the result. */
  readonly entry: number;
  readonly call: ToolCall | undefined;
  readonly callId: string;
  readonly status: "ok" | "error";
  readonly characters: number;
  /**
   * `whole`: the complete result. `stored`: a preview from the start. `replaced`: a decision shows a preview or a stub instead.
   */
  readonly state: "whole" | "stored" | "replaced";
  readonly tokens: number;
  /** Tokens of all items before it in the view. */
  readonly beforeTokens: number;
}

function lengthOf(content: string | readonly { readonly kind: string }[]): number {
  if (typeof content === "string") return content.length;
  return content.reduce((sum, part) => sum + ("text" in part ? String(part.text).length : 0), 0);
}
