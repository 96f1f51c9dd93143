/** A status change of an agent that this session started. */
export type AgentPayload = AgentStarted | AgentEnded | AgentResumed | AgentPlanned;

/** How an agent runs. `subagent`: its caller waits for it. `background`: nobody waits. `fork`: it continues this conversation. `teammate`: it stays after its report and waits for messages. */
export type AgentWay = "subagent" | "background" | "fork" | "teammate";

/** An agent that was started: its goal, its session, and the way it runs. */
export interface AgentStarted {
  readonly id: string;
  readonly step: "started";
  readonly way: AgentWay;
  /** Its task, in one line. */
  readonly goal: string;
  /** The id of its own session. */
  readonly session: string;
  /** The name by which other agents address it. */
  readonly name?: string;
  /** The kind of agent. */
  readonly definition?: string;
  /** `required`: it only reads until its plan is approved. @default no plan */
  readonly plan?: "required";
}

/** An agent that ended, and how. `idle`: a teammate that has reported and waits for messages. */
export interface AgentEnded {
  readonly id: string;
  readonly step: "ended";
  readonly outcome: "done" | "idle" | "failed" | "stopped";
  /** Where its result is: in the next entry, or in the result of the call that waited for it. */
  readonly told: "next-entry" | "by-call";
}

/** A message resumed it; it continues from its log. */
export interface AgentResumed {
  readonly id: string;
  readonly step: "resumed";
  /** The newest entry of its log at that moment: what it said up to there has been told. @default all of its log is news */
  readonly after?: number;
}

/** The plan of an agent: sent to this session for approval, or answered by it. */
export interface AgentPlanned {
  readonly id: string;
  readonly step: "plan";
  readonly state: "asked" | "approved" | "refused";
  /** The key of the message that holds the plan. */
  readonly key: string;
}
