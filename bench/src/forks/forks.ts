import { type Ask, answer, callTool, callTools, type Reply } from "@palimpsest/provider-simulator";
import type { Bench, Figures } from "../bench.ts";
import { runProcess } from "../run-process.ts";
import { round } from "../statistics.ts";
import type { AgentCrowd } from "./agents-process.ts";
import { openCoordinator } from "./coordinator.ts";

const COUNTS = { full: [1, 4, 16], quick: [16] } as const;
const CONTEXT_TOKENS = 150_000;
const CROWD = { full: ["1000", "100"], quick: ["100", "20"] } as const;

/** Compares the cost of forks with that of agents that do not share the conversation's prompt. */
export const forksBench: Bench = {
  name: "forks",
  figures: "counts",
  about: "1, 4 and 16 forks at once from a context of 150K tokens: cache reads, price; 1,000 agents registered",
  async run({ size }) {
    const unsharedUsd = await priceUnshared(CONTEXT_TOKENS);
    const rows: Figures[] = [];
    for (const count of COUNTS[size]) rows.push(await measure(count, CONTEXT_TOKENS, unsharedUsd));
    const crowd = runProcess<AgentCrowd>(new URL("./agents-process.ts", import.meta.url), CROWD[size]);
    const { registered, running, rssMb, eventLoopP99Ms } = crowd;
    return {
      ...rows.at(-1),
      context_tokens: CONTEXT_TOKENS,
      by_count: rows,
      registered,
      running,
      rss_mb: round(rssMb),
      event_loop_p99_ms: round(eventLoopP99Ms),
    };
  },
};

const isFork = ({ request }: Ask): boolean =>
  JSON.stringify(request["messages"]).includes("You are now a fork of this conversation");

async function measure(count: number, contextTokens: number, unsharedUsd: number): Promise<Figures> {
  const script = (ask: Ask): Reply => {
    if (isFork(ask) || !ask.userText.includes("Start now")) return answer("Done.");
    return callTools(...Array.from({ length: count }, (_, at) => callTool("Agent", forkInput(at))));
  };
  const { session, agents, turn } = await openCoordinator({ script, contextTokens });
  await turn("Start now.");
  await agents.drain(600_000);
  const { agent } = (await session.ledger.cost()).bySource;
  if (agent === undefined || agent.responses !== count)
    throw new Error(`${agent?.responses} of ${count} forks answered`);
  const inputTokens = agent.freshTokens + agent.cacheReadTokens + agent.cacheWriteTokens;
  const freshUsd = await priceFresh(count, contextTokens);
  return {
    forks: count,
    input_tokens_per_fork: Math.round(inputTokens / count),
    cache_read_pct: round((100 * agent.cacheReadTokens) / inputTokens),
    price_usd: round(agent.priceUsd),
    price_ratio_to_unshared: round(agent.priceUsd / (count * unsharedUsd)),
    price_ratio_to_fresh_subagents: round(agent.priceUsd / freshUsd),
  };
}

function forkInput(at: number): object {
  return { way: "fork", description: `look at part ${at}`, prompt: `look at part ${at}` };
}

/** The same conversation and task in a session whose prompt nobody has sent before. */
async function priceUnshared(contextTokens: number): Promise<number> {
  const { session, turn, context } = await openCoordinator({ script: () => answer("Done."), contextTokens: 0 });
  await session.append(context(contextTokens));
  await turn("The task: look at part 0");
  return session.ledger.totals().priceUsd;
}

/** Agents with a prompt of their own that are given the conversation as text. */
async function priceFresh(count: number, contextTokens: number): Promise<number> {
  const { agents, context, spentUsd } = await openCoordinator({ script: () => answer("Done."), contextTokens: 0 });
  const text = context(contextTokens).join("\n");
  const prompts = Array.from({ length: count }, (_, at) => `${text}\n\nThe task: look at part ${at}`);
  for (const prompt of prompts) await agents.start({ prompt, description: "look", way: "background" });
  await agents.drain(600_000);
  return spentUsd();
}
