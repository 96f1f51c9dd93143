import { type DueQuestion, economicPoints } from "../../compact/when.ts";
import type { CompactionPoint } from "./compaction-point-type.ts";
import { holdOf } from "./hold-compaction.ts";

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
