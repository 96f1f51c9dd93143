import type { ToolCall } from "palimpsest";

/** A message as a rule sees it. The same object means the same bytes: the simulated cache relies on it. */
export interface RuleMessage {
  /**
   * `response`: of the model. `words`: of the user. `host`: inserted by the program. `summary`: replaces other
   * messages.
   */
  readonly kind: "words" | "response" | "result" | "host" | "summary";
  readonly text: string;
  readonly tokens: number;
  /** The number of its blocks: the provider looks a limited number of blocks back for a cached prompt. */
  readonly blocks: number;
  /** The item of the recording that the message shows in full; absent for replacements. */
  readonly item?: number;
  /** For a response: its text without calls, and its calls. */
  readonly said?: string;
  readonly calls?: readonly ToolCall[];
  /** For a result: the call and the outcome. */
  readonly call?: ToolCall;
  readonly status?: "ok" | "error";
}

/** The input of a rule before a request. */
export interface RuleSituation {
  readonly nowMs: number;
  /** Time since the previous request; undefined before the first. */
  readonly idleMs: number | undefined;
  readonly windowTokens: number;
  /** Tokens of system prompt and tools. */
  readonly headTokens: number;
  /** Returns the size of the messages with system prompt and tools, as the provider would count it. */
  sizeOf(messages: readonly RuleMessage[]): number;
  /** Returns a message that replaces another by this text. */
  replaced(message: RuleMessage, text: string): RuleMessage;
  /** Returns a new message of the rule. */
  made(kind: RuleMessage["kind"], text: string): RuleMessage;
  /** Asks the model for a summary, and counts its cost. */
  summarize(messages: readonly RuleMessage[], how: SummaryCall): RuleMessage;
  /** The same for a prompt that the rule composed; returns the answer. */
  summarizeText(prompt: string): string;
  /** Returns the current content of a file. */
  readFile(path: string): string | undefined;
}

/**
 * `shared`: appended to the conversation, whose prompt is in the cache. `fresh`: a transcript as a prompt of its own.
 */
export interface SummaryCall {
  readonly prompt: "shared" | "fresh";
  /** The maximum length of each result in the transcript. @default unlimited */
  readonly resultCharacters?: number;
  /** The number of calls. @default 1 */
  readonly calls?: number;
}

export interface RulePrepared {
  /** The conversation from now on. */
  readonly kept: readonly RuleMessage[];
  /** The messages of this request. @default the kept conversation */
  readonly sent?: readonly RuleMessage[];
  /** The number of its first messages that stay the same from now on: the client puts a cache mark behind them. */
  readonly stableMessages?: number;
}

/** A published rule with which another program keeps its conversation small. */
export interface Rule {
  readonly name: string;
  readonly about: string;
  /** Where the rule is published. */
  readonly source: string;
  /** Called once for each session, so that each has its own state. */
  begin(): RuleSession;
}

/** A session of a rule: it gets the conversation, and returns what it would send. */
export interface RuleSession {
  /** Called before each request. */
  prepare(messages: readonly RuleMessage[], situation: RuleSituation): RulePrepared | Promise<RulePrepared>;
}
