import type { AgentEnded, AgentPayload, AgentStarted } from "../../log/agent-payload.ts";

/** An agent that the session has started, as far as its log knows. */
export interface AgentInFlight extends Omit<AgentStarted, "step"> {
  readonly status: "running" | AgentEnded["outcome"];
  /** Where it was started. */
  readonly entry: number;
  /** The entry that holds its result, if it is one of its own. */
  readonly resultEntry?: number;
}

/** Of those that have ended, so many are remembered: their results can be found in the log. */
const ENDED_KEPT = 50;
/** Of those, so many are told of after a compaction. */
const ENDED_TOLD = 20;
const GOAL_CHARACTERS = 160;

/**
 * `known`: it has been entered before, so there is nothing to be told again. `unknown`: no such agent was started on this
 * branch: it belongs to work that was taken back.
 */
export type AgentStepOutcome = "entered" | "known" | "unknown";

/** Whether a step is a new one. Each agent starts once, and ends once each time that it runs. */
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

/** The agents as the model is told of them: those that run first, each on its line; in less room without their goals. */
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
