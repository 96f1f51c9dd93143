// The policy: everything that a session decides about its context window, as one value.

import type { TokenCosts } from "../cost/ledger.ts";
import type { Media } from "../log/block.ts";
import type { Provenance } from "../log/provenance.ts";

export type { SummaryWay } from "../log/payload-compaction.ts";

import type { CacheLifetime, Json, WindowState } from "./window-state.ts";

export type { Json } from "./window-state.ts";

/**
 * Everything that a session decides about its context window. Each part can be read, replaced and tested separately. To change a
 * preset, spread it: `{ ...coding(), clear: [] }`.
 */
export interface Policy {
  /** Shown in events, in `explain` and in the log. */
  readonly name: string;
  /** Which tool results become files with a preview. */
  readonly store: StoreRule;
  /** Ways to clear tool results. Each makes a proposal. If proposals are equally good, the first one wins. */
  readonly clear: readonly ClearRule[];
  readonly compact: CompactRule;
  /** @default no notes */
  readonly notes?: NotesRule;
  /** How long the provider caches the prompt. */
  readonly cache: CacheRule;
  /** How proposals are compared. */
  readonly weigh: WeighNumbers;
}

/** The name and the numbers of a rule. Both are plain data: the log and `explain` show them. */
export interface Rule {
  readonly name: string;
  readonly params?: Json;
}

// ------------------------------------------------------------------------------------------------ one decision

/**
 * How strongly a rule asks. `required`: the window needs the action. `requested`: the policy wants the action at any price.
 * `if-it-pays`: only if the action saves more than it costs. `when-full`: never alone, but as an alternative once something is `required`.
 */
export type Level = "required" | "requested" | "if-it-pays" | "when-full";

/** What a rule proposes. The rule counts tokens, and the engine prices all proposals alike. Numbers are finite and not negative. */
export interface Proposal {
  readonly action: Action;
  readonly level: Level;
  /** Why, with the figure, for people. */
  readonly because: string;
  /** The tokens that go, less the tokens that are shown in their place. */
  readonly freesTokens: number;
  /** The prompt stays the same up to here. */
  readonly keepsPrefixTokens: number;
  /** The model call that the action needs. @default none */
  readonly call?: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
  /** What the model is expected to fetch again, and in how many extra requests. @default nothing */
  readonly comesBack?: { readonly tokens: number; readonly requests: number } | undefined;
  /** A cost that token counts do not show, such as a summary service. @default 0 */
  readonly extraUsd?: number | undefined;
  /** `exact`: byte for byte, by id. `counted`: the provider reports only how much it removed. */
  readonly undo: "exact" | "counted";
}

export type Action =
  | { readonly kind: "clear"; readonly entries: readonly number[]; readonly thinking: "stays" | "dropped" }
  | { readonly kind: "ask-provider"; readonly edits: WantedEdits }
  | { readonly kind: "delete-cached"; readonly entries: readonly number[] }
  | { readonly kind: "compact"; readonly by: "summary" | "prepared" | "notes" | "none" };

/** The edits that a request asks of the provider. */
export interface WantedEdits {
  /** The provider clears nothing from a request with less input. */
  readonly aboveTokens: number;
  /** The provider clears nothing if the cleared results have fewer tokens. */
  readonly freeAtLeastTokens: number;
  readonly keepNewest: number;
  readonly keepTools: readonly string[];
  /** Tools whose input is cleared together with the result. */
  readonly inputsOf: readonly string[];
  /** `last-turn`: thinking from the turn before the pause on stays. */
  readonly thinking: "all" | "last-turn";
}

/** A way to clear. Pure and synchronous. `undefined`: the rule does not apply now. A rule never switches another one off. */
export interface ClearRule extends Rule {
  propose(state: WindowState): Proposal | undefined;
}

export interface WeighNumbers {
  /** Costs and savings are compared over so many requests. */
  readonly horizonRequests: number;
  /** An `if-it-pays` action must save at least this share of the price of the next request. */
  readonly marginShare: number;
  /** Proposals that are this close to the best count as equal, and the mildest is taken. */
  readonly tieShare: number;
  /** An `if-it-pays` action changes a warm prefix only after the window has grown by this share since one was last changed. */
  readonly regrowShare: number;
  /** After a `required` action, this share of the limit is free. */
  readonly freeShare: number;
}

