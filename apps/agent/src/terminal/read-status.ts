import type { Agent } from "../agent/agent.ts";
import type { Status } from "./state.ts";

/** Reads the values of the status line. */
export async function readStatus({ session, mode, model }: Agent): Promise<Status> {
  const { tokens, percentLeft, level, compaction } = session.view.size();
  const { priceUsd, estimatedUsd = 0, nextRequest } = await session.ledger.cost();
  const { cache, coldAtMs } = nextRequest;
  return {
    tokens,
    percentLeft,
    level,
    compaction,
    priceUsd,
    cache,
    mode: mode(),
    model: model(),
    price: estimatedUsd > 0 ? "estimated" : "exact",
    ...(coldAtMs === undefined ? {} : { coldAtMs }),
  };
}
