import type { Session } from "palimpsest";
import { addCounts } from "palimpsest/inspect";
import type { AgentUsage } from "./session-input.ts";

/** The name of agents in the ledger of whoever started them. */
const SOURCE = "agent";
const COUNTS = ["freshTokens", "cacheReadTokens", "cacheWriteTokens", "cacheWrite1hTokens", "outputTokens"] as const;

const NOTHING = { freshTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0, outputTokens: 0 };

type Totals = AgentUsage & Readonly<Record<(typeof COUNTS)[number], number>>;

/**
 * What a session has used since an entry, its agents included, in one line for each model: an agent with a thousand responses is charged in a
 * few lines. Estimated counts have lines of their own.
 */
export async function totalUsage(
  { id, ledger }: Pick<Session, "id" | "ledger">,
  since: number,
): Promise<readonly AgentUsage[]> {
  const totals = new Map<string, Totals>();
  for await (const { model, estimated, cacheWrite1hTokens = 0, ...line } of ledger.lines()) {
    if (line.usage <= since) continue;
    const name = JSON.stringify([model, estimated]);
    const counts = { ...line, cacheWrite1hTokens };
    const sum = totals.get(name);
    const named = sum ?? { responseId: `${id}:${since}:${totals.size}`, model, source: SOURCE };
    const told = estimated === undefined ? {} : { estimated };
    totals.set(name, { ...named, ...told, ...addCounts(COUNTS, sum ?? NOTHING, counts) });
  }
  return [...totals.values()];
}
