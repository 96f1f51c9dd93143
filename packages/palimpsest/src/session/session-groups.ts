import type { SessionCost } from "../cache/cost.ts";
import type { ExplainedBoundary } from "../compact/explain.ts";
import type { LedgerLine, LedgerTotals } from "../cost/ledger.ts";
import type { Hooks } from "../hooks/hook.ts";
import type { AgentPayload } from "../log/agent-payload.ts";
import type { Part, ToolCall } from "../log/block.ts";
import type { Replacement, ToolDefinition } from "../log/payload.ts";
import type { Provider } from "../providers/provider.ts";
import type { Tool } from "../schema/tool.ts";
import type { NewEvent, SessionEvent } from "../session-event.ts";
import type { AgentInFlight, AgentStepOutcome } from "../stages/compact/running-agents.ts";
import type { SnipTarget } from "../stages/plan-snip.ts";
import type { Pin } from "../state/carried.ts";
import type { UsageOfOthers } from "../state/responses.ts";
import type { Accounting, AccountOptions } from "../view/account.ts";
import type { KeepWarmOptions, KeptWarm } from "./keep-warm-options.ts";
import type { DeferredTools } from "./search-tools.ts";
import type { SessionSize } from "./session-size.ts";
import type { NewContent } from "./to-contents.ts";

/** The session's provider, as far as a loop needs it. */
export interface SessionProvider<Request, Response> extends Pick<Provider<Request, Response>, "name" | "send"> {
  /**
   * Keeps the newest prompt in the provider's cache during a pause, with pings that the settings allow and that save money.
   * Resolves when no more pings will be sent, when the signal is aborted, or with the next `prepare`.
   */
  keepWarm(options: KeepWarmOptions): Promise<KeptWarm>;
}

/** What the model sees now. */
export interface SessionView {
  /** How full the window is. */
  size(): SessionSize;
  /** What fills the window. */
  accounting(options?: AccountOptions): Accounting;
  /** Calls of the newest response without a result. After a crash, any of them may have run. */
  openCalls(): readonly ToolCall[];
  /** The tools that the model sees. Tools made with `tool()` can be run; the others are definitions only. */
  tools(): readonly (Tool | ToolDefinition)[];
  /** The tools that are in the prompt by name and one line only, and which of them the conversation has loaded. */
  deferredTools(): DeferredTools;
  /** The content of a result of `tool_search`, for a loop of your own. `query` answers such calls itself. */
  searchTools(input: unknown): readonly Part[];
  /** Files whose newest read is fully in view, with its entry: for tools that edit only files that were read. */
  filesRead(): ReadonlyMap<string, number>;
  /** Texts of the attachments of a type that are in view, in order: for hosts that do not want to repeat themselves. */
  attached(type: string): readonly string[];
}

/** The entries of the session: rewind, replace ranges, restore, explain, export. */
export interface SessionHistory {
  /** The number of the newest entry. `rewind` can go back to it later. */
  readonly newestEntry: number;
  /** Goes back to an earlier entry. Later entries stay in the log, on their own branch. */
  rewind(to: number, reason?: string): Promise<void>;
  /** Shows a range of entries as something else. The entries stay in the log. Resolves to the decision's number. */
  replace(range: Range, replacements: readonly Replacement[], reason: string): Promise<number>;
  /** Like `replace`, but later reads start here: for summaries of everything before. */
  fold(range: Range, replacements: readonly Replacement[], reason: string): Promise<number>;
  /** Removes messages, or one block of a message, from the view and leaves a stub. `restore` brings them back. */
  snip(target: SnipTarget, reason?: string): Promise<number>;
  /** Takes back a decision: the range is shown as before. */
  restore(decision: number, reason?: string): Promise<void>;
  /** Lists every compaction, newest first: its input, its result, how it was made and its price. */
  explain(limit?: number): Promise<readonly ExplainedBoundary[]>;
  /** Exports the whole log as lines of JSON. */
  export(): AsyncGenerator<string>;
}

/** Texts that stay in view through every compaction. */
export interface SessionPins {
  /** Pins a text, which the model sees at once, or the text of an entry. Resolves to the pin's entry number. */
  add(what: string | number): Promise<number>;
  remove(pin: number): Promise<void>;
  list(): readonly Pin[];
}

/** Tokens and money. */
export interface SessionLedger {
  /** The token counts of all responses together. */
  totals(): LedgerTotals;
  /** The cost of the session, what was lost to which cause, and the cost of the next request with and without the cache. */
  cost(): Promise<SessionCost>;
  /** Lists every response with its price, what a perfect cache would have saved, and why it did not. Reads the whole log. */
  lines(): AsyncGenerator<LedgerLine>;
  /** Records the token counts of a call that is not in this session's log, for example a call of an agent. */
  enter(used: UsageOfOthers): Promise<void>;
}

/** The session's events, and the host's hooks. */
export interface SessionEvents {
  /** Adds a listener for all events from now on. Returns a function that removes it. */
  listen(listener: (event: SessionEvent) => void): () => void;
  /** Emits an event for this session: for extractions, dreams, agents and other background work. */
  emit(newEvent: NewEvent): void;
  /** Runs the session's hooks, for the code that runs its turns. Emits `hooks-ran`. */
  runHooks: Hooks["run"];
}

/** State of background work in the session's log: agents, memory extraction. Hosts rarely need it. */
export interface SessionBackground {
  /** Agents that this session started: the running ones, and the newest finished ones. */
  agents(): readonly AgentInFlight[];
  /**
   * Records a status change of an agent together with the content for the model: both or neither. A change that was recorded
   * before, or that belongs to work that was taken back, does nothing.
   */
  enterAgent(step: AgentPayload, ...told: readonly NewContent[]): Promise<AgentStepOutcome>;
  /** How far the named reader has processed the log, as set by `setMark`; 0 at the start. A rewind takes it back. */
  mark(name: string): number;
  setMark(name: string, coveredTo: number): Promise<void>;
}

/** A range of entries, both ends included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}
