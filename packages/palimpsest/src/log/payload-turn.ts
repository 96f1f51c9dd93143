// The parts of payloads that concern turns: steps of a turn, steps of tool calls, queues, and agents.

/** Why the model stopped, with the names of `ResponseContent`. */
export type AnswerStop = "end" | "tools" | "length" | "window" | "paused" | "refused" | "compacted" | "other";

/**
 * The state of a turn. `idle`: the turn is over. `unanswered`: the model must answer. `cut`: the answer was cut at a limit, and
 * the model may be asked to continue.
 */
export type TurnPhase = "idle" | "unanswered" | "cut";

/** A step of a turn that its messages do not show. Most turns have no such step. */
export type TurnPayload =
  /** The model must answer content that does not require an answer by itself, such as an attachment. */
  | { readonly step: "opened" }
  /**
   * A response did not end normally, or was empty. The step is appended together with the response. `cuts`: how many responses in
   * a row were cut at a limit, including this one.
   */
  | { readonly step: "answered"; readonly stop: AnswerStop; readonly phase: TurnPhase; readonly cuts?: number }
  /** The model must continue, because its answer was cut or because a hook blocked the stop. */
  | { readonly step: "continued"; readonly why: "cut-off" | "hook" }
  /** The turn ended although the model was not done, because it refused or was cut too often. */
  | { readonly step: "ended"; readonly stop: AnswerStop }
  /** A person or the host ended the turn. All of its calls are answered. */
  | ({ readonly step: "stopped" } & SaidBy);

/** The author of a decision and the reason, for people who read the log. */
export interface SaidBy {
  readonly by?: string;
  readonly reason?: string;
}

/** A step of tool calls in the newest response, before they have results. A call without such an entry has only been requested. */
export type CallPayload =
  /** The calls must not run. `cut`: the response was cut, and the call may be incomplete. */
  | { readonly step: "void"; readonly calls: readonly string[]; readonly why: "cut" | "refused" }
  /** The call waits for permission. `input`: the input after a hook changed it; absent if no hook did. */
  | { readonly step: "waiting"; readonly call: string; readonly reason?: string; readonly input?: unknown }
  | ({ readonly step: "allowed" | "denied"; readonly call: string } & SaidBy)
  /** A tool that must not run twice is about to run. */
  | { readonly step: "begun"; readonly call: string };

/**
 * The following entries came from a numbered queue. The kind of this entry is `taken:` and the digest of the queue's name, so that
 * the store finds the newest number without reading the log.
 */
export interface TakenPayload {
  readonly queue: string;
  readonly number: number;
  /** The number of content entries that directly follow. */
  readonly entries: number;
  /** The W3C trace context that the item came with. @default none */
  readonly traceparent?: string;
}

/** A status change of an agent that this session started. */
export type AgentPayload = AgentStarted | AgentEnded | AgentResumed | AgentPlanned;

/**
 * How an agent runs. `subagent`: its caller waits for the result. `background`: nobody waits. `fork`: the agent continues this
 * conversation. `teammate`: the agent stays after its report and waits for messages.
 */
export type AgentWay = "subagent" | "background" | "fork" | "teammate";

/** A started agent: its goal, its session, and the way it runs. */
export interface AgentStarted {
  readonly id: string;
  readonly step: "started";
  readonly way: AgentWay;
  /** Its task, in one line. */
  readonly goal: string;
  /** The id of the agent's session. */
  readonly session: string;
  /** The name by which other agents address it. */
  readonly name?: string;
  /** The kind of agent. */
  readonly definition?: string;
  /** `required`: the agent only reads until its plan is approved. @default no plan */
  readonly plan?: "required";
}

/** The end of an agent's run. `idle`: a teammate has reported and waits for messages. */
export interface AgentEnded {
  readonly id: string;
  readonly step: "ended";
  readonly outcome: "done" | "idle" | "failed" | "stopped";
  /** The place of the agent's result: the next entry, or the result of the call that waited for the agent. */
  readonly told: "next-entry" | "by-call";
}

/** A message resumed the agent, which continues from its log. */
interface AgentResumed {
  readonly id: string;
  readonly step: "resumed";
  /** The newest entry of the agent's log at that moment. Everything up to it was reported already. @default nothing was reported */
  readonly after?: number;
}

/** A plan of an agent: sent to this session for approval, approved, or refused. */
export interface AgentPlanned {
  readonly id: string;
  readonly step: "plan";
  readonly state: "asked" | "approved" | "refused";
  /** The key of the message that contains the plan. */
  readonly key: string;
}
