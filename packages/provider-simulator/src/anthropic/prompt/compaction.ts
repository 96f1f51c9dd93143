import { digestKey, digestText } from "../../digest.ts";
import { seal, unseal } from "../../seal.ts";
import { invalid, type Problem } from "../problem.ts";
import type { Block, ContextEdit, MessagesRequest } from "../request.ts";
import type { PlacedBlock } from "./conversation.ts";
import type { ThinkingState } from "./thinking-state.ts";

const SECRET = "compaction";

/**
 * A summary, sealed together with the place in the conversation it stands for. One made on request is signed: only
 * unchanged may it stand for the messages it replaced.
 */
export function mintCompaction(summary: string, how: "on-demand" | "threshold", state: ThinkingState): Block {
  const sealed = seal(SECRET, {
    content: digestKey(digestText(summary)),
    high: String(state.messages.high),
    low: String(state.messages.low),
    role: state.role ?? "",
  });
  if (how === "threshold") return { type: "compaction", content: summary, encrypted_content: sealed };
  return { type: "compaction", content: summary, encrypted_content: null, signature: sealed, tool_changes: [] };
}

/**
 * Where the conversation stands after a summary: where it stood when the summary was made. So thinking that follows
 * the summarized messages stays valid when the summary takes exactly their place, and only then. The provider offers
 * this replacement in the background of a running session; how it checks it was not seen.
 */
export function afterSummary(state: ThinkingState, block: Block): ThinkingState {
  const known = unseal(SECRET, sealOf(block) ?? "");
  if (known === undefined) return state;
  return {
    ...state,
    messages: { high: Number(known["high"]), low: Number(known["low"]) },
    role: (known["role"] || undefined) as ThinkingState["role"],
  };
}

/** The edit that makes the service compact by itself, if the request asks for it. */
export function thresholdCompaction(
  request: MessagesRequest,
): { triggerTokens: number; afterwards: "pause" | "answer" } | undefined {
  const edit: ContextEdit | undefined = request.context_management?.edits?.find(
    ({ type }) => type === "compact_20260112",
  );
  if (edit === undefined) return undefined;
  const trigger = edit["trigger"] as { value: number } | null | undefined;
  return {
    triggerTokens: trigger?.value ?? 150_000,
    afterwards: edit["pause_after_compaction"] === true ? "pause" : "answer",
  };
}

/** Replayed summaries: as they were made, at most one signed, and the signed one at the very front. */
export function checkCompactionBlocks(request: MessagesRequest, said: readonly PlacedBlock[]): Problem | undefined {
  const summaries = said.filter(({ measure }) => measure.kind === "summary");
  if (summaries.length === 0) return undefined;
  for (const { block } of summaries) {
    const problem = checkUnchanged(block);
    if (problem !== undefined) return problem;
  }
  const signed = summaries.filter(({ block }) => block["signature"]);
  if (signed.length > 0 && summaries.length > 1) {
    return invalid("messages: more than one `compaction` block with content", "compaction_block_ambiguous");
  }
  if (summaries.some(({ role }) => role === "system") || (signed.length === 1 && signed[0] !== said[0])) {
    return invalid(
      "messages: a signed `compaction` block must be the first block of the conversation",
      "compaction_block_misplaced",
    );
  }
  if (signed.length === 1 && thresholdCompaction(request) !== undefined) {
    return invalid("context_management: a signed `compaction` block cannot be combined with `compact_20260112`");
  }
  return undefined;
}

function checkUnchanged(block: Block): Problem | undefined {
  const known = unseal(SECRET, sealOf(block) ?? "");
  if (known === undefined)
    return invalid("compaction: the signature of the block is not valid", "compaction_signature_invalid");
  if (known["content"] !== digestKey(digestText(block["content"] as string))) {
    return invalid("compaction: the content of the block does not match its signature", "compaction_content_mismatch");
  }
  const changes = (block["tool_changes"] ?? []) as readonly unknown[];
  if (changes.length > 0) {
    return invalid(
      "compaction: the tool changes of the block do not match its signature",
      "compaction_tool_changes_mismatch",
    );
  }
  return undefined;
}

function sealOf(block: Block): string | undefined {
  return (block["signature"] ?? block["encrypted_content"] ?? undefined) as string | undefined;
}

/** A summary can be asked for only where a user could speak, and only if there is something to sum up. */
export function checkCompactionRequest(request: MessagesRequest): Problem | undefined {
  if (!request.compaction) return undefined;
  const blocks = request.messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const answered = new Set(blocks.map((block) => (block.type === "tool_result" ? block["tool_use_id"] : undefined)));
  const open = blocks.some((block) => block.type === "tool_use" && !answered.has(block["id"]));
  const last = request.messages.at(-1)!;
  const paused = typeof last.content !== "string" && last.content.at(-1)?.type === "server_tool_use";
  if (open || paused) {
    return invalid("compaction: the conversation ends in an unfinished assistant turn", "compaction_incomplete_turn");
  }
  const substance = request.messages.some(
    ({ content }) =>
      content !== "" && (typeof content === "string" || content.some(({ type }) => type !== "compaction")),
  );
  return substance
    ? undefined
    : invalid("compaction: there is nothing to summarize", "compaction_nothing_to_summarize");
}
