import { openCoordination } from "@palimpsest/coordination";
import { createExtractions, EXTRACTION_SOURCE, type ExtractionOptions } from "@palimpsest/memory";
import type { Clock } from "palimpsest";
import type { AgentSession } from "../../extension/open-agent-session.ts";

export interface AgentExtractionOptions extends Omit<ExtractionOptions, "daily"> {
  /** What all sessions of the user share: they have one budget for it. */
  readonly coordinationFile: string;
  readonly dailyTokens: number;
  readonly clock?: Clock;
}

export interface AgentExtractions {
  afterTurn(session: AgentSession): Promise<void>;
  close(): Promise<void>;
}

/** For extractions that run when the agent is closed. */
const DRAIN_MS = 20_000;

/** Looks through each turn for what is worth remembering, within the day's budget. */
export async function openExtractions(options: AgentExtractionOptions): Promise<AgentExtractions> {
  const { coordinationFile, dailyTokens, clock, ...rest } = options;
  const coordination = await openCoordination({ file: coordinationFile, ...(clock === undefined ? {} : { clock }) });
  const extractions = createExtractions({ ...rest, daily: coordination.budgets.daily(EXTRACTION_SOURCE, dailyTokens) });
  return {
    afterTurn: extractions.afterTurn,
    async close() {
      // What is still looked through is waited for, though not for long.
      await extractions.drain(DRAIN_MS);
      await coordination.close();
    },
  };
}
