import type { CompactionPoint } from "palimpsest/core";

/** Where the conversation is compacted next, as rows of a table: what, and when. */
export function compactionRows(point: CompactionPoint): readonly (readonly [what: string, when: string])[] {
  const profile = ["profile", point.profile] as const;
  if (point.policy === "off") return [["compaction at", "never by itself"], profile];
  const asks = point.approval === "asks" ? ", after asking you" : "";
  const within = point.withinTurnAtTokens;
  return [
    ["compaction at", `${tokens(point.atTokens)}${asks}`],
    ...(within === undefined || within === point.atTokens
      ? []
      : [["", `${tokens(within)} while the model works`] as const]),
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
      return "from there on it saves money";
    case "window":
      return "the window is nearly full there";
    case "held":
      return HELD[point.heldBy ?? "opened"];
  }
}

/** Why nothing is compacted to save money for now. */
const HELD: Readonly<Record<NonNullable<OnPoint["heldBy"]>, string>> = {
  opened: "the session was resumed: only a full window compacts before your next message",
  restored: "you took a compaction back: only a full window makes another",
  failed: "the last compaction failed: only a full window makes another before the next try",
};

function tokens(amount: number): string {
  return `${amount.toLocaleString("en-US")} tokens`;
}
