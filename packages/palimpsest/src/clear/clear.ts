// Carries out a decision to clear results: the entries that record the decision, and the stubs that are shown from now on.

import { TOOL_SEARCH, type ToolCall, type ToolDefinition } from "../log/block.ts";
import { type Draft, toDraft } from "../log/entry.ts";
import type { Replacement, ReplacePayload } from "../log/payload.ts";
import type {
  DecisionPayload,
  DeletedResult,
  EarlierDecision,
  KeptThinking,
  ProviderEdits,
  RequestedEdits,
} from "../log/payload-compaction.ts";
import type { Provenance } from "../log/provenance.ts";
import type { Take } from "../policy/decide.ts";
import { decidedBy } from "../policy/explain.ts";
import type { Action, WantedEdits } from "../policy/policy.ts";
import type { Prices } from "../policy/window-state.ts";
import { recallOf } from "../recall/recall.ts";
import { estimateTokens } from "../size/calibration.ts";
import { MARKED_REQUESTS } from "../view/flatten.ts";
import { fileOf } from "../view/items.ts";
import { headTools } from "../view/tool-search.ts";
import type { Item, MessageItem, View } from "../view/view.ts";

/** A decision to clear, whoever clears. */
export type ClearAction = Exclude<Action, { readonly kind: "compact" }>;

interface ClearSources {
  readonly view: View;
  readonly results: ResultIndex;
  readonly thinking: "bound" | "free";
  readonly prices: Prices;
  /** The size of the view before the decision. */
  readonly sizeTokens: number;
  /** The newest decision that changed nothing. */
  readonly before: EarlierDecision | undefined;
}

interface Cleared {
  /** To append in one batch. */
  readonly drafts: readonly Draft[];
  /** The number of results. */
  readonly count: number;
}

/** Returns the entries of a decision. No entries if the session asks the provider for the same edits already. */
export function clearResults(action: ClearAction, decision: Take, sources: ClearSources): Cleared {
  const { view, results, thinking } = sources;
  const tools = view.configuration?.tools ?? [];
  switch (action.kind) {
    case "clear": {
      const stubs = stubsFor(action.entries, sources);
      const uncounted = [...uncountedResults(results, view)];
      const returningTokens =
        uncounted.length === 0 ? undefined : uncounted.reduce((sum, { tokens }) => sum + tokens, 0);
      return {
        drafts: [
          toDraft("decision", { ...decisionOf("clear", decision, sources), returningTokens }),
          ...stubs.map((one) => toDraft("replace", one)),
        ],
        count: stubs.length,
      };
    }
    case "ask-provider": {
      const edits = toProviderEdits(action.edits, tools, view, thinking);
      if (JSON.stringify(edits) === JSON.stringify(view.edits)) return { drafts: [], count: 0 };
      return { drafts: [toDraft("decision", { ...decisionOf("ask-provider", decision, sources), edits })], count: 0 };
    }
    case "delete-cached": {
      const deleted = toDeletions(action.entries, results.results, view.deleted);
      const payload = { ...decisionOf("delete-cached", decision, sources), deleted };
      return { drafts: [toDraft("decision", payload)], count: deleted.length - view.deleted.length };
    }
  }
}

/** A clearing of our own also writes stubs for the results that the provider has left out, because it ends the provider's edits. */
function stubsFor(entries: readonly number[], { view, results }: ClearSources): readonly ReplacePayload[] {
  const wanted = new Set(entries);
  const gone = goneResults(results, view);
  const recall = recallOf(view.configuration?.tools ?? []);
  return results.results
    .filter((result) => result.state !== "replaced" && (wanted.has(result.entry) || gone.has(result)))
    .map((result) => ({
      from: result.entry,
      to: result.entry,
      with: [clearedStub(result, recall)],
      reason: "cleared",
    }));
}

function decisionOf(
  action: DecisionPayload["action"],
  decision: Take,
  { prices, sizeTokens, before }: ClearSources,
): DecisionPayload {
  const { afterTokens: tokensAfter } = decision.taken;
  return { ...decidedBy(decision, prices, before), action, tokensBefore: sizeTokens, tokensAfter };
}

/** The stub shows this much of the call's input, enough to recognize it. */
const INPUT_CHARACTERS = 120;

/** Returns the replacement of a cleared result, or of cleared memories. */
function clearedStub(result: ShownResult, recall: "offered" | "missing"): Replacement {
  const { callId, status, attachment } = result;
  if (attachment !== undefined) {
    const { type, provenance } = attachment;
    const text = { kind: "text", text: stubText(result, recall) } as const;
    return { role: "user", origin: "host", attachment: type, provenance, blocks: [text] };
  }
  const provenance = { kind: "tool", name: result.call?.name ?? "unknown" } as const;
  const blocks = [{ kind: "tool_result", callId, content: stubText(result, recall), status } as const];
  return { role: "user", origin: "tool", provenance, blocks };
}

