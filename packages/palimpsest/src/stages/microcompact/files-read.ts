import { fileOf } from "../../view/file-of.ts";
import type { ResultIndex } from "./result-index.ts";

/**
 * Files whose newest read the model still sees in whole, with the entry it stands in. A read that was cleared, stored or
 * folded is none: an edit that relies on it asks for a fresh one.
 */
export function filesRead({ results }: ResultIndex): ReadonlyMap<string, number> {
  const files = new Map<string, number>();
  for (const { call, entry, state, status } of results) {
    const file = call && fileOf(call);
    if (file?.access !== "read" || status === "error") continue;
    if (state === "whole") files.set(file.path, entry);
    else files.delete(file.path);
  }
  return files;
}
