import type { Profile } from "../../settings/settings.ts";
import { type Hold, holdOf } from "./hold-compaction.ts";
import { type DueQuestion, economicPoints } from "./is-compaction-due.ts";

/** Where the conversation will be compacted next, and by which policy. */
export type CompactionPoint = OnPoint | { readonly policy: "off"; readonly profile: Profile };

interface OnPoint {
  /** `economic`: when it saves money. `window`: when the window is nearly full. `held`: the same for now, `heldBy` says why. */
  readonly policy: "economic" | "window" | "held";
  /** The size at which it is made, or asked about. */
  readonly atTokens: number;
  /** The size at which it is made while the model is at work, if that is another. */
  readonly withinTurnAtTokens?: number;
  /** What keeps the economic policy from acting. */
  readonly heldBy?: Hold["by"];
  /** The size at which it is made once nothing holds the economic policy any more. */
  readonly thenAtTokens?: number;
  /** `asks`: the user or the host is asked first. */
  readonly approval: "asks" | "automatic";
  readonly profile: Profile;
}

export function compactionPoint(question: DueQuestion): CompactionPoint {
  const { budget, settings } = question;
  const { profile } = settings;
  if (budget.autoCompaction === "off") return { policy: "off", profile };
  const approval = settings["compaction.auto"] === "ask" ? "asks" : "automatic";
  const full = { atTokens: budget.autoCompactTokens, approval, profile } as const;
  const points = economicPoints(question);
  if (points === undefined) return { policy: "window", ...full };
  const hold = holdOf(question);
  return hold === undefined
    ? { policy: "economic", ...points, approval, profile }
    : { policy: "held", ...full, heldBy: hold.by, thenAtTokens: points.atTokens };
}
