import type { CompactionPoint, SessionSize } from "palimpsest";
import { type Accounting, accountingRows } from "palimpsest/inspect";

import type { AgentSession } from "../extension/open-agent-session.ts";
import { table, usd } from "../text/table.ts";
import { cleanText } from "../text/visible-text.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inSession } from "./open-project.ts";
import { readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Shows what fills the context window. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS["sessions context"]);
  return inSession(terminal, { id: positionals[0], access: "read" }, async (session) => {
    const [size, accounting, decision] = [session.view.size(), session.view.accounting(), session.history.decision()];
    const { nextRequest } = await session.ledger.cost();
    const left = cacheLeft(nextRequest, terminal.clock.now());
    await terminal.print(
      values.json
        ? JSON.stringify({ session: session.id, size, accounting, decision })
        : contextText(size, accounting, decision, left),
    );
    return EXIT.done;
  });
}

/** The time until the prompt cache expires, in words. Empty if there is nothing in the cache. */
export function cacheLeft({ cache, coldAtMs }: NextRequest, nowMs: number): string {
  if (cache === "cold") return ": with the next request";
  if (cache === "new" || coldAtMs === undefined) return "";
  return `, in ${Math.max(1, Math.ceil((coldAtMs - nowMs) / 60_000))} min`;
}

type NextRequest = Awaited<ReturnType<AgentSession["ledger"]["cost"]>>["nextRequest"];

/** Describes how full the context window is, and what happens next. @param left the time until the cache expires */
export function sizeText({ tokens, windowTokens, percentLeft, level, ...size }: SessionSize, left = ""): string {
  const { compaction, hardLimitTokens } = size;
  const until = compaction.kind === "off" ? "" : " until compaction";
  return [
    `${count(tokens)} of ${count(windowTokens)} tokens, ${percentLeft}% left${until} (${level})`,
    table([...nextRows(compaction, left), ["full at", `${count(hardLimitTokens)} tokens`]]),
  ].join("\n");
}

export type ExplainedDecision = ReturnType<AgentSession["history"]["decision"]>;

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

export function contextText(size: SessionSize, accounting: Accounting, decision: ExplainedDecision, left = ""): string {
  const filled = accountingRows(accounting);
  const most = Math.max(1, ...filled.map(([, count]) => count));
  return [
    sizeText(size, left),
    ...decisionText(decision),
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

/** Table rows that say what will happen next, and at which size. @param left the time until the cache expires */
export function nextRows(point: CompactionPoint, left: string): readonly (readonly string[])[] {
  const { policy } = point;
  const cleared = CLEARS_WHEN_COLD.test(policy)
    ? [`old tool results are cleared when the prompt cache expires${left}`]
    : [];
  const next = [compactionText(point), ...cleared];
  return [...next.map((text, index) => [index === 0 ? "next" : "", text]), ["policy", policy]];
}

/** The presets that clear results when the cache has expired. Policies of others may have any rules. */
const CLEARS_WHEN_COLD = /^(coding|support)\b/;

function compactionText(point: CompactionPoint): string {
  if (point.kind === "off") return "no compaction, because it is off: only /compact compacts";
  const asks = point.approval === "asks" ? ", after asking you" : "";
  const at = `compaction at ${tokens(point.atTokens)}`;
  switch (point.kind) {
    case "economic": {
      const within = point.withinTurnAtTokens ?? point.atTokens;
      const sizes = within === point.atTokens ? "" : ` between turns (${tokens(within)} during a turn)`;
      return `${at}${sizes}, if that saves money${asks}`;
    }
    case "window":
      return `${at}, where the context window is nearly full${asks}`;
    case "held": {
      const then = point.thenAtTokens;
      const later = then === undefined || point.heldBy === "restored" ? "" : `; afterwards at ${tokens(then)}`;
      return `${at}${asks}: ${HELD[point.heldBy ?? "opened"]}${later}`;
    }
  }
}

/** Why the conversation is not compacted to save money for now. */
const HELD: Readonly<Record<NonNullable<Extract<CompactionPoint, { atTokens: number }>["heldBy"]>, string>> = {
  opened: "you resumed the session, and before your next message only a full window triggers a compaction",
  restored: "you undid a compaction, and only a full window triggers another one",
  failed: "the last compaction failed, and until the next try only a full window triggers another one",
};

function tokens(amount: number): string {
  return `${amount.toLocaleString("en-US")} tokens`;
}

/**
 * Describes the newest decision about the window, with every proposal and why it was not taken. Without one, describes the decision
 * that would be made now.
 */
export function decisionText(decision: ExplainedDecision): readonly string[] {
  const { rule, because, proposals, tokens: size, outcome } = decision;
  const at =
    outcome === undefined
      ? `Before a request now, at ${tokens(size)}: ${rule === undefined ? "nothing to do" : "this would be done"} (${because}).`
      : `Newest decision, at ${tokens(size)}: ${outcomeText(outcome)} (${because}).`;
  if (proposals.length === 0) return ["", at];
  const taken = outcome === undefined ? "best" : TAKEN[outcome.kind];
  const rows = proposals.map(({ barred, ...proposal }) => [
    proposal.rule,
    LEVELS[proposal.level],
    count(proposal.freesTokens),
    netText(proposal.figures),
    proposal.rule === rule ? taken : (barred ?? "another one is better"),
  ]);
  return ["", at, table([["rule", "when", "frees", "saves", "why not"], ...rows], [2, 3])];
}

type Outcome = NonNullable<ExplainedDecision["outcome"]>;

function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case "nothing":
      return "nothing to do";
    case "running":
      return "begun";
    case "done":
      return "done";
    case "held":
    case "declined":
    case "failed":
      return `${outcome.kind}, because ${cleanText(outcome.because)}`;
  }
}

const TAKEN: Readonly<Record<Outcome["kind"], string>> = {
  nothing: "not taken",
  running: "begun",
  done: "taken",
  held: "held",
  declined: "declined",
  failed: "failed",
};

const LEVELS: Readonly<Record<ExplainedDecision["proposals"][number]["level"], string>> = {
  required: "at once",
  requested: "whatever it costs",
  "if-it-pays": "if it saves money",
  "when-full": "if the window is full",
};

function netText({ net, unit }: ExplainedDecision["proposals"][number]["figures"]): string {
  return unit === "usd" ? `${net < 0 ? "-" : ""}${usd(Math.abs(net))}` : tokens(Math.round(net));
}
