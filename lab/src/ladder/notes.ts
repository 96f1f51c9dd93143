import type { LayerAction } from "./figures.ts";
import { forkShare } from "./fork-share.ts";
import { growBetweenTurns } from "./growth.ts";
import type { Stage } from "./stage.ts";

/** Session notes are off by default. */
export const NOTES_ON = { notes: "on" } as const;

const SCENARIO = "growth between turns, with session notes switched on";

/** Growth to the first compaction with session notes: the first update of the notes. */
export async function runNotes(stage: Stage): Promise<LayerAction> {
  const { first } = await growBetweenTurns(stage);
  const update = stage.sent.find(({ kind }) => kind === "notes");
  return {
    layer: "notes",
    acted: update !== undefined,
    scenario: update === undefined ? `${SCENARIO}: they were not updated` : SCENARIO,
    at_tokens: update?.inputTokens ?? null,
    cache_read_tokens: update?.usage.cacheReadTokens ?? null,
    way: first.way,
    fork_cache_read_pct: update === undefined ? null : forkShare(update, stage.sent),
  };
}
