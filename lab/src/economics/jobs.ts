// The conditions of a replay, and the jobs: what is replayed for a session.

import { findReplayModel, type ReplayModel } from "@palimpsest/observe/replay";

/** The default model of the agent, with its price sheet. */
export const MODEL = "claude-sonnet-5-5";
export const CACHE_MS = 300_000;
export const WINDOWS = { "200K": 200_000, "1M": 1_000_000 } as const;
export type WindowName = keyof typeof WINDOWS;

export function modelOf(window: WindowName): ReplayModel {
  return { ...findReplayModel(MODEL)!, windowTokens: WINDOWS[window] };
}

/** The window, the price of a cache read relative to input, and how long the cache lasts: "200K/0.1/5m". */
export function conditionOf(window: WindowName): string {
  const { prices } = modelOf(window);
  return `${window}/${prices.cacheRead / prices.input}/${CACHE_MS / 60_000}m`;
}

/** One replay of one session, or what the recording itself tells. */
export type Job =
  | { readonly kind: "facts" }
  | { readonly kind: "engine" | "rule" | "library"; readonly name: string; readonly window: WindowName };
