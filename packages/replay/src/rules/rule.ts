import type { ToolCall } from "palimpsest";

/** A message as a rule sees it. The same object is the same bytes: the simulated cache goes by it. */
export interface RuleMessage {
  /** `response`: of the model. `words`: of the user. `host`: put in by the program. `summary`: stands for others. */
  readonly kind: "words" | "response" | "result" | "host" | "summary";
  readonly text: string;
  readonly tokens: number;
  /** How many blocks it has: the provider looks for a cached prompt so many blocks back. */
  readonly blocks: number;
  /** The item of the recording that it shows in whole; absent if it stands for something else. */
  readonly item?: number;
  /** Of a response: its words without its calls, and these. */
  readonly said?: string;
  readonly calls?: readonly ToolCall[];
  /** Of a result: what was called, and what came of it. */
  readonly call?: ToolCall;
  readonly status?: "ok" | "error";
}

/** What a rule knows before a request. */
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
  /** Asks the model for a summary, which is paid for. */
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
  /** What the conversation is from now on. */
  readonly kept: readonly RuleMessage[];
  /** What is sent this time. @default what is kept */
  readonly sent?: readonly RuleMessage[];
}

/** How another program keeps its conversation small, as it is published. */
export interface Rule {
  readonly name: string;
  readonly about: string;
  /** Where it can be read. */
  readonly source: string;
  /** Called once for each session: what it remembers is its own. */
  begin(): RuleSession;
}

export interface RuleSession {
  /** Before each request. */
  prepare(messages: readonly RuleMessage[], situation: RuleSituation): RulePrepared | Promise<RulePrepared>;
}
