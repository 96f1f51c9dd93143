import type { ToolCall } from "../../log/block.ts";
import { fileOf } from "../../view/file-of.ts";
import type { ResultIndex } from "../../view/results.ts";
import type { LeftOut, View } from "../../view/view.ts";

/**
 * Returns the files whose newest read is complete in the view, with the entry of that read. A read that was cleared,
 * stored, compacted, or removed by the provider does not count: an edit that depends on it asks for a new read.
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

/** A provider reports how many results it left out, not which: they are the oldest of the tools that are not kept. */
function callsLeftOut(calls: ResultIndex["calls"], { results, keptTools }: LeftOut): ReadonlySet<ToolCall> {
  const others = calls.filter(({ call }) => !keptTools.includes(call.name));
  return new Set(others.slice(0, results).map(({ call }) => call));
}
