// Records responses from the provider: the message, the usage, and the state of the turn.

import { planProviderCompaction } from "../compact/by-provider.ts";
import { lineOf } from "../cost/fold.ts";
import type { LedgerLine } from "../cost/ledger.ts";
import { InvalidOptionError } from "../errors.ts";
import { missedCache } from "../forks/forks.ts";
import type { Block, ToolCall } from "../log/block.ts";
import { type Draft, toDraft } from "../log/entry.ts";
import { type NewContent, toContents, toolResult } from "../log/messages.ts";
import type { MessagePayload, UsagePayload } from "../log/payload.ts";
import type { OverflowPayload } from "../log/payload-compaction.ts";
import type { AnswerStop, TurnPhase } from "../log/payload-turn.ts";
import { readSilentOverflow } from "../providers/overflow.ts";
import type { Provider, ResponseContent } from "../providers/provider.ts";
import type { Emit, ResponseRecorded } from "../session-event.ts";
import type { SessionCore } from "../state/core.ts";
import type { IssuedRequests, Sizes } from "../state/ports.ts";
import { type RecordedResponse, type RecordOptions, wholeTokens } from "../state/responses.ts";
import { unwrapCall } from "../view/tool-search.ts";
import { findTruncation, type Truncation } from "../view/truncation.ts";
import type { MessageItem, View } from "../view/view.ts";

/** The parts of a session that recording needs. */
interface RecordParts extends SessionCore {
  readonly measures: Pick<Sizes, "budget" | "windowState">;
  readonly outlet: Pick<IssuedRequests, "answeredBy">;
}

const REFUSED = "This tool cannot be used here. Go on without it.";

/**
 * Appends a response from the provider: its message, its usage, the state of the turn, and refusals of calls that a fork
 * may not make.
 */
export async function record(
  parts: RecordParts,
  response: unknown,
  issued?: unknown,
  { calls: callLogging }: RecordOptions = {},
): Promise<RecordedResponse> {
  const { ports, state, fork, measures } = parts;
  const read = readWhole(ports.provider, response);
  const { blocks, usage, compaction, ...rest } = read;
  const { responseId, model, stop, cacheDiagnosis, appliedEdits } = rest;
  const { entry: request, model: requestModel = state.configuration.model } = parts.outlet.answeredBy(issued) ?? {};
  const tokens = wholeTokens(usage);
  const reported = { ...tokens, answers: request, appliedEdits };
  // A response that is recorded again, for example after a crash, is already in the log.
  const isRepeated = isRecorded(state.view, responseId, request);
  const folded = isRepeated ? undefined : await planFoldByProvider(parts, read, request);
  // A provider that compacted the conversation reads less without cutting anything.
  const truncation = isRepeated || compaction !== undefined ? undefined : truncationOf(parts, reported);
  const text = blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("");
  const calls = blocks.filter((block): block is ToolCall => block.kind === "tool_call");
  let line: LedgerLine | undefined;
  const refused = calls.filter(({ name }) => fork?.allowedTools?.includes(name) === false);
  const allowed = calls.filter((call) => !refused.includes(call));
  if (!isRepeated) {
    const message: MessagePayload = {
      role: "assistant",
      origin: "model",
      blocks,
      responseId,
      model,
      provider: ports.provider.name,
      answers: request,
      stop: stop === "paused" ? stop : undefined,
      calls: calls.length > 0 ? callLogging : undefined,
    };
    const used: UsagePayload = {
      responseId,
      model,
      ...tokens,
      answers: request,
      source: fork?.source,
      folded: folded?.folded,
      cacheDiagnosis,
      appliedEdits,
      input: truncation && "truncated",
    };
    const drafts = [
      ...(folded?.before ?? []),
      ...(blocks.length === 0 ? [] : [toDraft("message", message)]),
      ...refused.map(({ id }) => toDraft("message", toolResult(id, REFUSED, "error"))),
      toDraft("usage", used),
    ];
    const overflowDrafts = truncation === undefined ? [] : [toDraft("overflow", toOverflow(truncation, request))];
    const turn = turnDrafts(
      { stop, blocks, calls: allowed },
      { cuts: state.carriedState.turn.cuts, calls: callLogging },
    );
    const before = state.ledger;
    const entries = await state.append([...drafts, ...overflowDrafts, ...(folded?.behind ?? []), ...turn]);
    line = lineOf(before, entries[drafts.length - 1]!, used, ports.clock.now());
    folded?.newEvents.forEach(ports.emit);
    if (folded !== undefined) parts.policy.count([], folded.failures);
    emitRecorded(
      ports.emit,
      { ...tokens, provider: ports.provider.name, requestModel, model, responseId, stop, text },
      line,
    );
    emitMiss(parts, line);
    if (truncation !== undefined) ports.emit({ kind: "input-truncated", model: requestModel, ...truncation });
  }
  const overflow = readSilentOverflow({ usage, stop }, measures.budget().windowTokens);
  const recorded: RecordedResponse = {
    ...rest,
    usage,
    text,
    calls: allowed,
    refusedCalls: refused.length === 0 ? undefined : refused,
    overflow,
    truncation,
  };
  await fork?.watch?.recorded(recorded, line);
  return recorded;
}

