import { costOf } from "../cache/cost.ts";
import { isCompactionDue } from "../compact/when.ts";
import { chooseHeadTtl } from "../cost/lifetimes.ts";
import { NothingToSendError, UnknownRequestError, WindowFullError } from "../errors.ts";
import type { RequestPayload } from "../log/payload.ts";
import type { RequestedEdits } from "../log/provider-edits.ts";
import { toDraft } from "../log/to-draft.ts";
import { STAGES } from "../pipeline.ts";
import { clampMaxTokens } from "../size/budget.ts";
import { estimateTokens } from "../size/calibration.ts";
import { filesRead } from "../stages/microcompact/files-read.ts";
import type { SessionContext } from "../state/context.ts";
import { type AnswerWay, defaultOutputTokens } from "../state/limits.ts";
import type { IssuedRequest, Prepared, Requests } from "../state/ports.ts";
import { createRendering, type Rendering } from "../state/rendering.ts";
import type { FlattenRules } from "../view/flatten-segment.ts";
import { createByteIndex } from "../view/media.ts";
import { createResultIndex } from "../view/results.ts";
import { expectedTokens, newestSeal, sizeTokens, type View } from "../view/view.ts";
import type { DueCompaction } from "./compact/attendance.ts";
import { describeNextRequest } from "./describe-next-request.ts";
import { createMeasures } from "./measures.ts";
import { createRequestNotices } from "./request-notices.ts";
import { requestParts } from "./request-parts.ts";
import { chooseRequestedEdits, toRequestedEdits } from "./requested-edits.ts";

type Ttls = Required<Pick<RequestPayload, "cacheTtl">> & Pick<RequestPayload, "headTtl">;