/** Returns the stub: which result or which memories it was, its size, and how to see it again. */
export function stubText(result: ShownResult, recall: "offered" | "missing"): string {
  return result.sort === "memory" ? memoryStubText(result, recall) : resultStubText(result, recall);
}

function memoryStubText({ entry, attachment, characters }: ShownResult, recall: "offered" | "missing"): string {
  const { provenance } = attachment!;
  const names = "name" in provenance && provenance.name !== undefined ? ` (${provenance.name})` : "";
  const again = recall === "offered" ? `Recall entry ${entry} to read them again.` : "They are still in the memory.";
  return `[Cleared to save room: topics from memory${names}, ${characters} characters. ${again}]`;
}

function resultStubText({ entry, call, characters }: ShownResult, recall: "offered" | "missing"): string {
  const input = JSON.stringify(call?.input ?? {});
  const shown = input.length > INPUT_CHARACTERS ? `${input.slice(0, INPUT_CHARACTERS).toWellFormed()}...` : input;
  const again =
    recall === "offered" ? `Recall entry ${entry} to read it again.` : "Call the tool again if you need it.";
  return `[Cleared to save room: result of ${call?.name ?? "a tool"} ${shown}, ${characters} characters. ${again}]`;
}

// ------------------------------------------------------------------------------------------------ edits by the provider

interface EditsSituation {
  readonly view: Pick<View, "items" | "edits" | "deleted">;
  /** Whether the provider accepts edits with the parameters of the request. */
  readonly takesEdits: "yes" | "no";
  /** Whether the provider can delete results from its cached prompt. */
  readonly deletesFromCache: boolean;
  readonly cache: "none" | "warm" | "cold";
  readonly thinking: "bound" | "free";
}

/**
 * Returns what the next request asks of the provider: edits, or deletions from its cache, never both. Edits stay until a compaction
 * or a clearing of our own, because without them the cleared content would come back. Deletions are relative to the cached prompt,
 * so they end when it expires.
 */
export function currentEdits(situation: EditsSituation): RequestedEdits {
  const { view, takesEdits, deletesFromCache, cache, thinking } = situation;
  if (view.edits !== undefined && takesEdits === "yes") {
    const { results, thinking: kept } = view.edits;
    return { edits: { results, thinking: kept === "all" ? "all" : keptFrom(kept.from, view.items, thinking) } };
  }
  return view.deleted.length > 0 && deletesFromCache && cache === "warm" ? { deleted: view.deleted } : {};
}

/** Turns the edits that a rule wants into edits of a request. Numbers never grow between two boundaries. */
export function toProviderEdits(
  wanted: WantedEdits,
  tools: readonly ToolDefinition[],
  { items, edits: before }: Pick<View, "items" | "edits">,
  thinking: "bound" | "free",
): ProviderEdits {
  const isClearable = clearableTools(tools, wanted.keepTools);
  const writing = new Set(wanted.inputsOf.map((name) => name.toLowerCase()));
  const names = headTools(tools).map(({ name }) => name);
  const atMost = (tokens: number, earlier = Number.MAX_SAFE_INTEGER): number => Math.min(tokens, earlier);
  const from = wanted.thinking === "all" ? undefined : lastTurn(items);
  return {
    results: {
      aboveTokens: atMost(wanted.aboveTokens, before?.results.aboveTokens),
      minimumTokens: atMost(wanted.freeAtLeastTokens, before?.results.minimumTokens),
      keepNewest: wanted.keepNewest,
      keptTools: names.filter((name) => !isClearable(name)),
      inputsOf: names.filter((name) => isClearable(name) && writing.has(name.toLowerCase())),
    },
    // Thinking that is left out stays out.
    thinking: from === undefined ? (before?.thinking ?? "all") : keptFrom(from, items, thinking),
  };
}

/** Returns the start of the newest turn that was part of a request. */
function lastTurn(items: View["items"]): number | undefined {
  const seal = items.findLastIndex(({ kind }) => kind === "seal");
  return items.findLast((item, index) => index < seal && item.kind === "message" && isWords(item))?.from;
}

/**
 * Thinking is kept from one entry on, and this start does not move: a moving start ("the last turn") would remove the thinking of
 * one turn, and the cache after it, with every later turn. Providers count the turns with thinking from the end.
 */
