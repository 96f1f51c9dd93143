import type { Agent } from "../cli/open-agent.ts";
import type { Status } from "./state.ts";

/** What the line at the bottom says. */
export async function readStatus({ session, mode }: Agent, model: string): Promise<Status> {
  const { tokens, percentLeft, level } = session.size();
  const { priceUsd, nextRequest } = await session.cost();
  const { cache, coldAtMs } = nextRequest;
  return {
    ...{ tokens, percentLeft, level, priceUsd, cache, mode: mode(), model },
    ...(coldAtMs === undefined ? {} : { coldAtMs }),
  };
}