/** @param onRequestIssued called with every request that is handed out */
export function createRequests<Request, Response, Message>(
  context: SessionContext<Request, Response, Message>,
  onRequestIssued: (request: Request, entry: number) => void,
): Requests<Request> {
  const { session, options, state, provider, settings, files, clock, fork, emit } = context;
  let rendering: { readonly kept: Rendering<Message>; readonly view: View } | undefined;
  /** The entries at which the requests that were handed out were made, and the models that they ask. */
  const issued = new WeakMap<object, IssuedRequest>();
  let newestIssued: IssuedRequest | undefined;
  const results = createResultIndex();
  const bytes = createByteIndex();
  let newestBody: Request | undefined;
  const measures = createMeasures(context);
  const { limits, sizeWith } = measures;
  const notices = createRequestNotices(context);
  /** Chosen for a request that is to be written; what was chosen stands in its entry. */
  function nextTtls(): Ttls {
    const { ledger } = state;
    const { prices } = limits().facts;
    const cacheTtl = settings()["cache.ttl"];
    const head = chooseHeadTtl({ wanted: settings()["cache.headTtl"], ledger, prices, nowMs: clock.now() });
    return { cacheTtl, ...(head === "1h" && cacheTtl === "5m" ? { headTtl: "1h" } : {}) };
  }

  /** What the next request asks of the provider beside an answer. */
  function nextAsked(): RequestedEdits {
    const { view, ledger } = state;
    // A fork asks what its parent has asked: the cache is found by it.
    if (fork !== undefined) return toRequestedEdits(view.edits, view.deleted);
    results.update(view);
    return chooseRequestedEdits({
      ...limits(),
      view,
      ledger,
      results,
      provider,
      settings: settings(),
      nowMs: clock.now(),
      turn: isNewTurn(view) ? "new" : "open",
    });
  }

  function describe(ttls: Ttls, asked: RequestedEdits): ReturnType<typeof describeNextRequest> {
    const { log, view, ledger, configuration } = state;
    return describeNextRequest({
      log,
      view,
      ledger,
      configuration,
      provider,
      facts: limits().facts,
      ...ttls,
      asked,
    });
  }

  /** @returns the compaction that comes first, if one does */
  async function writeRequest(compaction: "first" | "not-now", way: AnswerWay): Promise<DueCompaction | undefined> {
    const { view, configuration } = state;
    const last = view.items.at(-1);
    // Asked again without anything new: the same request.
    const isWritten = last?.kind === "seal" && view.awaited?.request === last.from && configuration.entry < last.from;
    if (isWritten) return undefined;
    if (!view.items.some(({ kind }) => kind === "message")) throw new NothingToSendError(session);
    const turn = isNewTurn(view) ? "new" : "open";
    // A fork sends what its parent has sent: nothing in it is decided anew.
    if (fork === undefined) {
      if (turn === "new") await context.heldSettings.refresh();
      await passStages(nextAsked());
      const due = compaction === "first" ? isCompactionDue(measures.dueQuestion()) : undefined;
      if (due !== undefined) return due;
    }
    const asked = nextAsked();
    const { tokens, windowTokens, blockingTokens, level } = sizeWith(asked);
    // What a fork asks for is short, and not what the room is kept for.
    if (level === "blocked" && fork === undefined)
      throw new WindowFullError({ sizeTokens: tokens, blockingTokens, windowTokens });
    const now = limits();
    const wantedTokens = Math.min(options.maxOutputTokens ?? defaultOutputTokens(now, way), now.facts.maxOutputTokens);
    const maxTokens = clampMaxTokens({ windowTokens, sizeTokens: tokens, wantedTokens });
    const source = fork === undefined ? {} : { source: fork.source };
    const ttls = nextTtls();
    const described = await describe(ttls, asked);
    await state.append([toDraft("request", { maxTokens, estimatedTokens: tokens, ...ttls, ...source, ...described })]);
    if (turn === "new" && fork === undefined) emit({ kind: "turn-started" });
    notices.ofGuess(limits(), maxTokens);
    return undefined;
  }

  async function passStages(asked: RequestedEdits, trigger: "auto" | "manual" = "auto"): Promise<void> {
    for (const stage of STAGES) {
      const { view, ledger } = state;
      const { budget, rules, facts } = limits();
      results.update(view);
      bytes.update(view);
      const { drafts, newEvents } = await stage({
        session,
        view,
        ledger,
        results,
        settings: settings(),
        files,
        budget,
        bytes,
        thinking: rules.thinking,
        prices: facts.prices,
        asked,
        nowMs: clock.now(),
        maxRequestBytes: facts.maxRequestBytes,
      });
      if (drafts.length > 0) await state.append(drafts);
      for (const one of newEvents) emit(one.kind === "results-cleared" ? { ...one, trigger } : one);
    }
  }

  /** The rendering so far, unless what it was made from or the rules for it have changed. */
  function currentRendering(): Rendering<Message> {
    const { rules } = limits();
    if (rendering?.view !== state.view || !isSameRule(rendering.kept.rules, rules)) {
      rendering = { kept: createRendering(provider, rules), view: state.view };
      state.view.unchangedItems = 0;
    }
    return rendering.kept;
  }

  async function prepare(compaction: "first" | "not-now", way: AnswerWay = "whole"): Promise<Prepared<Request>> {
    const due = await writeRequest(compaction, way);
    if (due !== undefined) return { kind: "compaction-due", due };
    const { model, parameters } = state.configuration;
    const rendering = currentRendering();
    const { messages, marks: all, loaded } = rendering.update(state.view);
    const { toolSearch } = rendering.rules;
    const marks = fork?.cacheWrites === "none" ? all.slice(0, -1) : all;
    if (messages.length === 0) throw new NothingToSendError(session);
    const seal = newestSeal(state.view)!;
    const { from } = seal;
    const request = provider.renderRequest(
      requestParts({
        configuration: state.configuration,
        seal,
        messages,
        marks,
        loaded,
        toolSearch,
        session: fork?.root ?? session,
      }),
    );
    notices.ofOverridden(parameters, request);
    newestIssued = { entry: from, model, inputTokens: expectedTokens(state.view) };
    newestBody = request;
    issued.set(request as object, newestIssued);
    onRequestIssued(request, from);
    return { kind: "request", request };
  }

  /** The request that a response answers. Not the newest in the view: that one may have been folded away since. */
  function answeredBy(request: Request | undefined): IssuedRequest | undefined {
    if (request === undefined) return newestIssued;
    const found = issued.get(request as object);
    if (found === undefined) throw new UnknownRequestError(session);
    return found;
  }

  return {
    prepare,
    answeredBy,
    size: measures.size,
    budget: measures.budget,
    forecast: measures.forecast,
    // A fork sends what its parent has sent: nothing in it is decided anew.
    runStages: async () => (fork === undefined ? passStages(nextAsked(), "manual") : undefined),
    filesRead() {
      results.update(state.view);
      return filesRead(results, state.view);
    },
    newestRequest: () => newestIssued?.entry,
    newestBody: () => newestBody,
    sizeBytes() {
      bytes.update(state.view);
      return bytes.totalBytes;
    },
    prefix() {
      const { model, system, tools, parameters } = state.configuration;
      const rendering = currentRendering();
      rendering.update(state.view);
      return { head: { model, system, tools, parameters }, messages: rendering.flat };
    },
    async cost() {
      const { view, ledger, configuration } = state;
      const { cache } = await describe(nextTtls(), nextAsked());
      const isKept = ledger.sources["main"]?.previous?.headLifetimeMs !== undefined;
      const headTokens = isKept ? estimateTokens(view.calibration, configuration.features) : 0;
      return costOf({ ...cache, ledger, headTokens, sizeTokens: sizeTokens(view), nowMs: clock.now() });
    },
  };
}

function isSameRule(before: FlattenRules, now: FlattenRules): boolean {
  return before.thinking === now.thinking && before.toolSearch === now.toolSearch;
}

/** The user has said something since the newest request. */
function isNewTurn({ items }: View): boolean {
  const seal = items.findLastIndex(({ kind }) => kind === "seal");
  return items.slice(seal + 1).some((item) => item.kind === "message" && item.origin === "human");
}