function keptFrom(from: number, items: View["items"], thinking: "bound" | "free"): KeptThinking {
  const isSent = (item: MessageItem): boolean =>
    item.blocks.some(({ kind }) => kind === "thinking") && !(thinking === "bound" && item.thinking === "lost");
  let turns = 0;
  let here: "none" | "some" = "none";
  for (let index = items.length - 1; index >= 0 && items[index]!.from >= from; index--) {
    const item = items[index]!;
    if (item.kind === "seal") continue;
    if (isWords(item)) here = "none";
    else if (here === "none" && isSent(item)) {
      here = "some";
      turns++;
    }
  }
  return { from, turns: Math.max(1, turns) };
}

/** Whether a message begins a turn: any message on the user's side that is not a result. */
function isWords({ role, blocks }: MessageItem): boolean {
  return role === "user" && blocks.some(({ kind }) => kind !== "tool_result");
}

/** The deletions of the next request: the earlier ones again, and the new ones. An id that two calls share identifies neither. */
export function toDeletions(
  entries: readonly number[],
  results: readonly { readonly entry: number; readonly callId: string }[],
  deleted: readonly DeletedResult[],
): readonly DeletedResult[] {
  const wanted = new Set(entries);
  const uses = new Map<string, number>();
  for (const { callId } of results) uses.set(callId, (uses.get(callId) ?? 0) + 1);
  const added = results.filter(({ entry, callId }) => wanted.has(entry) && uses.get(callId) === 1);
  return [...deleted, ...added.map(({ entry, callId }) => ({ entry, callId }))];
}

// ------------------------------------------------------------------------------------------------ the results in the view

/** Creates an index of the tool results in a view. */
export function createResultIndex(): ResultIndex {
  let results: ShownResult[] = [];
  let calls: { call: ToolCall; resultsBefore: number }[] = [];
  let callById = new Map<string, ToolCall>();
  let totalTokens = 0;
  let markedTokens: readonly number[] = [];
  let itemCount = 0;
  let known: { readonly view: View | undefined; readonly changedAt: number } = { view: undefined, changedAt: 0 };

  function add(item: Item, view: View): void {
    if (item.kind === "seal") {
      // The last mark belongs to the next request itself.
      markedTokens = [...markedTokens, totalTokens].slice(1 - MARKED_REQUESTS);
      return;
    }
    const tokens = estimateTokens(view.calibration, item.features);
    const memory = memoryOf(item);
    if (memory !== undefined) results.push({ ...memory, tokens, beforeTokens: totalTokens });
    for (const block of item.blocks) {
      // A call that the model did not make is not sent, and neither is its result. It must not count as the newest result.
      if (block.kind === "tool_call" && item.role === "assistant") {
        callById.set(block.id, block);
        calls.push({ call: block, resultsBefore: results.length });
      }
      if (block.kind !== "tool_result") continue;
      results.push({
        sort: "result",
        entry: item.from,
        call: callById.get(block.callId),
        callId: block.callId,
        status: block.status,
        attachment: undefined,
        characters: lengthOf(block.content),
        state: item.by !== undefined ? "replaced" : item.stored === undefined ? "whole" : "stored",
        tokens,
        beforeTokens: totalTokens,
      });
    }
    totalTokens += tokens;
  }

  return {
    get results() {
      return results;
    },
    get calls() {
      return calls;
    },
    get totalTokens() {
      return totalTokens;
    },
    get markedTokens() {
      return markedTokens;
    },
    update(view) {
      if (view !== known.view || view.changedAt !== known.changedAt) {
        [results, calls, callById, totalTokens, markedTokens, itemCount] = [[], [], new Map(), 0, [], 0];
        known = { view, changedAt: view.changedAt };
      }
      for (; itemCount < view.items.length; itemCount++) add(view.items[itemCount]!, view);
    },
  };
}

/** Memories that a host has attached to a message. They are replaced by stubs like results: recall reads them again. */
function memoryOf(item: MessageItem): Omit<ShownResult, "tokens" | "beforeTokens"> | undefined {
  const { attachment: type, provenance, blocks } = item;
  if (type === undefined || provenance?.kind !== "memory") return undefined;
  return {
    sort: "memory",
    entry: item.from,
    call: undefined,
    callId: "",
    status: "ok",
    attachment: { type, provenance },
    characters: lengthOf(blocks),
    state: item.by === undefined ? "whole" : "replaced",
  };
}

/** The tool results and recalled memories of a view, updated from request to request. */
export interface ResultIndex {
  /** All tool results and recalled memories, in the order of the view. */
  readonly results: readonly ShownResult[];
  /** All tool calls in order, each with the number of results before it. */
  readonly calls: readonly { readonly call: ToolCall; readonly resultsBefore: number }[];
  /** Tokens of all items. */
  readonly totalTokens: number;
  /** Ends of the newest requests, in tokens, that the next request marks again; oldest first. */
  readonly markedTokens: readonly number[];
  /** Adds new items; reads the whole view again only if an old item has changed. */
  update(view: View): void;
}

