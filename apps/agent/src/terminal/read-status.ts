import type { Agent } from "../agent/agent.ts";
import { priceText } from "../text/price-text.ts";
import type { Screen } from "./screen.ts";
import type { Status } from "./state.ts";

/** Reads the values of the status line. */
export async function readStatus({ session, mode, model, effort }: Agent): Promise<Status> {
  const { tokens, percentLeft, level, compaction } = session.view.size();
  const thinks = effort();
  const cost = await session.ledger.cost();
  const { cache, coldAtMs, cachedTokens, inputTokens } = cost.nextRequest;
  return {
    tokens,
    percentLeft,
    level,
    compaction,
    price: priceText(cost),
    cache,
    cachedPart: inputTokens === 0 ? 0 : cachedTokens / inputTokens,
    mode: mode(),
    model: model(),
    effort: thinks,
    coldAtMs,
  };
}

/** Shows the values of the status line as they are now. */
export async function refreshStatus(agent: Agent, emit: Screen["emit"]): Promise<void> {
  emit({ kind: "status", status: await readStatus(agent), background: agent.status() });
}
