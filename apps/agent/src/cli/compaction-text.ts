import type { CompactionPoint } from "palimpsest";

/** Table rows that say when the conversation is compacted next, and why then. */
export function compactionRows(point: CompactionPoint): readonly (readonly [what: string, when: string])[] {
  const profile = ["profile", point.profile] as const;
  if (point.policy === "off") return [["compaction at", "only with /compact (automatic compaction is off)"], profile];
  const asks = point.approval === "asks" ? ", after asking you" : "";
  const within = point.withinTurnAtTokens;
  return [
    ["compaction at", `${tokens(point.atTokens)}${asks}`],
    ...(within === undefined || within === point.atTokens ? [] : [["", `${tokens(within)} during a turn`] as const]),
    ["because", reasonText(point)],
    ...(point.thenAtTokens === undefined || point.heldBy === "restored"
      ? []
      : [["afterwards at", tokens(point.thenAtTokens)] as const]),
    profile,
  ];
}

type OnPoint = Exclude<CompactionPoint, { policy: "off" }>;

function reasonText(point: OnPoint): string {
  switch (point.policy) {
    case "economic":
      return "from that size on, compacting saves money";
    case "window":
      return "the context window is nearly full at that size";
    case "held":
      return HELD[point.heldBy ?? "opened"];
  }
}

/** Why no compaction is made to save money for now. */
const HELD: Readonly<Record<NonNullable<OnPoint["heldBy"]>, string>> = {
  opened: "you resumed the session: before your next message, only a full window triggers a compaction",
  restored: "you undid a compaction: only a full window triggers another one",
  failed: "the last compaction failed: until the next try, only a full window triggers another one",
};

function tokens(amount: number): string {
  return `${amount.toLocaleString("en-US")} tokens`;
}
