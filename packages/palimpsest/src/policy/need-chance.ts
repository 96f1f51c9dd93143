// How likely the model needs a tool result again, from recorded sessions.

import type { FileAccess } from "../view/items.ts";
import type { ResultSort } from "./window-state.ts";

interface Chances {
  /** With fewer than 3 newer results. */
  readonly new: number;
  readonly older: number;
  /** With 20 newer results or more. */
  readonly old: number;
}

const OF_READS: Chances = { new: 0.45, older: 0.14, old: 0.05 };
const OF_OTHERS: Chances = { new: 0.04, older: 0.02, old: 0.006 };

/**
 * The chance that the model needs a result again, by the number of newer results. In the recorded sessions, models come back to the
 * contents of files, and seldom to anything else.
 */
export function needChance(sort: ResultSort, newerResults: number): number {
  const chances = sort === "read" ? OF_READS : OF_OTHERS;
  if (newerResults >= 20) return chances.old;
  return newerResults >= 3 ? chances.older : chances.new;
}

/** Words in the names of tools. The first sort with a word of the name applies. */
const WORDS: readonly (readonly [ResultSort, readonly string[]])[] = [
  ["memory", ["memory", "memories", "remember"]],
  ["shell", ["bash", "shell", "terminal", "exec", "execute", "run", "command", "kill", "powershell"]],
  ["search", ["search", "grep", "glob", "find", "list", "ls", "query"]],
  ["fetch", ["fetch", "web", "http", "browse", "browser", "url", "download", "navigate", "crawl"]],
  ["edit", ["edit", "write", "patch", "replace", "insert", "create", "update", "delete"]],
  ["read", ["read", "view", "cat", "open", "recall"]],
];

/**
 * The sort of a tool's results, by the words of its name. Names are guesses: a tool with an unusual name counts as `other`.
 * @param access how the call uses a file, if the call has the form of a read or an edit (`fileOf`)
 */
export function sortOfTool(name: string, access: FileAccess["access"] | undefined): ResultSort {
  if (access !== undefined) return access;
  const words = new Set(name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g)?.map((word) => word.toLowerCase()));
  return WORDS.find(([, ofSort]) => ofSort.some((word) => words.has(word)))?.[0] ?? "other";
}
