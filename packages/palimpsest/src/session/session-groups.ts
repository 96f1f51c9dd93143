import type { SessionCost } from "../cache/cost.ts";
import type { LedgerLine, LedgerTotals } from "../cache/ledger.ts";
import type { Hooks } from "../hooks/hook.ts";
import type { AgentPayload } from "../log/agent-payload.ts";
import type { ToolCall } from "../log/block.ts";
import type { Replacement, ToolDefinition } from "../log/payload.ts";
import type { WindowSource } from "../providers/models.ts";
import type { Provider } from "../providers/provider.ts";
import type { NewEvent, SessionEvent } from "../session-event.ts";
import type { Pin } from "../stages/compact/carried-state.ts";
import type { AgentInFlight, AgentStepOutcome } from "../stages/compact/running-agents.ts";
import type { SnipTarget } from "../stages/plan-snip.ts";
import type { Budget, BudgetLevel } from "../tokens/budget.ts";
import type { Tool } from "../tools/tool.ts";
import type { Accounting, AccountOptions } from "../view/account.ts";
import type { CompactionPoint } from "./compact/compaction-point.ts";
import type { ExplainedBoundary } from "./compact/explain.ts";
import type { UsageOfOthers } from "./enter-usage.ts";
import type { KeepWarmOptions, KeptWarm } from "./keep-warm-options.ts";
import type { NotesUpdateOutcome } from "./notes/notes-options.ts";
import type { NewContent } from "./to-contents.ts";

/** The provider that a session was opened with, as far as a loop needs it. */
export interface SessionProvider<Request, Response> extends Pick<Provider<Request, Response>, "name" | "send"> {
  /**
   * Keeps the newest request's prompt in the provider's cache through a pause, by pings that the settings allow and that save
   * money. Resolves when no more pings are to come, when the signal is aborted, or with the next `prepare`.
   */
  keepWarm(options: KeepWarmOptions): Promise<KeptWarm>;
}

/** What the model sees now. */
export interface SessionView {
  /** How full the window is. */
  size(): SessionSize;
  /** What fills the window. */
  accounting(options?: AccountOptions): Accounting;
  /** Calls of the newest response that have no result yet. After a crash, any of them may have run. */
  openCalls(): readonly ToolCall[];
  /** The tools that the model is offered. Those made by `tool()` can be run; the others are definitions only. */
  tools(): readonly (Tool | ToolDefinition)[];
  /** Files whose newest read the model still sees in whole, with its entry: for tools that edit only what was read. */
  filesRead(): ReadonlyMap<string, number>;
  /** Texts of the attachments of a type that the model sees now, in order: for hosts that say nothing twice. */
  attached(type: string): readonly string[];
}

/** What was said and decided, entry by entry: going back, showing ranges as something else, explaining. */
export interface SessionHistory {
  /** The number of the newest entry: a point that `rewind` can go back to. */
  readonly newestEntry: number;
  /** Goes back to an earlier entry. Later entries stay in the log, on a branch of their own. */
  rewind(to: number, reason?: string): Promise<void>;
  /** Shows a range of entries as something else. The entries stay in the log. Resolves to the decision's number. */
  replace(range: Range, replacements: readonly Replacement[], reason: string): Promise<number>;
  /** Like `replace`, and the session is read from here on: for summaries of everything that came before. */
  fold(range: Range, replacements: readonly Replacement[], reason: string): Promise<number>;
  /** Takes messages, or one block of a message, out of the view and leaves a stub. `restore` brings them back. */
  snip(target: SnipTarget, reason?: string): Promise<number>;
  /** Takes back a decision: the range is shown as before. */
  restore(decision: number, reason?: string): Promise<void>;
  /** Every compaction, the newest first: what went in, what came out, how and at what price. */
  explain(limit?: number): Promise<readonly ExplainedBoundary[]>;
  /** The whole log as lines of JSON. */
  export(): AsyncGenerator<string>;
}

/** Texts that stay in view through every compaction. */
export interface SessionPins {
  /** Pins a text, which the model is shown at once, or the text of an entry. Resolves to the pin's number. */
  add(what: string | number): Promise<number>;
  remove(pin: number): Promise<void>;
  list(): readonly Pin[];
}

/** The session's notes: what a compaction can go by. */
export interface SessionNotes {
  /** The notes as markdown: the bare template, as long as nothing was noted. */
  read(): Promise<string>;
  /** Updates the notes now, by a call on the cached prompt. The session updates them by itself when it saves money. */
  update(options?: { readonly signal?: AbortSignal }): Promise<NotesUpdateOutcome>;
}

/** Tokens and money. */
export interface SessionLedger {
  /** What all responses have used. */
  totals(): LedgerTotals;
  /** What the session has cost, what of that was lost to which cause, and what the next request will cost, warm and cold. */
  cost(): Promise<SessionCost>;
  /** Every response with its price, what a perfect cache would have saved, and why it did not. Reads the whole log. */
  lines(): AsyncGenerator<LedgerLine>;
  /** Enters what a call has used for this session that its log does not hold: an agent's, for instance. */
  enter(used: UsageOfOthers): Promise<void>;
}

/** What happens in a session, for those who listen; and the hooks of the host. */
export interface SessionEvents {
  /** Calls this listener, too, with each event from now on. Returns a function that ends it. */
  listen(listener: (event: SessionEvent) => void): () => void;
  /** Emits an event in this session's name: for work beside it, like extractions, dreams and agents. */
  emit(newEvent: NewEvent): void;
  /** Runs the hooks that the session was opened with, for whoever runs its turns. Listeners learn how they went. */
  runHooks: Hooks["run"];
}

/** What work beside the conversation keeps in the session's log: agents, memory extraction. Hosts rarely need it. */
export interface SessionBackground {
  /** Agents that were started from here: those that run, and the newest of those that have ended. */
  agents(): readonly AgentInFlight[];
  /**
   * Enters a step of an agent, together with what the model is told of it: both or neither. A step that was entered
   * before, or that belongs to work which was taken back, changes nothing.
   */
  enterAgent(step: AgentPayload, ...told: readonly NewContent[]): Promise<AgentStepOutcome>;
  /** How far a reader of that name has been through the log, as `setMark` said; 0 if nowhere. A rewind takes it back. */
  mark(name: string): number;
  setMark(name: string, coveredTo: number): Promise<void>;
}

/** A range of entries, both ends included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The size of the view, and the sizes at which something happens. */
export interface SessionSize extends Budget {
  /** What was reported last, and a padded estimate of what came after. */
  readonly tokens: number;
  /** Of the way to the next compaction; where nothing is compacted by itself, to where the room ends. */
  readonly percentLeft: number;
  readonly level: BudgetLevel;
  /** Who says how large the window is. `guessed`: nobody: give it to the provider (`models`) or in `window.tokens`. */
  readonly known: WindowSource;
  /** Where the conversation will be compacted next. */
  readonly compaction: CompactionPoint;
}