/** Reads a response. If the adapter cannot read it, throws an `InvalidOptionError`. */
function readWhole(provider: Pick<Provider, "name" | "readResponse">, response: unknown): ResponseContent {
  try {
    const read = provider.readResponse(response);
    return { ...read, blocks: read.blocks.map(unwrapCall) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const needed = `a whole response of ${provider.name} (${error.message})`;
    throw new InvalidOptionError("record(response)", response, needed);
  }
}

function isRecorded({ items }: View, responseId: string, request: number | undefined): boolean {
  if (request === undefined) return false;
  for (let index = items.length - 1; index >= 0 && items[index]!.from > request; index--) {
    const item = items[index] as Partial<MessageItem>;
    if (item.responseId === responseId && item.answers === request) return true;
  }
  return false;
}

/** Plans the entries around a response in which the provider compacted the conversation. Undefined if it did not. */
async function planFoldByProvider(
  { id, ports, state, policy, measures }: RecordParts,
  { compaction, responseId, model }: ResponseContent,
  request: number | undefined,
) {
  if (compaction === undefined) return undefined;
  return planProviderCompaction({
    session: id,
    state,
    compaction,
    response: { responseId, model },
    request,
    policy: policy.current,
    window: measures.windowState(0),
    budget: measures.budget(),
    facts: ports.facts.of(model),
    todos: await ports.host.todos?.(),
    head: await ports.host.head?.(),
  });
}

/**
 * Finds out whether the server cut the input. Checks only models that are not in the table, because services that
 * publish their limits refuse requests that are too long.
 */
function truncationOf(
  { state, fork, measures }: RecordParts,
  reported: Parameters<typeof findTruncation>[1],
): Truncation | undefined {
  if (fork !== undefined || measures.budget().known === "table") return undefined;
  return findTruncation(state.view, reported);
}

/**
 * The limit that the server revealed by reading less than was sent. The reported usage is not the size of the request.
 */
function toOverflow({ sentTokens, readTokens }: Truncation, request: number | undefined): OverflowPayload {
  return { request, limitTokens: readTokens, how: "truncated", estimatedTokens: sentTokens };
}

interface TurnAnswer {
  readonly stop: AnswerStop;
  readonly blocks: readonly Block[];
  /** The calls of the answer that have no result yet. */
  readonly calls: readonly ToolCall[];
}

/**
 * Plans the entries that record the next step of the turn. Empty for a response that ended normally. Pure.
 * @param cuts the number of responses in a row before this one that were cut at a limit
 */
export function turnDrafts(
  { stop, blocks, calls }: TurnAnswer,
  { cuts, calls: callLogging }: { readonly cuts: number; readonly calls: RecordOptions["calls"] | undefined },
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
    ...(voided.length > 0 && callLogging === "in-steps"
      ? [toDraft("call", { step: "void", calls: voided, why: stop === "refused" ? "refused" : "cut" })]
      : []),
  ];
}

/** Calls take precedence over the stop reason, because some servers report a wrong reason. */
function phaseAfter(stop: AnswerStop, blocks: readonly Block[]): TurnPhase {
  if (stop === "refused") return "idle";
  if (blocks.some(({ kind }) => kind === "tool_call") || stop === "paused" || stop === "compacted") return "unanswered";
  return stop === "length" || stop === "window" ? "cut" : "idle";
}

type RecordedEvent = Omit<ResponseRecorded, "kind" | "source" | "requestedAtMs" | "forkExpectedTokens" | "priceUsd">;

function emitRecorded(emit: Emit, response: RecordedEvent, line: LedgerLine): void {
  const { source, atMs: requestedAtMs, forkExpectedTokens, priceUsd } = line;
  emit({ kind: "response-recorded", source, requestedAtMs, ...response, forkExpectedTokens, priceUsd });
}

/** Emits that the cache held less than the previous request had left: of the session itself, or of the parent of a fork. */
function emitMiss({ ports, fork }: Pick<SessionCore, "ports" | "fork">, line: LedgerLine): void {
  const { break: cacheBreak, forkExpectedTokens } = line;
  if (cacheBreak === undefined) return;
  if (forkExpectedTokens === undefined) {
    const { atMs: _, ...found } = cacheBreak;
    ports.emit({ kind: "cache-broken", ...found });
    return;
  }
  const missed = missedCache(line);
  // An open parent emits this event itself.
  if (missed !== undefined && fork?.watch === undefined) ports.emit(missed);
}

/** Returns the entry that makes the model answer the content. Empty if the content needs an answer anyway. */
export function openingOf(content: readonly NewContent[]): readonly Draft[] {
  const needsAnswer = content
    .flatMap(toContents)
    .some((one) => "role" in one && one.role === "user" && (one.origin === "human" || one.origin === "host"));
  return needsAnswer ? [] : [toDraft("turn", { step: "opened" })];
}
