import { openCoordination } from "@palimpsest/coordination";
import { createExtractions, EXTRACTION_SOURCE, type ExtractionOptions, type Extractions } from "@palimpsest/memory";
import type { Clock } from "palimpsest";
import type { AgentSession } from "../../extension/open-agent-session.ts";
import { MEMORY_LIMITS } from "./memory-limits.ts";

interface AgentExtractionOptions extends Omit<ExtractionOptions, "daily" | "maxCostPercent"> {
  /** Shared by all sessions of the user, which have one budget. */
  readonly coordinationFile: string;
  readonly clock?: Clock;
}

interface AgentExtractions {
  afterTurn(session: AgentSession): Promise<void>;
  /** The extraction that calls the model now. */
  running: Extractions["running"];
  close(): Promise<void>;
}

/** How long the agent waits for running extractions when it is closed. */
const DRAIN_MS = 20_000;

/** Saves memories from each turn, within the day's budget. */
export async function openExtractions(options: AgentExtractionOptions): Promise<AgentExtractions> {
  const { coordinationFile, clock, ...rest } = options;
  const coordination = await openCoordination({ file: coordinationFile, clock });
  const { extractionCostPercent, extractionTokensPerDay } = MEMORY_LIMITS;
  const extractions = createExtractions({
    ...rest,
    daily: coordination.budgets.daily(EXTRACTION_SOURCE, extractionTokensPerDay),
    maxCostPercent: extractionCostPercent,
  });
  return {
    afterTurn: extractions.afterTurn,
    running: extractions.running,
    async close() {
      // Waits for a running extraction, but only for a short time.
      await extractions.drain(DRAIN_MS);
      await coordination.close();
    },
  };
}
