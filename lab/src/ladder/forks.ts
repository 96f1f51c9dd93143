import { callTool, callTools } from "@palimpsest/provider-simulator";
import type { LayerAction } from "./figures.ts";
import { type ForecastError, forecastOf } from "./forecast.ts";
import { forkShare } from "./fork-share.ts";
import { partPath, writeParts } from "./parts.ts";
import { AGENT_MARK, agentNumber } from "./read-request.ts";
import { readFile, startForks } from "./scripted-model.ts";
import type { Stage } from "./stage.ts";

const READS = 4;
const FORKS = 3;
/** Above 50,000 characters, from which on a result is stored. */
const LARGE_LINES = 2_000;

export interface ForksResult {
  /** The worst of the forks. */
  readonly agentPct: number;
  readonly forecast: ForecastError;
  readonly layers: readonly LayerAction[];
}

/** A large result and four reads, and then three forks at the same time. The message before the forks has a warm cache. */
export async function runForks(stage: Stage): Promise<ForksResult> {
  const { program, model, sent } = stage;
  writeParts(stage, READS);
  stage.write("build.log", Array.from({ length: LARGE_LINES }, (_, line) => logLine(line)).join("\n"));
  model.plan(callTools(callTool("Bash", { command: "cat build.log" })));
  model.plan(...Array.from({ length: READS }, (_, index) => readFile(partPath(index + 1))));
  await program.turns("Read the log and all parts.");
  const stored = sent.filter(({ kind }) => kind === "main")[1];
  if (stored === undefined) throw new Error("The program did not send the result of its first call.");
  const isStored = !JSON.stringify(stored.body).includes(logLine(LARGE_LINES / 2));

  model.plan(startForks(...Array.from({ length: FORKS }, (_, index) => `${AGENT_MARK}${index + 1}: check this part.`)));
  const { error: forecast } = await forecastOf(stage, "warm", "Have three agents check the parts.");
  const forks = Array.from({ length: FORKS }, (_, index) => {
    const first = sent.find(({ kind, body }) => kind === "agent" && agentNumber(body) === index + 1);
    if (first === undefined) throw new Error(`Fork ${index + 1} sent no request.`);
    return { request: first, pct: forkShare(first, sent) };
  });
  const worst = forks.reduce((one, other) => (other.pct < one.pct ? other : one));
  return {
    agentPct: worst.pct,
    forecast,
    layers: [
      {
        layer: "storage",
        acted: isStored,
        scenario: isStored ? "a result of 100,000 characters" : "a result of 100,000 characters: it was sent whole",
        at_tokens: stored.inputTokens,
        cache_read_tokens: stored.usage.cacheReadTokens,
        way: null,
        fork_cache_read_pct: null,
      },
      {
        layer: "agents",
        acted: true,
        scenario: "three forks at the same time",
        at_tokens: worst.request.inputTokens,
        cache_read_tokens: worst.request.usage.cacheReadTokens,
        way: null,
        fork_cache_read_pct: worst.pct,
      },
    ],
  };
}

function logLine(line: number): string {
  return `step ${line} of the build took ${(line * 37) % 1_000} ms and wrote no file`;
}
