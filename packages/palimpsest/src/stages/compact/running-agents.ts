import type { AgentEnded, AgentPayload, AgentStarted } from "../../log/agent-payload.ts";

/** An agent that the session has started, by its log. */
export interface AgentInFlight extends Omit<AgentStarted, "step"> {
  readonly status: "running" | AgentEnded["outcome"];
  /** Where it was started. */
  readonly entry: number;
  /** The entry that holds its result, if it is one of its own. */
  readonly resultEntry?: number;
}

/** The number of finished agents that are remembered: their results are in the log. */
const ENDED_KEPT = 50;
/** The number of finished agents that are listed after a compaction. */
const ENDED_TOLD = 20;
const GOAL_CHARACTERS = 160;

/**
 * `known`: the step was recorded before, so nothing is reported again. `unknown`: no such agent was started on this branch,
 * because its work was undone.
 */
export type AgentStepOutcome = "entered" | "known" | "unknown";

/** Whether a step is new. Each agent starts once, and ends once for each run. */
export function classifyStep(agents: readonly AgentInFlight[], { id, step }: AgentPayload): AgentStepOutcome {
  const agent = agents.find((one) => one.id === id);
  if (step === "started") return agent === undefined ? "entered" : "known";
  if (agent === undefined) return "unknown";
  return (agent.status === "running") === (step === "ended") ? "entered" : "known";
}

export function foldAgent(
  agents: readonly AgentInFlight[],
  payload: AgentPayload,
  sequence: number,
): readonly AgentInFlight[] {
  if (classifyStep(agents, payload) !== "entered") return agents;
  if (payload.step === "started") {
    const { step: _, ...started } = payload;
    return bounded([...agents, { ...started, status: "running", entry: sequence }]);
  }
  return bounded(agents.map((agent) => (agent.id === payload.id ? after(agent, payload, sequence) : agent)));
}

function after(agent: AgentInFlight, payload: Exclude<AgentPayload, AgentStarted>, sequence: number): AgentInFlight {
  const { resultEntry: _, ...rest } = agent;
  if (payload.step === "resumed") return { ...rest, status: "running" };
  const result = payload.told === "next-entry" ? { resultEntry: sequence + 1 } : {};
  return { ...rest, status: payload.outcome, ...result };
}

function bounded(agents: readonly AgentInFlight[]): readonly AgentInFlight[] {
  const ended = agents.filter(({ status }) => status !== "running");
  const gone = new Set(ended.slice(0, Math.max(0, ended.length - ENDED_KEPT)));
  return gone.size === 0 ? agents : agents.filter((agent) => !gone.has(agent));
}

export interface AgentsTextOptions {
  readonly budgetTokens: number;
  readonly countTokens: (text: string) => number;
}

/** Renders the agents for the model: running ones first, one per line; without their goals if space is short. */
export function agentsText(agents: readonly AgentInFlight[], { budgetTokens, countTokens }: AgentsTextOptions): string {
  const running = agents.filter(({ status }) => status === "running");
  const ended = agents.filter(({ status }) => status !== "running").slice(-ENDED_TOLD);
  const texts = [
    [...running, ...ended].map(lineOf).join("\n"),
    running.map(lineOf).join("\n"),
    running.map(({ id, name }) => (name === undefined ? id : `${name} (${id})`)).join(", "),
  ];
  const counted = running.length === 0 ? "" : `${running.length} agents are running.`;
  return texts.find((text) => countTokens(text) <= budgetTokens) ?? counted;
}

function lineOf({ id, name, definition, way, goal, status, resultEntry }: AgentInFlight): string {
  const who = [id, name, definition].filter((part) => part !== undefined).join(", ");
  const short = goal.length <= GOAL_CHARACTERS ? goal : `${goal.slice(0, GOAL_CHARACTERS)}...`;
  const result = resultEntry === undefined ? "" : `; its result is entry ${resultEntry}`;
  return `- ${who} (${way}): ${short.replace(/\s+/g, " ")} [${status}${result}]`;
}
