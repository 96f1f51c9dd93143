import type { Session, Store } from "palimpsest";
import type { ListedAgent, LiveState } from "./agents.ts";
import { readReport } from "./read-report.ts";
import type { LiveAgent, Roster } from "./roster.ts";
import type { KnownAgent } from "./start-agent.ts";

export interface AgentListOptions {
  readonly session: Session;
  readonly store: Pick<Store, "openReader">;
  readonly roster: Roster;
  readonly now: () => number;
}

/** The agents of a session: all, one by its name, and its report. */
export interface AgentList {
  list(): readonly ListedAgent[];
  /** Keeps what a teammate has used when its turn ends. */
  remember(agent: LiveAgent): void;
  /** One line for each agent, for the model. */
  text(): string;
  find(named: string): KnownAgent | undefined;
  read(named: string, from: number): Promise<string>;
}

const READ_CHARACTERS = 20_000;

export function createAgentList({ session, store, roster, now }: AgentListOptions): AgentList {
  /** By agent, for teammates that are idle. */
  const usedBefore = new Map<string, NonNullable<ListedAgent["used"]>>();

  function list(): readonly ListedAgent[] {
    return session.background.agents().map((agent) => {
      const one = roster.live.get(agent.id);
      if (one !== undefined) return { ...agent, live: liveState(one) };
      const used = agent.status === "idle" ? usedBefore.get(agent.id) : undefined;
      return used === undefined ? agent : { ...agent, used };
    });
  }

  function remember(one: LiveAgent): void {
    if (one.way !== "teammate") return;
    void one.done.then(() => {
      const { rounds, tokens, priceUsd } = liveState(one);
      usedBefore.set(one.id, { rounds, tokens, priceUsd });
    });
  }

  function liveState({ phrase, rounds, startedAtMs, session: child }: LiveAgent): LiveState {
    const used = child?.ledger.totals();
    const { freshTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens = 0 } = used ?? {};
    return {
      phrase,
      rounds,
      tokens: freshTokens + cacheReadTokens + cacheWriteTokens + outputTokens,
      priceUsd: used?.priceUsd ?? 0,
      elapsedMs: now() - startedAtMs,
    };
  }

  const find = (named: string): KnownAgent | undefined => {
    const agents = session.background.agents();
    return agents.find(({ id }) => id === named) ?? agents.findLast(({ name }) => name === named);
  };

  async function read(named: string, from: number): Promise<string> {
    const agent = find(named);
    if (agent === undefined) return `There is no agent ${JSON.stringify(named)}.`;
    const one = roster.live.get(agent.id);
    const text = one?.text ?? (await readReport(store, agent.session))?.text ?? "";
    const status = one === undefined ? agent.status : `running, ${one.rounds} responses so far`;
    const shown = text.slice(from, from + READ_CHARACTERS);
    const more = from + shown.length < text.length ? `\n[go on from_character ${from + shown.length}]` : "";
    return `${agent.id} (${status}) said last:\n${shown || "nothing"}${more}`;
  }

  const text = (): string => list().map(lineOf).join("\n") || "There are no agents.";

  return { list, remember, text, find, read };
}

function lineOf({ id, name, definition, way, goal, status, plan, planKey, live }: ListedAgent): string {
  const who = [name ?? id, definition].filter((part) => part !== undefined).join(", ");
  const now =
    live === undefined ? status : `${status}, ${live.rounds} responses${live.phrase ? `: ${live.phrase}` : ""}`;
  const asked = plan === "asked" ? `; its plan ${planKey} waits for your answer` : "";
  return `- ${who} (${way}): ${goal.replace(/\s+/g, " ")} [${now}${asked}]`;
}