/** A tool result in the view, or memories that a host has attached to a message. */
export interface ShownResult {
  readonly sort: "result" | "memory";
  /** The entry that contains the result or the memories. */
  readonly entry: number;
  /** The call of a result; undefined for memories, and for a result of a call that the model did not make. */
  readonly call: ToolCall | undefined;
  /** The id of the call; empty for memories. */
  readonly callId: string;
  /** The attachment of memories; undefined for a result. */
  readonly attachment: { readonly type: string; readonly provenance: Provenance } | undefined;
  readonly status: "ok" | "error";
  readonly characters: number;
  /**
   * `whole`: the complete result. `stored`: a preview from the start. `replaced`: a decision shows a preview or a stub instead.
   */
  readonly state: "whole" | "stored" | "replaced";
  readonly tokens: number;
  /** Tokens of all items before it in the view. */
  readonly beforeTokens: number;
}

/** Returns a key for the question of a call: the same tool with the same input. */
export function callKey(call: ToolCall | undefined): string {
  return call === undefined ? "" : `${call.name} ${JSON.stringify(call.input)}`;
}

function lengthOf(content: string | readonly { readonly kind: string }[]): number {
  if (typeof content === "string") return content.length;
  return content.reduce((sum, part) => sum + ("text" in part ? String(part.text).length : 0), 0);
}

// ------------------------------------------------------------------------------------------------ what can be cleared, and what is gone

/**
 * Returns a function that tells whether a tool's old results may be cleared. The policy's list of tools to keep comes first, then
 * the tool's own declaration. A tool without a declaration counts as a read: its results can be produced again, and `recall`
 * returns them in any case.
 */
export function clearableTools(
  tools: readonly ToolDefinition[],
  keptNames: readonly string[] = [],
): (tool: string) => boolean {
  // What a search has brought in is used from then on.
  const kept = new Set([...keptNames, TOOL_SEARCH].map((name) => name.toLowerCase()));
  const declared = new Map(tools.map((tool) => [tool.name, resultsOf(tool)]));
  return (tool) => !kept.has(tool.toLowerCase()) && (declared.get(tool) ?? "clearable") === "clearable";
}

function resultsOf({ results, sideEffects }: ToolDefinition): "clearable" | "kept" {
  return results ?? (sideEffects === "some" ? "kept" : "clearable");
}

/** Returns the results that the provider leaves out at our request, or has deleted from its cached prompt. */
export function goneResults(
  { results, calls }: Pick<ResultIndex, "results" | "calls">,
  { leftOut, deleted }: Pick<View, "leftOut" | "deleted">,
): ReadonlySet<ShownResult> {
  if (leftOut === undefined && deleted.length === 0) return new Set();
  // The provider reports how many results it left out, not which: they are the oldest of the tools that are not kept.
  const others = calls.filter(({ call }) => !(leftOut?.keptTools ?? []).includes(call.name));
  const left = new Set<ToolCall>(others.slice(0, leftOut?.results ?? 0).map(({ call }) => call));
  const deletedEntries = new Set(deleted.map(({ entry }) => entry));
  return new Set(
    // A second result of a call is sent as text, which the provider keeps.
    results.filter(({ call, entry }) => (call !== undefined && left.delete(call)) || deletedEntries.has(entry)),
  );
}

/** Returns the results that are gone and that the size of the view leaves out. A deletion counts once the provider has reported it. */
export function uncountedResults(
  index: Pick<ResultIndex, "results" | "calls">,
  { leftOut, deleted, deletedTokens }: Pick<View, "leftOut" | "deleted" | "deletedTokens">,
): ReadonlySet<ShownResult> {
  return goneResults(index, { leftOut, deleted: deletedTokens > 0 ? deleted : [] });
}

/**
 * Returns the files whose newest read is complete in the view, with the entry of that read. A read that was cleared, stored,
 * compacted, or removed by the provider does not count: an edit that depends on it asks for a new read.
 */
export function filesRead(index: ResultIndex, view: View): ReadonlyMap<string, number> {
  const gone = goneResults(index, view);
  const files = new Map<string, number>();
  for (const result of index.results) {
    const { call, entry, state, status } = result;
    const file = call && fileOf(call);
    if (file?.access !== "read" || status === "error") continue;
    if (state === "whole" && !gone.has(result)) files.set(file.path, entry);
    else files.delete(file.path);
  }
  return files;
}
