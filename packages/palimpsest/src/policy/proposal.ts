// Checks the proposals of clear rules.

import { grouped, headOf } from "../text.ts";
import { problemOfBecause, problemOfLevel, shown } from "./guard.ts";
import type { Action, Proposal, WantedEdits } from "./policy.ts";
import type { ResultState, WindowState } from "./window-state.ts";

/** A longer explanation of a rule is cut. */
const BECAUSE_CHARACTERS = 400;
/** Sizes of single results are estimates. Their sum may exceed the measured conversation by this factor. */
const MOST_OVERESTIMATE = 1.25;

/** Returns what is wrong with a proposal; undefined if nothing is. */
export function problemOfProposal(proposal: Proposal, state: WindowState): string | undefined {
  if (typeof proposal !== "object" || proposal === null)
    return `it returned ${shown(proposal)}, and has to return a proposal`;
  const { size } = state;
  const problem =
    problemOfLevel(proposal.level) ??
    problemOfBecause(proposal.because) ??
    problemOfNumbers(proposal) ??
    problemOfUndo(proposal);
  if (problem !== undefined) return problem;
  const conversationTokens = Math.max(0, size.tokens - size.headTokens);
  if (proposal.freesTokens > MOST_OVERESTIMATE * conversationTokens)
    return `it frees ${grouped(Math.round(proposal.freesTokens))} tokens, and the conversation has ${grouped(conversationTokens)}`;
  if (proposal.keepsPrefixTokens > size.tokens)
    return `it keeps ${grouped(Math.round(proposal.keepsPrefixTokens))} tokens, and the window has ${grouped(size.tokens)}`;
  return problemOfAction(proposal, state);
}

function problemOfNumbers({ freesTokens, keepsPrefixTokens, call, comesBack, extraUsd }: Proposal): string | undefined {
  const numbers = {
    freesTokens,
    keepsPrefixTokens,
    "call.inputTokens": call === undefined ? 0 : call.inputTokens,
    "call.outputTokens": call === undefined ? 0 : call.outputTokens,
    "comesBack.tokens": comesBack === undefined ? 0 : comesBack.tokens,
    "comesBack.requests": comesBack === undefined ? 0 : comesBack.requests,
    extraUsd: extraUsd ?? 0,
  };
  const wrong = Object.entries(numbers).find(([, value]) => !isCount(value));
  return wrong && `its field ${wrong[0]} is ${shown(wrong[1])}, and has to be a number from 0 on`;
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function problemOfUndo({ undo }: Proposal): string | undefined {
  return undo === "exact" || undo === "counted"
    ? undefined
    : `its field undo is ${shown(undo)}, and has to be "exact" or "counted"`;
}

function problemOfAction({ action, freesTokens }: Proposal, state: WindowState): string | undefined {
  const { model, turn } = state;
  const kind: unknown = action?.kind;
  switch (action?.kind) {
    case "clear":
      if (model.thinking === "bound") {
        if (turn.status === "open") return "it clears inside a turn, which would invalidate the model's thinking";
        if (action.thinking !== "dropped")
          return `clearing invalidates the thinking of ${model.id}: thinking has to be "dropped"`;
      }
      return problemOfEntries(action.entries, freesTokens, state, action.thinking);
    case "delete-cached":
      if (!model.deletesFromCache) return `the provider of ${model.id} deletes nothing from its cache`;
      return problemOfEntries(action.entries, freesTokens, state, "stays");
    case "ask-provider":
      if (model.contextEdits === "none") return `the provider of ${model.id} clears nothing`;
      return problemOfEdits(action.edits);
    case "compact":
      return "a clear rule cannot compact; use compact.when";
    default:
      return `its action is ${shown(kind)}, and has to be clear, ask-provider or delete-cached`;
  }
}

function problemOfEntries(
  entries: readonly number[],
  freesTokens: number,
  { results }: WindowState,
  thinking: "stays" | "dropped",
): string | undefined {
  if (!Array.isArray(entries)) return `its field entries is ${shown(entries)}, and has to be a list of numbers`;
  if (entries.length > results.length)
    return `it clears ${entries.length} entries, and the window has ${results.length} results`;
  const clearable = new Map<unknown, ResultState>();
  for (const result of results) if (result.clearable && result.shown !== "cleared") clearable.set(result.entry, result);
  let tokens = 0;
  for (const entry of entries) {
    const result = clearable.get(entry);
    if (result === undefined) return `entry ${shown(entry)} is not a result that can be cleared, or occurs twice`;
    clearable.delete(entry);
    tokens += result.tokens;
  }
  if (freesTokens <= tokens || thinking === "dropped") return undefined;
  return `it frees ${grouped(Math.round(freesTokens))} tokens, and its results have ${grouped(tokens)}`;
}

function problemOfEdits(edits: WantedEdits): string | undefined {
  if (typeof edits !== "object" || edits === null) return `its field edits is ${shown(edits)}, and has to be an object`;
  const { aboveTokens, freeAtLeastTokens, keepNewest, keepTools, inputsOf, thinking } = edits;
  const wrong = Object.entries({ aboveTokens, freeAtLeastTokens, keepNewest }).find(([, value]) => !isCount(value));
  if (wrong !== undefined) return `its field edits.${wrong[0]} is ${shown(wrong[1])}, and has to be a number from 0 on`;
  const names = Object.entries({ keepTools, inputsOf }).find(([, list]) => !isListOfTexts(list));
  if (names !== undefined) return `its field edits.${names[0]} has to be a list of tool names`;
  return thinking === "all" || thinking === "last-turn"
    ? undefined
    : `its field edits.thinking has to be "all" or "last-turn"`;
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

/** The fields of a valid proposal, so that the log gets nothing else. */
export function knownFields(proposal: Proposal): Proposal {
  const { action, level, because, freesTokens, keepsPrefixTokens, call, comesBack, extraUsd, undo } = proposal;
  return {
    action: knownAction(action),
    level,
    because: headOf(because, BECAUSE_CHARACTERS),
    freesTokens,
    keepsPrefixTokens,
    call: call && { inputTokens: call.inputTokens, outputTokens: call.outputTokens },
    comesBack: comesBack && { tokens: comesBack.tokens, requests: comesBack.requests },
    extraUsd,
    undo,
  };
}

function knownAction(action: Action): Action {
  switch (action.kind) {
    case "clear":
      return { kind: "clear", entries: action.entries, thinking: action.thinking };
    case "delete-cached":
      return { kind: "delete-cached", entries: action.entries };
    case "ask-provider": {
      const { aboveTokens, freeAtLeastTokens, keepNewest, keepTools, inputsOf, thinking } = action.edits;
      const edits = { aboveTokens, freeAtLeastTokens, keepNewest, keepTools, inputsOf, thinking };
      return { kind: "ask-provider", edits };
    }
    case "compact":
      return { kind: "compact", by: action.by };
  }
}
