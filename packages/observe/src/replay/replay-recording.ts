import { headTokensOf } from "./head.ts";
import { needsOf } from "./needs.ts";
import type { ReplayPolicy } from "./policies.ts";
import type { Recording } from "./recording.ts";
import type { ReplayModel } from "./replay-model.ts";
import type { ReplayRun } from "./replay-run.ts";
import { replaySession } from "./replay-session.ts";
import { replayRule } from "./rules/replay-rule.ts";

/** The model, and how long a prompt stays cached. */
export interface ReplayConditions {
  readonly model: ReplayModel;
  /** How long the provider caches a prompt, unless the policy chooses itself. */
  readonly cacheTtl: "5m" | "1h";
  /** Is called after each request of the recording, with how many are done. @default nobody is told */
  readonly onProgress?: (requests: number) => void;
}

const LIFETIME_MS = { "5m": 300_000, "1h": 3_600_000 } as const;

/** Prepares a recording for any number of replays: its needs are found once. */
export function prepareReplay(
  recording: Recording,
): (policy: ReplayPolicy, conditions: ReplayConditions) => Promise<ReplayRun> {
  const needs = needsOf(recording);
  const headTokens = headTokensOf(recording);
  return async (policy, { model, cacheTtl, onProgress = () => {} }) => {
    if (policy.kind === "engine") {
      return replaySession(recording, needs, {
        model,
        onProgress,
        policy: policy.policyFor(cacheTtl),
      });
    }
    const { windowTokens } = model;
    const lifetimesMs = [LIFETIME_MS[cacheTtl]];
    const [run] = await replayRule(recording, needs, policy.rule, {
      windowTokens,
      headTokens,
      lifetimesMs,
      onProgress,
    });
    return run!;
  };
}