// ------------------------------------------------------------------------------------------------ compaction

export interface CompactRule {
  /** Whether to compact now. The reason becomes a proposal like any other. */
  readonly when: WhenRule;
  /** What to compact. The engine moves the cut to where calls, results and thinking stay together. */
  readonly range: RangeRule;
  readonly summary: Summary | WriteSummary;
  /** What survives besides the summary, most important first. The engine adds the parts that must survive. */
  readonly keep: readonly KeepPart[];
  /** @default no summary is prepared ahead of time */
  readonly prepareAhead?: PrepareRule | undefined;
  /**
   * Whether people wait for a compaction that only saves money. `wait`: until its summary is written. `when-required`: no. The window
   * is sent as it is, a model writes the summary meanwhile, and the session compacts once it is ready, also inside a turn. A
   * compaction that the window requires is waited for. `when-required` needs `prepareAhead`.
   */
  readonly patience: "wait" | "when-required";
  /** Estimates until the session has had a compaction of its own. */
  readonly expect: CompactExpectation;
  /** A compaction that shrinks the window by a smaller share is not installed. */
  readonly minShrinkShare: number;
}

/** Says whether to compact now. Pure. A plain function is enough; the built-in rules have a name and numbers, which the log shows. */
export interface WhenRule extends FunctionRule {
  (state: WindowState): CompactReason | undefined;
}

/** Chooses what to compact. Pure. */
export interface RangeRule extends FunctionRule {
  (outline: Outline, state: WindowState): Cut | undefined;
}

/** A rule that is a function. Its name is the name of the function. */
interface FunctionRule {
  readonly name: string;
  readonly params?: Json;
  /** The rules that it combines. The log shows them in its place. */
  readonly of?: readonly FunctionRule[];
}

export interface CompactReason {
  readonly level: Level;
  readonly because: string;
  /** The name of the rule that asks, for explanations. @default "compact" */
  readonly rule?: string | undefined;
}

export interface CompactExpectation {
  /** The summary and the parts, without the head. */
  readonly keptTokens: number;
  readonly outputTokens: number;
  readonly comesBack: { readonly tokens: number; readonly requests: number };
}

/** The view as turns, oldest first. */
export interface Outline {
  readonly turns: readonly OutlineTurn[];
}

export interface OutlineTurn {
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
  /** Messages with text. */
  readonly messages: number;
  readonly status: "closed" | "open";
  readonly origin: "conversation" | "summary";
}

/** The entries up to and including `to`, from the beginning. */
export interface Cut {
  readonly to: number;
}

// ------------------------------------------------------------------------------------------------ summaries

export type Summary = SummaryForm | SummaryFunction | NativeSummary | NoSummary;

/** Only the parts remain. */
export interface NoSummary {
  readonly kind: "none";
}

/** The provider compacts in its own format, where it can. Our parts stand next to its block. */
export interface NativeSummary extends Rule {
  readonly kind: "native";
  /** Used if the provider cannot compact, or refuses. */
  readonly otherwise: SummaryForm;
}

/** A form that a model fills in. The check accepts what the prompt asks for. */
export interface SummaryForm extends Rule {
  readonly kind: "form";
  readonly maxTokens: number;
  /** Pure. The engine adds "text only, no tool calls", the scratchpad, and the instructions of the user. */
  prompt(ask: SummaryAsk): string;
  /** Pure. Runs after the engine's own checks (blank, refusal, error text, echo, size). */
  check(text: string, about: SummaryAsk): Verdict;
  /** What happens if one repair does not help. `accept`: a usable text is kept. `refuse`: the next method is tried. */
  readonly ifUnmet: "accept" | "refuse";
  /** The model that writes the summary, from a transcript. @default the session's own model, which reads the cached prompt */
  readonly model?: string | undefined;
}

export interface SummaryAsk {
  readonly part: "all" | "before" | "after";
  /** Instructions of the user and of hooks. */
  readonly instructions: string;
  readonly sourceTokens: number;
  /** Whether a path, an id or a number occurs in the compacted messages. */
  readonly isKnown: (text: string) => boolean;
}

