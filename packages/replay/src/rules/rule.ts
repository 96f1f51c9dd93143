import type { ToolCall } from "palimpsest";

/** A message as a rule sees it. The same object means the same bytes: the simulated cache relies on it. */
export interface RuleMessage {
  /** `response`: of the model. `words`: of the user. `host`: put in by the program. `summary`: stands for others. */
  readonly kind: "words" | "response" | "result" | "host" | "summary";
  readonly text: string;
  readonly tokens: number;
  /** The number of its blocks: the provider looks a limited number of blocks back for a cached prompt. */
  readonly blocks: number;
  /** The item of the recording that it shows in full; absent if it stands for something else. */
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
  /** Since the request before; undefined before the first. */
  readonly idleMs: number | undefined;
  readonly windowTokens: number;
  /** Of system prompt and tools. */
  readonly headTokens: number;
  /** Of the messages, with system prompt and tools: what the provider would count. */
  sizeOf(messages: readonly RuleMessage[]): number;
  /** A message in the place of another: what is there of it, and what became of the rest. */
  replaced(message: RuleMessage, text: string): RuleMessage;
  /** A message of the rule's own making. */
  made(kind: RuleMessage["kind"], text: string): RuleMessage;
  /** Asks the model for a summary, and counts its cost. */
  summarize(messages: readonly RuleMessage[], how: SummaryCall): RuleMessage;
  /** The same for a prompt that the rule has put together by itself; the answer. */
  summarizeText(prompt: string): string;
  /** A file as it is now. */
  readFile(path: string): string | undefined;
}

/** `shared`: behind the conversation, whose prompt is in the cache. `fresh`: of a transcript that is a prompt of its own. */
export interface SummaryCall {
  readonly prompt: "shared" | "fresh";
  /** Of each result, the transcript has no more than this. @default all of it */
  readonly resultCharacters?: number;
  /** How many calls it takes. @default 1 */
  readonly calls?: number;
}

export interface RulePrepared {
  /** The conversation from now on. */
  readonly kept: readonly RuleMessage[];
  /** The messages of this request. @default the kept conversation */
  readonly sent?: readonly RuleMessage[];
}

/** A published rule by which another program keeps its conversation small. */
export interface Rule {
  readonly name: string;
  readonly about: string;
  /** Where it can be read. */
  readonly source: string;
  /** Called once for each session, so that each has its own state. */
  begin(): RuleSession;
}

export interface RuleSession {
  /** Before each request. */
  prepare(messages: readonly RuleMessage[], situation: RuleSituation): RulePrepared | Promise<RulePrepared>;
}
