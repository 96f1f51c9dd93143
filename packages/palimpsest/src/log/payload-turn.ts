/** Why the model stopped, as far as it decides what happens next. The names are those of `ResponseContent`. */
export type AnswerStop = "end" | "tools" | "length" | "window" | "paused" | "refused" | "compacted" | "other";

/**
 * What there is to do for a turn. `idle`: nothing. `unanswered`: the model has something to answer. `cut`: its answer was cut
 * at a limit, and it may be asked to continue.
 */
export type TurnPhase = "idle" | "unanswered" | "cut";

/** A step of a turn that its messages do not tell. Most turns have none. */
export type TurnPayload =
  /** Content wants an answer that does not ask for one by itself, such as an attachment. */
  | { readonly step: "opened" }
  /**
   * A response that did not simply end, or that said nothing; written together with it. `cuts`: how many responses in a row
   * were cut at a limit, this one included.
   */
  | { readonly step: "answered"; readonly stop: AnswerStop; readonly phase: TurnPhase; readonly cuts?: number }
  /** The model is asked to continue, because its answer was cut or because a hook does not let it stop. */
  | { readonly step: "continued"; readonly why: "cut-off" | "hook" }
  /** The turn ended although the model was not done: it refused, or was cut too often. */
  | { readonly step: "ended"; readonly stop: AnswerStop }
  /** Somebody ended the turn. All of its calls are answered. */
  | ({ readonly step: "stopped" } & SaidBy);

/** Who decided something, and why, for people who read the log. */
export interface SaidBy {
  readonly by?: string;
  readonly reason?: string;
}

/** What became of calls of the newest response, before they have their results. A call without such an entry is only asked for. */
export type CallPayload =
  /** The calls are not to be run. `cut`: the response was cut, and the call may be incomplete. */
  | { readonly step: "void"; readonly calls: readonly string[]; readonly why: "cut" | "refused" }
  /** Somebody was asked for permission and answers later. `input`: what a hook made of the input, if one changed it. */
  | { readonly step: "waiting"; readonly call: string; readonly reason?: string; readonly input?: unknown }
  | ({ readonly step: "allowed" | "denied"; readonly call: string } & SaidBy)
  /** A tool that must not run twice is about to run. */
  | { readonly step: "begun"; readonly call: string };

/**
 * The entries behind this one came from a numbered queue. Its kind is `taken:` and the digest of the queue's name, so that the
 * newest number is found without reading the log.
 */
export interface TakenPayload {
  readonly queue: string;
  readonly number: number;
  /** How many entries of content stand directly behind it. */
  readonly entries: number;
  /** The W3C trace context that the item came with. @default none */
  readonly traceparent?: string;
}

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
interface AgentResumed {
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
