import type { ToolCall } from "../../log/block.ts";
import { fileOf } from "../../view/file-of.ts";
import type { LeftOut, View } from "../../view/view.ts";
import type { ResultIndex } from "./result-index.ts";

/**
 * Files whose newest read the model still sees in whole, with the entry it stands in. A read that was cleared, stored,
 * folded, or left out or deleted by the provider is none: an edit that relies on it asks for a fresh one.
 */
export function filesRead(
  { results, calls }: ResultIndex,
  { leftOut, deleted }: Pick<View, "leftOut" | "deleted">,
): ReadonlyMap<string, number> {
  const gone = leftOut && callsLeftOut(calls, leftOut);
  const deletedEntries = new Set(deleted.map(({ entry }) => entry));
  const files = new Map<string, number>();
  for (const { call, entry, state, status } of results) {
    const file = call && fileOf(call);
    if (file?.access !== "read" || status === "error") continue;
    if (state === "whole" && !gone?.has(call!) && !deletedEntries.has(entry)) files.set(file.path, entry);
    else files.delete(file.path);
  }
  return files;
}

/** A provider says how many results it has left out, not which: the oldest of tools that are not kept. */
function callsLeftOut(calls: ResultIndex["calls"], { results, keptTools }: LeftOut): ReadonlySet<ToolCall> {
  const others = calls.filter(({ call }) => !keptTools.includes(call.name));
  return new Set(others.slice(0, results).map(({ call }) => call));
}
