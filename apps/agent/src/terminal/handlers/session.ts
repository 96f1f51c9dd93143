import type { ExplainedBoundary } from "palimpsest";
import { hearMail as waitForMail } from "../../agent/start-turn.ts";
import { type Line, plain } from "../../text/line.ts";
import { summaryWayName } from "../../text/plain-names.ts";
import { usd } from "../../text/table.ts";
import { cleanText } from "../../text/visible-text.ts";
import { nextEffort, OFFERED_MODES } from "../commands/model.ts";
import { refreshStatus } from "../read-status.ts";
import type { EffectOf } from "../screen-event.ts";
import type { HandlerPorts, Running } from "./handler-ports.ts";

/** Reads the values of the status line again. */
export async function readStatus(
  { agent }: Running,
  _: EffectOf<"read-status">,
  { emit }: HandlerPorts,
): Promise<void> {
  await refreshStatus(agent, emit);
}

/** Reports mail that arrives between two turns, until the session is closed. A running turn reads the mail itself. */
export async function hearMail(
  { agent }: Running,
  _: EffectOf<"hear-mail">,
  { emit, running }: HandlerPorts,
): Promise<void> {
  await waitForMail(agent, () => {
    if (running().agent === agent) emit({ kind: "mail" });
  });
}

export async function selectNextMode(
  { agent }: Running,
  _: EffectOf<"next-mode">,
  { emit }: HandlerPorts,
): Promise<void> {
  agent.setMode(OFFERED_MODES[(OFFERED_MODES.indexOf(agent.mode()) + 1) % OFFERED_MODES.length]!);
  await refreshStatus(agent, emit);
}

export async function selectNextEffort(
  { agent }: Running,
  _: EffectOf<"next-effort">,
  { emit, say }: HandlerPorts,
): Promise<void> {
  await nextEffort(agent, say);
  await refreshStatus(agent, emit);
}

/** Shows the newest compaction in the scrollback. */
export async function showBoundary(
  { agent, session }: Running,
  _: EffectOf<"show-boundary">,
  { emit, print }: HandlerPorts,
): Promise<void> {
  const [newest] = await session.history.explain(1);
  if (newest !== undefined) print(boundaryLines(newest));
  await refreshStatus(agent, emit);
}

/** Describes a compaction in the scrollback, with its reason unless the person asked for it. */
function boundaryLines({ from, to, compaction, because }: ExplainedBoundary): readonly Line[] {
  const why = plain(`   Why: ${cleanText(because)}`, { color: "quiet" });
  if (compaction === undefined) return [plain(`── Compacted: entries ${from} to ${to}`, { color: "warning" }), why];
  const { messages, tokensBefore, tokensAfter, priceUsd, summary, trigger } = compaction;
  const sizes = `${count(tokensBefore)} → ${count(tokensAfter)} tokens`;
  const price = priceUsd === undefined ? "" : `, ${usd(priceUsd)}`;
  const head: Line = [
    { text: `── Compacted: ${messages} messages, ${sizes}${price} (${summaryWayName(summary.way)})`, color: "warning" },
    { text: " · ctrl-o c shows it, /undo undoes it", color: "quiet" },
  ];
  return trigger === "manual" ? [head] : [head, why];
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
