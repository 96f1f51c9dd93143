import type { Agent } from "../cli/open-agent.ts";
import type { BackgroundTask, Status } from "./state.ts";

/** What the line at the bottom says. */
export async function readStatus({ session, mode }: Agent, model: string): Promise<Status> {
  const { tokens, percentLeft, level, compaction } = session.view.size();
  const { priceUsd, estimatedUsd = 0, nextRequest } = await session.ledger.cost();
  const { cache, coldAtMs } = nextRequest;
  return {
    ...{ tokens, percentLeft, level, compaction, priceUsd, cache, mode: mode(), model },
    price: estimatedUsd > 0 ? "estimated" : "exact",
    ...(coldAtMs === undefined ? {} : { coldAtMs }),
  };
}

/** What the line below it says. */
export function readBackground({ background, agents }: Agent, dream: "runs" | "none"): readonly BackgroundTask[] {
  // The tool of a subagent is what the model waits for: it is shown above.
  const working = agents.list().filter(({ status, way }) => status === "running" && way !== "subagent");
  return [
    ...background.list().map(({ id, command }) => ({ what: `${id} ${command}`, shownBy: "/tasks" as const })),
    ...working.map(({ id, name, goal }) => ({
      what: `${name ?? id.slice(0, 8)}: ${goal}`,
      shownBy: "/agents" as const,
    })),
    ...(dream === "runs" ? [{ what: "going over what is remembered", shownBy: "/memory log" as const }] : []),
  ];
}
