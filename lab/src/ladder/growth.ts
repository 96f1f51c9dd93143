import type { LayerAction } from "./figures.ts";
import { forkShare } from "./fork-share.ts";
import { partPath, writeParts } from "./parts.ts";
import { readFile } from "./scripted-model.ts";
import type { Stage } from "./stage.ts";

/** Enough for 250,000 tokens. */
const READS = 45;
const READS_PER_TURN = 4;

export interface GrowthResult {
  /** The first decision that made the conversation smaller. */
  readonly first: LayerAction;
  /** The cache read of the fork that wrote the summary. Undefined if no model was asked. */
  readonly summaryPct: number | undefined;
}

/** One turn that reads part after part, until something makes the conversation smaller. */
export async function growInTurn(stage: Stage): Promise<GrowthResult> {
  return grow(stage, "growth inside a turn", async () => {
    stage.model.plan(...Array.from({ length: READS }, (_, index) => readFile(partPath(index + 1))));
    await stage.program.turns("Read all parts.");
  });
}

/** Turns in one process, each of which reads four parts. */
export async function growBetweenTurns(stage: Stage): Promise<GrowthResult> {
  return grow(stage, "growth between turns", async () => {
    const turns = Math.floor(READS / READS_PER_TURN);
    for (let turn = 0; turn < turns; turn++) {
      for (let read = 1; read <= READS_PER_TURN; read++) {
        stage.model.plan(readFile(partPath(turn * READS_PER_TURN + read)));
      }
      stage.model.endTurn();
    }
    await stage.program.turns(...Array.from({ length: turns }, (_, turn) => `Read the parts of step ${turn + 1}.`));
  });
}

async function grow(stage: Stage, scenario: string, run: () => Promise<void>): Promise<GrowthResult> {
  writeParts(stage, READS);
  stage.model.stopAfterShrinking();
  await run();
  const [first] = await stage.decisions();
  const mains = stage.sent.filter(({ kind }) => kind === "main");
  const smaller = mains.findIndex(({ inputTokens }, index) => inputTokens < (mains[index - 1]?.inputTokens ?? 0));
  const [before, after] = smaller < 0 ? [mains.at(-1), undefined] : [mains[smaller - 1], mains[smaller]];
  const summary = stage.sent.find(({ kind }) => kind === "summary");
  const summaryPct = summary === undefined ? undefined : forkShare(summary, stage.sent);
  return {
    first: {
      layer: first?.layer === "clear" ? "clearing" : "compaction",
      acted: first !== undefined,
      scenario: first === undefined ? `${scenario}: nothing acted` : scenario,
      at_tokens: before?.inputTokens ?? null,
      cache_read_tokens: after?.usage.cacheReadTokens ?? null,
      way: first?.way ?? null,
      fork_cache_read_pct: summaryPct ?? null,
    },
    summaryPct,
  };
}