export type Verdict =
  | { readonly kind: "ok" }
  /** The model is asked once more, with this text. */
  | { readonly kind: "repair"; readonly ask: string }
  | { readonly kind: "refuse"; readonly why: string };

/** A summary that the builder's own code writes. The only part of a policy that may be asynchronous. */
export interface SummaryFunction extends Rule {
  readonly kind: "function";
  readonly write: WriteSummary;
  readonly timeoutMs: number;
  /** Used if `write` throws, takes too long or returns nothing usable. @default no summary */
  readonly otherwise?: SummaryForm | undefined;
}

export type WriteSummary = (work: SummaryWork) => Promise<string>;

export interface SummaryWork {
  readonly ask: SummaryAsk;
  /** The messages as text, oldest first. */
  readonly transcript: string;
  /** Asks the session's model on its cached prompt. The call counts against the calls of the turn. */
  fork(prompt: string): Promise<string>;
  /** Asks the summary model with a prompt of its own. The call counts against the calls of the turn. */
  direct(prompt: string): Promise<string>;
  readonly signal: AbortSignal;
}

// ------------------------------------------------------------------------------------------------ parts

/**
 * A part that survives a compaction. `plan` names items, the engine loads them and grants room, and `render` writes the text. All
 * functions are pure. The text goes into the log.
 */
export interface KeepPart extends Rule {
  readonly budget: PartBudget;
  /** What the part remembers of messages that are no longer in view. @default nothing */
  readonly collect?: Collector | undefined;
  /**
   * `last`: the part is rendered after the others, so that `room.shown` contains their text and the part repeats none of it. Of several such
   * parts, the last of the list is rendered first. @default the order of the list
   */
  readonly rendered?: "last" | undefined;
  plan(material: Material): readonly PlannedItem[];
  render(items: readonly LoadedItem[], room: Room): readonly PartText[];
}

export interface PartBudget {
  /** The part never has more. */
  readonly maxTokens: number;
  /** The part's share of the room after a compaction. */
  readonly share: number;
  /** Granted first, before any share. @default 0 */
  readonly minTokens?: number | undefined;
  /** The numbers that apply if no model wrote a summary. @default the same */
  readonly withoutSummary?: { readonly maxTokens: number; readonly share: number } | undefined;
}

export interface Collector {
  /** A collector of another version starts again from the beginning of the log. */
  readonly version: number;
  readonly empty: Json;
  /** A state that is larger as JSON is refused, and the earlier state stays. */
  readonly maxBytes: number;
  /**
   * Called once for each message. Depends on nothing but the two, and returns the new state. A large state may be changed in place and
   * returned: then its size is checked once, after the last message, instead of after each.
   */
  add(state: Json, message: LogMessage): Json;
}

/** A message as it came in, even if the view shows a stub of it. */
export interface LogMessage {
  readonly entry: number;
  readonly provenance: Provenance;
  /** The text of the message or of the tool result, up to 100,000 characters. */
  readonly text: string;
  readonly tokens: number;
  /** The tool whose result the message is. */
  readonly tool: string | undefined;
  readonly media: readonly Media[];
}

/** What a part can plan from. */
export interface Material {
  /** The window before the compaction. */
  readonly state: WindowState;
  /** The text that takes the place of the compacted messages. Undefined if no model wrote a summary. */
  readonly summary: string | undefined;
  /** `open`: the model is in the middle of a turn. */
  readonly turn: "open" | "closed";
  /** What goes out of view, oldest first. */
  readonly compacted: readonly LogMessage[];
  /** What stays in view. */
  readonly kept: readonly LogMessage[];
  /** The user's messages of the whole session that are not in view, oldest first: the first one and the newest 400, whole. */
  readonly userMessages: readonly UserMessage[];
  /** The part's own collected state. */
  readonly collected: Json;
}

export interface UserMessage {
  readonly entry: number;
  readonly text: string;
}

export interface PlannedItem {
  /** Names the item in reports. */
  readonly key: string;
  /** The entry that holds the whole item, for recall. */
  readonly entry?: number | undefined;
  readonly from:
    | { readonly kind: "text"; readonly text: string; readonly provenance: Provenance }
    /** The host reads the file, as it is now. */
    | { readonly kind: "file"; readonly path: string }
    /** A text of the host, by the name of its field in `surroundings`. A list becomes one item for each text. */
    | {
        readonly kind: "host";
        readonly name: string;
        /** What the host's function is called with. @default nothing */
        readonly of?: readonly string[] | undefined;
        readonly provenance?: Provenance | undefined;
      };
  /** An image or a document that belongs to the item. */
  readonly media?: Media | undefined;
  /** Anything that `render` needs to know about the item. It is not shown. */
  readonly data?: unknown;
}

