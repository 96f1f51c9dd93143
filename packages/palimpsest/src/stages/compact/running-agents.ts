import type { AgentEnded, AgentPayload, AgentPlanned, AgentStarted } from "../../log/agent-payload.ts";

/** An agent that the session has started, by its log. */
export interface AgentInFlight extends Omit<AgentStarted, "step" | "plan"> {
  readonly status: "running" | AgentEnded["outcome"];
  /** What has become of the plan that it needs. @default it needs none */
  readonly plan?: "required" | AgentPlanned["state"];
  /** The key of the message that holds its newest plan. */
  readonly planKey?: string;
  /** Where it was started. */
  readonly entry: number;
  /** The entry that holds its result, if it is one of its own. */
  readonly resultEntry?: number;
  /** The newest entry of its own log when a message resumed it; what it said up to there is no result of this run. */
  readonly resumedAfter?: number;
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
export function classifyStep(agents: readonly AgentInFlight[], payload: AgentPayload): AgentStepOutcome {
  const agent = agents.find((one) => one.id === payload.id);
  if (payload.step === "started") return agent === undefined ? "entered" : "known";
  if (agent === undefined) return "unknown";
  return isNew(agent, payload) ? "entered" : "known";
}

function isNew({ status, plan, planKey }: AgentInFlight, payload: Exclude<AgentPayload, AgentStarted>): boolean {
  switch (payload.step) {
    case "ended":
      return status === "running" || (status === "idle" && payload.outcome === "stopped");
    case "resumed":
      return status !== "running";
    case "plan":
      // An answer counts for the newest plan only, and once: whoever answers has read that plan.
      if (payload.state === "asked") return plan !== undefined && plan !== "approved";
      return plan === "asked" && planKey === payload.key;
  }
}

/** Whether an agent works or waits for messages: it is not forgotten. */
function isThere({ status }: AgentInFlight): boolean {
  return status === "running" || status === "idle";
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
  if (payload.step === "plan") return { ...agent, plan: payload.state, planKey: payload.key };
  const { resultEntry: _, resumedAfter: __, ...rest } = agent;
  if (payload.step === "resumed")
    return { ...rest, status: "running", ...(payload.after === undefined ? {} : { resumedAfter: payload.after }) };
  const result = payload.told === "next-entry" ? { resultEntry: sequence + 1 } : {};
  return { ...rest, status: payload.outcome, ...result };
}

function bounded(agents: readonly AgentInFlight[]): readonly AgentInFlight[] {
  const ended = agents.filter((agent) => !isThere(agent));
  const gone = new Set(ended.slice(0, Math.max(0, ended.length - ENDED_KEPT)));
  return gone.size === 0 ? agents : agents.filter((agent) => !gone.has(agent));
}

export interface AgentsTextOptions {
  readonly budgetTokens: number;
  readonly countTokens: (text: string) => number;
}

/** Renders the agents for the model: running and idle ones first, one per line; without their goals if space is short. */
export function agentsText(agents: readonly AgentInFlight[], { budgetTokens, countTokens }: AgentsTextOptions): string {
  const there = agents.filter(isThere);
  const ended = agents.filter((agent) => !isThere(agent)).slice(-ENDED_TOLD);
  const texts = [
    [...there, ...ended].map(lineOf).join("\n"),
    there.map(lineOf).join("\n"),
    there.map(({ id, name }) => (name === undefined ? id : `${name} (${id})`)).join(", "),
  ];
  const running = there.filter(({ status }) => status === "running").length;
  const counted = running === 0 ? "" : `${running} agents are running.`;
  return texts.find((text) => countTokens(text) <= budgetTokens) ?? counted;
}

function lineOf({ id, name, definition, way, goal, status, plan, planKey, resultEntry }: AgentInFlight): string {
  const who = [id, name, definition].filter((part) => part !== undefined).join(", ");
  const short = goal.length <= GOAL_CHARACTERS ? goal : `${goal.slice(0, GOAL_CHARACTERS)}...`;
  const result = resultEntry === undefined ? "" : `; its result is entry ${resultEntry}`;
  const asked = plan === "asked" ? `; its plan ${planKey} waits for your answer` : "";
  return `- ${who} (${way}): ${short.replace(/\s+/g, " ")} [${status}${result}${asked}]`;
}
