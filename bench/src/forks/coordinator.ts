import { type Agents, createAgents } from "@palimpsest/agents";
import type { Script } from "@palimpsest/provider-simulator";
import { memoryStore, openSession, query, type Session } from "palimpsest";
import { simulatedAnthropic } from "../simulated-anthropic.ts";

const MODEL = "claude-opus-5-5";
/** What is long is not stored away, and nothing is folded: what is measured is the price of one context. */
const AS_IT_IS = {
  "compaction.auto": "off",
  "toolResults.storing": "off",
  "notes.enabled": "off",
  "clearing.enabled": "off",
} as const;
/** Of the simulator's tokenizer. */
const WORDS_PER_TOKEN = 1.5;
const PIECES = 12;

export interface Coordinator {
  readonly session: Session;
  readonly agents: Agents;
  turn(prompt: string): Promise<void>;
  /** Texts of so many tokens together. */
  context(tokens: number): readonly string[];
  /** What all agents that have a session of their own have spent. */
  spentUsd(): number;
}

/** A session of a given size, whose newest request is in the cache, with agents. */
export async function openCoordinator(options: {
  readonly script: Script;
  readonly contextTokens: number;
}): Promise<Coordinator> {
  const { script, contextTokens } = options;
  const provider = simulatedAnthropic(script);
  const store = memoryStore({ leaseMs: 0 });
  const shared = { store, provider, model: MODEL, settings: AS_IT_IS };
  const session = await openSession({ ...shared, id: "coordinator", system: "You lead." });
  const children: Session[] = [];
  const agents = createAgents({
    session,
    store,
    tools: [],
    async openChild({ id, system = "" }) {
      const child = await openSession({ ...shared, id, system });
      children.push(child as Session);
      return child;
    },
  });
  async function turn(prompt: string): Promise<void> {
    const running = query(session, { prompt, tools: agents.tools });
    for (let next = await running.next(); ; next = await running.next()) {
      if (next.done !== true) continue;
      if (next.value.kind !== "done") throw new Error(`the turn ended as ${next.value.kind}`);
      return;
    }
  }
  if (contextTokens > 0) {
    await session.append(context(contextTokens));
    await turn("Read this.");
  }
  return {
    session,
    agents,
    turn,
    context,
    spentUsd: () => children.reduce((sum, child) => sum + child.ledger.totals().priceUsd, 0),
  };
}

function context(tokens: number): readonly string[] {
  const words = Math.round((tokens * WORDS_PER_TOKEN) / PIECES);
  return Array.from({ length: PIECES }, (_, at) => `${at} `.repeat(words));
}
