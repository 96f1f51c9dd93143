import { planProviderCompaction } from "../compact/by-provider.ts";
import type { LedgerLine } from "../cost/ledger.ts";
import { lineOf } from "../cost/line.ts";
import { InvalidOptionError } from "../errors.ts";
import type { Block, ToolCall } from "../log/block.ts";
import { toDraft } from "../log/draft.ts";
import type { Draft } from "../log/entry.ts";
import { type NewContent, toContents, toolResult } from "../log/messages.ts";
import type { MessagePayload } from "../log/payload.ts";
import type { OverflowPayload } from "../log/payload-compaction.ts";
import type { AnswerStop, TurnPhase } from "../log/payload-turn.ts";
import { readSilentOverflow } from "../providers/overflow.ts";
import type { Provider } from "../providers/provider.ts";
import type { ResponseRecorded } from "../session-event.ts";
import type { SessionContext } from "../state/context.ts";
import type { Requests } from "../state/ports.ts";
import { type RecordedResponse, type RecordOptions, wholeTokens } from "../state/responses.ts";
import { unwrapCall } from "../view/tool-search.ts";
import { findTruncation, type Truncation } from "../view/truncation.ts";
import type { MessageItem } from "../view/view.ts";

interface TurnAnswer {
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

export type RecordResponse<Request, Response> = (
  response: Response,
  request?: Request,
  options?: RecordOptions,
) => Promise<RecordedResponse>;

/** Of what is told of a response, what the ledger does not know. */
type Told = Omit<ResponseRecorded, "kind" | "source" | "requestedAtMs" | "priceUsd">;

/** The limit that such a server has shown: it is no refusal, and its report is no size. */
function toOverflow(
  { sentTokens, readTokens }: Truncation,
  { answers }: { readonly answers?: number },
): OverflowPayload {
  const request = answers === undefined ? {} : { request: answers };
  return { ...request, limitTokens: readTokens, how: "truncated", estimatedTokens: sentTokens };
}

const REFUSED = "This tool cannot be used here. Go on without it.";

/** The way back: responses into the log, each once. */
export function createRecord<Request, Response, Message>(
  context: SessionContext<Request, Response, Message>,
  requests: Pick<Requests<Request>, "answeredBy" | "budget">,
): RecordResponse<Request, Response> {
  const { session, state, provider, factsOf, settings, clock, emit, fork, surroundings } = context;

  async function record(
    response: Response,
    answered?: Request,
    { calls: howCalls }: RecordOptions = {},
  ): Promise<RecordedResponse> {
    const { blocks, usage, compaction, ...rest } = readWhole(provider, response);
    const { responseId, model, stop, cacheDiagnosis, appliedEdits } = rest;
    const { entry: request, model: requestModel = state.configuration.model } = requests.answeredBy(answered) ?? {};
    const answers = request === undefined ? {} : { answers: request };
    const message: MessagePayload = {
      role: "assistant",
      origin: "model",
      blocks,
      responseId,
      model,
      provider: provider.name,
      ...answers,
      ...(stop === "paused" ? { stop } : {}),
      ...(howCalls !== undefined && blocks.some(({ kind }) => kind === "tool_call") ? { calls: howCalls } : {}),
    };
    const source = fork === undefined ? {} : { source: fork.source };
    const whole = wholeTokens(usage);
    const isKnown = isRecorded(responseId, request);
    const fold =
      compaction === undefined || isKnown
        ? undefined
        : await planProviderCompaction({
            session,
            state,
            compaction,
            response: { responseId, model },
            request,
            settings: settings(),
            budget: requests.budget(),
            facts: factsOf(model),
            todos: await surroundings.todos?.(),
            head: await surroundings.head?.(),
          });
    // A provider that has compacted the conversation itself has read less, and nothing was cut.
    const truncation =
      isKnown || compaction !== undefined
        ? undefined
        : truncationOf({ ...whole, ...answers, ...(appliedEdits && { appliedEdits }) });
    const used = {
      responseId,
      model,
      ...whole,
      ...answers,
      ...source,
      ...(fold && { folded: fold.folded }),
      ...(cacheDiagnosis && { cacheDiagnosis }),
      ...(appliedEdits && { appliedEdits }),
      ...(truncation && { input: "truncated" as const }),
    };
    const text = blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("");
    const calls = blocks.filter((block): block is ToolCall => block.kind === "tool_call");
    const refused = calls.filter(({ name }) => fork?.allowedTools?.includes(name) === false);
    // Recorded once more, after a crash for example: it is in the log already.
    if (!isKnown) {
      const drafts = [
        ...(fold?.before ?? []),
        ...(blocks.length === 0 ? [] : [toDraft("message", message)]),
        ...refused.map(({ id }) => toDraft("message", toolResult(id, REFUSED, "error"))),
        toDraft("usage", used),
      ];
      const before = state.ledger;
      const learned = truncation === undefined ? [] : [toDraft("overflow", toOverflow(truncation, answers))];
      const answer = { stop, blocks, calls: calls.filter((call) => !refused.includes(call)) };
      const turn = turnDrafts(answer, { cuts: state.carriedState.turn.cuts, calls: howCalls });
      const entries = await state.append([...drafts, ...learned, ...(fold?.behind ?? []), ...turn]);
      const line = lineOf(before, entries[drafts.length - 1]!, used, clock.now());
      fold?.newEvents.forEach(emit);
      emitRecorded({ provider: provider.name, requestModel, model, responseId, stop, text, ...whole }, line);
      if (truncation !== undefined) emit({ kind: "input-truncated", model: requestModel, ...truncation });
    }
    const overflow = readSilentOverflow({ usage, stop }, requests.budget().windowTokens);
    const recorded = {
      ...rest,
      usage,
      text,
      calls: calls.filter((call) => !refused.includes(call)),
      ...(refused.length === 0 ? {} : { refusedCalls: refused }),
      ...(overflow === undefined ? {} : { overflow }),
      ...(truncation === undefined ? {} : { truncation }),
    };
    await fork?.watch?.recorded(recorded);
    return recorded;
  }

  /** Only of models that no table of ours has: services that publish their limits refuse what is too long. */
  function truncationOf(reported: Parameters<typeof findTruncation>[1]): Truncation | undefined {
    if (fork !== undefined || requests.budget().known === "table") return undefined;
    return findTruncation(state.view, reported);
  }

  function emitRecorded(response: Told, line: LedgerLine): void {
    const { atMs: requestedAtMs, priceUsd, break: broken } = line;
    emit({
      kind: "response-recorded",
      source: line.source,
      requestedAtMs,
      ...response,
      ...(priceUsd === undefined ? {} : { priceUsd }),
    });
    if (broken === undefined) return;
    const { atMs: _, ...found } = broken;
    emit({ kind: "cache-broken", ...found });
  }

  function isRecorded(responseId: string, request: number | undefined): boolean {
    if (request === undefined) return false;
    const { items } = state.view;
    for (let index = items.length - 1; index >= 0 && items[index]!.from > request; index--) {
      const item = items[index] as Partial<MessageItem>;
      if (item.responseId === responseId && item.answers === request) return true;
    }
    return false;
  }

  return record;
}

/** What cannot be read is no response of this provider: said so, whatever the adapter stumbled over. */
function readWhole<Response>(
  provider: Pick<Provider<never, Response, never>, "name" | "readResponse">,
  response: Response,
) {
  try {
    const read = provider.readResponse(response);
    return { ...read, blocks: read.blocks.map(unwrapCall) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new InvalidOptionError(
      "record(response)",
      response,
      `a whole response of ${provider.name} (${error.message})`,
    );
  }
}