export interface LoadedItem {
  readonly key: string;
  readonly text: string;
  readonly provenance: Provenance;
  /** With the image or document. */
  readonly tokens: number;
  readonly entry: number | undefined;
  /** The file that has the whole text. */
  readonly path: string | undefined;
  readonly media: Media | undefined;
  readonly data: unknown;
}

export interface Room {
  readonly tokens: number;
  /** The text that the view shows beside the part: messages that stay in view, and parts that were rendered before. */
  readonly shown: string;
  /** Undefined if no model wrote a summary. */
  readonly summary: string | undefined;
  count(text: string): number;
  /** As much as fits, cut at a line, with a mark that says how to read the rest. Undefined if next to nothing fits. */
  cut(text: string, tokens: number, rest: string): string | undefined;
}

export interface PartText {
  /** The line above the text. Empty: no heading. */
  readonly heading: string;
  readonly text: string;
  readonly provenance: Provenance;
  /** The type of attachment, if the text follows the summary as an attachment. @default the text is part of the summary's message */
  readonly attachment?: string | undefined;
  /** Images and documents behind the text. They need an attachment. */
  readonly media?: readonly Media[] | undefined;
}

// ------------------------------------------------------------------------------------------------ preparing, notes, storing, caching

export interface PrepareRule extends Rule {
  /** Pure. Asked after each response: at the end of a turn, and while the model's tools run. */
  start(state: WindowState): CompactReason | undefined;
  /** A prepared summary is dropped once more than this was added after its range. */
  readonly maxTailTokens: number;
}

export interface NotesRule extends Rule {
  readonly sectionTokens: number;
  readonly totalTokens: number;
  /** Whether to update the notes now. Pure. */
  update(state: WindowState): CompactReason | undefined;
  /** How much of the newest messages stays when the notes take the place of a summary. */
  readonly keep: { readonly tokens: number; readonly messages: number; readonly maxTokens: number };
}

/** Numbers and pure functions of names and lengths, because results are stored while they stream in. */
export interface StoreRule extends Rule {
  /** A longer result becomes a file with a preview. `never`: results of this tool stay whole. */
  thresholdOf(tool: { readonly name: string; readonly bounded: boolean }): number | "never";
  /** The results of one round together. */
  readonly roundCharacters: number;
  readonly userMessageCharacters: number;
}

export interface CacheRule extends Rule {
  /** The lifetime of the system prompt and the tools. Asked only when they are written anyway. */
  head(state: WindowState, pauses: Pauses): CacheLifetime;
  conversation(state: WindowState, pauses: Pauses): CacheLifetime;
  /** Keeps the prompt in the cache during pauses, with pings. @default no pings */
  readonly keepWarm?: WarmRule | undefined;
}

/** The pauses of the session so far. */
export interface Pauses {
  /** From five minutes to an hour. */
  readonly middle: number;
  /** Longer than an hour. */
  readonly long: number;
}

/** Whether to ping: to send the newest request once more without asking for an answer, so that its prompt stays in the cache. */
export interface WarmRule extends Rule {
  /** Why the next ping of a pause is not sent. Pure. Undefined: it is sent shortly before the cache expires. */
  obstacle(pause: Pause): string | undefined;
}

/** The reason for a pause. A running tool will finish; a person may not return. */
export type PauseActivity = "tool-runs" | "waiting";

/** A pause between two requests. */
export interface Pause {
  readonly activity: PauseActivity;
  /** The time of the newest request. */
  readonly sinceMs: number;
  /** When the prompt was last read or written, by the newest request or by a ping. */
  readonly refreshedAtMs: number;
  readonly lifetimeMs: number;
  readonly prefixTokens: number;
  readonly costs: TokenCosts;
  /** Pings sent in this pause, and their cost. */
  readonly pings: number;
  readonly spentUsd: number;
  readonly nowMs: number;
}
