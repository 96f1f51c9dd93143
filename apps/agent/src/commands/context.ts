import type { CompactionPoint, SessionSize } from "palimpsest";
import { type Accounting, accountingRows } from "palimpsest/inspect";

import { table } from "../text/table.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inSession } from "./open-project.ts";
import { readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Shows what fills the context window. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS["sessions context"]);
  return inSession(terminal, { id: positionals[0], access: "read" }, async (session) => {
    const [size, accounting] = [session.view.size(), session.view.accounting()];
    await terminal.print(
      values.json ? JSON.stringify({ session: session.id, size, accounting }) : contextText(size, accounting),
    );
    return EXIT.done;
  });
}

/** Describes how full the context window is, and when it is compacted. */
export function sizeText({ tokens, windowTokens, percentLeft, level, ...size }: SessionSize): string {
  const { compaction, blockingTokens } = size;
  const until = compaction.policy === "off" ? "" : " until compaction";
  return [
    `${count(tokens)} of ${count(windowTokens)} tokens, ${percentLeft}% left${until} (${level})`,
    table([...compactionRows(compaction), ["full at", `${count(blockingTokens)} tokens`]]),
  ].join("\n");
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

export function contextText(size: SessionSize, accounting: Accounting): string {
  const filled = accountingRows(accounting);
  const most = Math.max(1, ...filled.map(([, count]) => count));
  return [
    sizeText(size),
    "",
    table(filled.map(([name, count]) => [name, count, "#".repeat(Math.max(1, Math.round((count / most) * 40)))])),
    ...headText(accounting, Number.POSITIVE_INFINITY),
    ...duplicatesText(accounting),
  ].join("\n");
}

/**
 * Describes what each tool costs in every request, most expensive first, and what deferred tools would cost.
 * @param most the number of tools to name; the others are summed up
 */
export function headText({ toolDefinitions, deferredTools }: Accounting, most: number): readonly string[] {
  const costs = Object.entries(toolDefinitions);
  if (costs.length === 0) return [];
  const sum = (rows: readonly (readonly [string, number])[]): string =>
    count(rows.reduce((total, [, tokens]) => total + tokens, 0));
  const others = costs.slice(most);
  const named = costs.slice(0, most).map(([name, tokens]) => `${name} ${count(tokens)}`);
  const rest = others.length === 0 ? [] : [`${others.length} more ${sum(others)}`];
  const deferred = Object.entries(deferredTools);
  const later = `${deferred.length} deferred tools: ${sum(deferred)} tokens, sent only once a tool is loaded`;
  return ["", `Tools, in every request: ${[...named, ...rest].join(", ")}`, ...(deferred.length === 0 ? [] : [later])];
}

/** Describes the cost of files that were read more than once. Empty if there are none. */
export function duplicatesText({ duplicateReads: { fileCount, wastedTokens } }: Accounting): readonly string[] {
  return wastedTokens > 0
    ? ["", `${fileCount} files were read more than once, which wastes ${count(wastedTokens)} tokens.`]
    : [];
}

/** Table rows about the next compaction and its reason. */
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

/** Why the conversation is not compacted to save money for now. */
const HELD: Readonly<Record<NonNullable<OnPoint["heldBy"]>, string>> = {
  opened: "you resumed the session: before your next message, only a full window triggers a compaction",
  restored: "you undid a compaction: only a full window triggers another one",
  failed: "the last compaction failed: until the next try, only a full window triggers another one",
};

function tokens(amount: number): string {
  return `${amount.toLocaleString("en-US")} tokens`;
}
