import { createOpenAiChat, fetchInProcess, idleClock, type Script } from "@palimpsest/provider-simulator";
import OpenAI from "openai";
import { openaiChat } from "palimpsest/openai";
import type { Experiment, Figures } from "../experiment.ts";
import { simulatedAnthropic } from "../simulated-anthropic.ts";
import { type Course, leadSession } from "./lead-session.ts";
import { readServers } from "./read-servers.ts";

const TOOLS = 40;
/** How many of them sessions use: 3 is usual, 20 is half of all. */
const USED = [1, 3, 10, 20];

/** The tools of published MCP servers, in the prompt and deferred: the same work, priced. */
export const deferredToolsExperiment: Experiment = {
  name: "deferred-tools",
  about: "tools of published MCP servers, in the prompt and deferred: the head of a request, and the price of sessions",
  async run({ size }) {
    const all = await readServers();
    // Of every server some, as the servers order them.
    const tools = all.filter(
      (_, index) => Math.floor((index * TOOLS) / all.length) !== Math.floor(((index - 1) * TOOLS) / all.length),
    );
    const course = { tools, turns: 20, callsPerTurn: 3 };
    const used = size === "quick" ? [3] : USED;
    return {
      tools: tools.length,
      servers: new Set(tools.map(({ provenance }) => JSON.stringify(provenance))).size,
      native: await compare(NATIVE, course, used),
      own: await compare(OWN, course, used),
    };
  },
};

type World = Parameters<typeof leadSession>[0];

const NATIVE: World = { model: "claude-opus-5-5", connect: simulatedAnthropic as World["connect"] };
const OWN: World = {
  model: "gpt-6-sol",
  connect: (script: Script) => {
    const fetch = fetchInProcess({ face: createOpenAiChat({ script }), clock: idleClock() });
    return openaiChat(
      new OpenAI({ apiKey: "none", baseURL: "http://simulator.local/v1", maxRetries: 0, fetch }),
    ) as never;
  },
};

async function compare(
  world: World,
  course: Omit<Course, "loading" | "usedTools">,
  used: readonly number[],
): Promise<Figures> {
  const sessions: Record<string, Figures> = {};
  let head: Figures = {};
  for (const usedTools of used) {
    const today = await leadSession(world, { ...course, usedTools, loading: "in-prompt" });
    const deferred = await leadSession(world, { ...course, usedTools, loading: "deferred" });
    head = {
      head_tokens: { today: today.headTokens, deferred: deferred.headTokens },
      head_ratio: rounded(deferred.headTokens / today.headTokens),
    };
    sessions[`${usedTools}_used`] = {
      cost_ratio: rounded(deferred.priceUsd / today.priceUsd),
      usd: { today: rounded(today.priceUsd), deferred: rounded(deferred.priceUsd) },
      requests: { today: today.requests, deferred: deferred.requests },
    };
  }
  return { ...head, sessions };
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
