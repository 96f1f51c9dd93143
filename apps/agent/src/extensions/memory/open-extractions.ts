import { openCoordination } from "@palimpsest/coordination";
import { createExtractions, EXTRACTION_SOURCE, type ExtractionOptions } from "@palimpsest/memory";
import type { Clock } from "palimpsest";
import type { AgentSession } from "../../extension/open-agent-session.ts";

export interface AgentExtractionOptions extends Omit<ExtractionOptions, "daily"> {
  /** Shared by all sessions of the user, which have one budget. */
  readonly coordinationFile: string;
  readonly dailyTokens: number;
  readonly clock?: Clock;
}

export interface AgentExtractions {
  afterTurn(session: AgentSession): Promise<void>;
  close(): Promise<void>;
}

/** How long the agent waits for running extractions when it is closed. */
const DRAIN_MS = 20_000;

/** Saves memories from each turn, within the day's budget. */
export async function openExtractions(options: AgentExtractionOptions): Promise<AgentExtractions> {
  const { coordinationFile, dailyTokens, clock, ...rest } = options;
  const coordination = await openCoordination({ file: coordinationFile, ...(clock === undefined ? {} : { clock }) });
  const extractions = createExtractions({ ...rest, daily: coordination.budgets.daily(EXTRACTION_SOURCE, dailyTokens) });
  return {
    afterTurn: extractions.afterTurn,
    async close() {
      // Waits for a running extraction, but only for a short time.
      await extractions.drain(DRAIN_MS);
      await coordination.close();
    },
  };
}
