import type { Block, ToolCall } from "../../log/block.ts";
import type { Draft } from "../../log/entry.ts";
import type { AnswerStop, TurnPhase } from "../../log/payload-turn.ts";
import { toDraft } from "../../log/to-draft.ts";
import type { RecordOptions } from "../recorded-response.ts";
import { type NewContent, toContents } from "../to-contents.ts";

export interface TurnAnswer {
  readonly stop: AnswerStop;
  readonly blocks: readonly Block[];
  /** Its calls, without those that are answered already. */
  readonly calls: readonly ToolCall[];
}

/**
 * What is written beside a response, so that its message and these entries say what comes next. Nothing for a response that has
 * simply ended. Pure. @param cuts how many responses in a row before this one were cut at a limit
 */
export function turnDrafts(
  { stop, blocks, calls }: TurnAnswer,
  { cuts, calls: howCalls }: { readonly cuts: number; readonly calls: RecordOptions["calls"] | undefined },
): readonly Draft[] {
  const isCut = stop === "length" || stop === "window";
  const ids = calls.map(({ id }) => id);
  const isUnusual = isCut || stop === "refused" || stop === "compacted" || blocks.length === 0;
  const voided = stop === "refused" ? ids : isCut ? ids.slice(-1) : [];
  return [
    ...(isUnusual
      ? [
          toDraft("turn", {
            step: "answered",
            stop,
            phase: phaseAfter(stop, blocks),
            ...(isCut ? { cuts: cuts + 1 } : {}),
          }),
        ]
      : []),
    ...(voided.length > 0 && howCalls === "in-steps"
      ? [toDraft("call", { step: "void", calls: voided, why: stop === "refused" ? "refused" : "cut" })]
      : []),
  ];
}

/** Calls take precedence over the stop reason: servers name the wrong one. */
function phaseAfter(stop: AnswerStop, blocks: readonly Block[]): TurnPhase {
  if (stop === "refused") return "idle";
  if (blocks.some(({ kind }) => kind === "tool_call") || stop === "paused" || stop === "compacted") return "unanswered";
  return stop === "length" || stop === "window" ? "cut" : "idle";
}

/** What is written so that content is answered; nothing if it asks for an answer by itself. */
export function openingOf(content: readonly NewContent[]): readonly Draft[] {
  const asks = content
    .flatMap(toContents)
    .some((one) => "role" in one && one.role === "user" && (one.origin === "human" || one.origin === "host"));
  return asks ? [] : [toDraft("turn", { step: "opened" })];
}
