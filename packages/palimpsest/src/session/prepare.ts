import { chooseRequestedEdits, toRequestedEdits } from "../clear/edits.ts";
import { filesRead } from "../clear/results.ts";
import { clearStale } from "../clear/stage.ts";
import type { AutoCompaction } from "../compact/compaction.ts";
import { isCompactionDue } from "../compact/when.ts";
import { costOf } from "../cost/cost.ts";
import type { Ledger } from "../cost/ledger.ts";
import { chooseHeadTtl } from "../cost/lifetimes.ts";
import { describeRequest } from "../cost/misses.ts";
import { LIFETIME_MS } from "../cost/prices.ts";
import { NothingToSendError, UnknownRequestError, WindowFullError } from "../errors.ts";
import type { CacheFacts } from "../log/cause.ts";
import { toDraft } from "../log/draft.ts";
import type { CacheTtl, RequestPayload } from "../log/payload.ts";
import type { RequestedEdits } from "../log/payload-compaction.ts";
import { fitBytes } from "../media/stage.ts";
import type { NotesKeeper } from "../notes/keeper.ts";
import type { Stage } from "../policy/stage.ts";
import type { ModelFacts } from "../providers/models.ts";
import type { Provider, RequestParts } from "../providers/provider.ts";
import { asList, asObject } from "../schema/json-fields.ts";
import { clampMaxTokens } from "../size/budget.ts";
import { estimateTokens } from "../size/calibration.ts";
import type { SessionContext } from "../state/context.ts";
import { type AnswerWay, defaultOutputTokens, type RequestLimits } from "../state/limits.ts";
import { readConfiguration } from "../state/load.ts";
import type { DueCompaction } from "../state/options.ts";
import type { IssuedRequest, Prepared, Requests } from "../state/ports.ts";
import { createRendering, type RenderedView, type Rendering } from "../state/rendering.ts";
import type { SessionState } from "../state/state.ts";
import { storeOversized } from "../store-results/stage.ts";
import type { LogReader } from "../stores/store.ts";
import type { FlattenRules } from "../view/flatten.ts";
import { createByteIndex } from "../view/media.ts";
import { createResultIndex } from "../view/results.ts";
import { offerTools, type ToolSearch } from "../view/tool-search.ts";
import { type Configuration, expectedTokens, newestSeal, type Seal, sizeTokens, type View } from "../view/view.ts";
import { createMeasures } from "./measures.ts";
import type { PrepareOptions } from "./session.ts";

/** The stages that a view passes before each request, cheapest first. Each stage sees the decisions of the stages before it. */
const STAGES: readonly Stage[] = [storeOversized, clearStale, fitBytes];

interface NextRequestParts {
  readonly log: LogReader;
  readonly view: View;
  readonly ledger: Ledger;
  readonly configuration: Configuration;
  readonly provider: Pick<Provider, "name" | "cacheEffects">;
  readonly facts: ModelFacts;
  readonly cacheTtl: CacheTtl;
  readonly headTtl?: "1h" | undefined;
  readonly asked: RequestedEdits;
}

/** What of the next request's cache is to be written down with it, and which response the provider compares it with. */
export async function describeNextRequest(
  parts: NextRequestParts,
): Promise<{ readonly cache: CacheFacts; readonly previousResponseId?: string }> {
  const { view, ledger, configuration, provider, facts, cacheTtl, headTtl, asked } = parts;
  const { prices, thinking, earlierThinking, cacheLifetimeMs: lifetimeMs = LIFETIME_MS[cacheTtl] } = facts;
  const isChosen = facts.cacheLifetimeMs === undefined && headTtl !== undefined;
  const previous = ledger.sources["main"]?.previous;
  const before = previous && (await configurationAt(previous.configuration, parts));
  const effects = provider.cacheEffects;
  return {
    cache: describeRequest({
      view,
      ledger,
      configuration,
      before,
      lifetimeMs,
      headLifetimeMs: isChosen ? LIFETIME_MS[headTtl] : undefined,
      effects,
      thinking,
      earlierThinking,
      prices,
      asked,
    }),
    // Another provider does not know it.
    ...(before?.provider === provider.name && previous!.responseId !== ""
      ? { previousResponseId: previous!.responseId }
      : {}),
  };
}

async function configurationAt(entry: number, { log, view, configuration }: NextRequestParts) {
  return entry === configuration.entry ? configuration : readConfiguration(log, entry, view.featureOptions);
}

/** A field of the parameters that is not sent as it was given. */
interface Overridden {
  readonly parameter: string;
  readonly given: unknown;
  /** Absent if the field is left out. */
  readonly sent?: unknown;
  /** The option of the session that sets it, if there is one. */
  readonly option?: string;
}

/** Which option of a session takes the place of a field, whatever the provider calls it. */
const OPTIONS: Readonly<Record<string, string>> = {
  max_tokens: "maxOutputTokens",
  max_completion_tokens: "maxOutputTokens",
  max_output_tokens: "maxOutputTokens",
  model: "model",
  system: "system",
  instructions: "system",
};

/** Parameters that the request does not hold as the caller gave them. Lists and objects may have been added to. */
export function findOverridden(parameters: Readonly<Record<string, unknown>>, request: unknown): readonly Overridden[] {
  const fields = asObject(request) ?? {};
  return Object.entries(parameters).flatMap(([parameter, given]) => {
    const sent = fields[parameter];
    // `null` and `undefined` ask for a field to be left out.
    if (given === null || given === undefined || holds(sent, given)) return [];
    const option = OPTIONS[parameter];
    return [
      {
        parameter,
        given,
        ...(sent === undefined ? {} : { sent }),
        ...(option === undefined ? {} : { option }),
      },
    ];
  });
}

/** Whether all that was given is part of what is sent. */
function holds(sent: unknown, given: unknown): boolean {
  const list = asList(given);
  if (list !== undefined) return list.every((one) => asList(sent)?.some((other) => holds(other, one)));
  const object = asObject(given);
  if (object === undefined) return Object.is(sent, given);
  // Where the cache is marked is decided by the session, and changes nothing of what is said.
  return Object.entries(object).every(
    ([name, value]) => name === "cache_control" || holds(asObject(sent)?.[name], value),
  );
}

/** Events about requests that are emitted once, and never by a fork. */
export interface RequestNotices {
  /** Once for each model whose window is a guess, with its first request: by then whoever runs the turn listens. */
  ofGuess(limits: Pick<RequestLimits, "known" | "budget">, maxOutputTokens: number): void;
  /** Once for each parameter and value that is not sent as it was given. */
  ofOverridden(parameters: Readonly<Record<string, unknown>>, request: unknown): void;
}

export function createRequestNotices({ state, fork, emit }: SessionContext): RequestNotices {
  const guessed = new Set<string>();
  const overridden = new Set<string>();
  return {
    ofGuess({ known, budget }, maxOutputTokens) {
      const { model } = state.configuration;
      if (known !== "guessed" || fork !== undefined || guessed.has(model)) return;
      guessed.add(model);
      emit({ kind: "model-guessed", model, windowTokens: budget.windowTokens, maxOutputTokens });
    },
    ofOverridden(parameters, request) {
      if (fork !== undefined) return;
      for (const found of findOverridden(parameters, request)) {
        const key = JSON.stringify([found.parameter, found.given]);
        if (!overridden.has(key)) emit({ kind: "parameter-overridden", ...found });
        overridden.add(key);
      }
    },
  };
}

interface RequestSources extends RenderedView {
  readonly configuration: Configuration;
  /** The entry that says what was asked beside an answer. */
  readonly seal: Seal;
  /** How deferred tools come into the conversation. @default "native" */
  readonly toolSearch: ToolSearch | undefined;
  /** The session whose prompt it is: a fork sends that of its parent. */
  readonly session: string;
}

/** The parts of the request that a view and its newest seal stand for: the same for a session and for those who read its log. */
export function requestParts({
  configuration,
  seal,
  messages,
  marks,
  loaded,
  toolSearch = "native",
  session,
}: RequestSources): RequestParts {
  const { model, system, tools, parameters } = configuration;
  const { kind: _, from: __, to: ___, ...sealed } = seal;
  const offered = offerTools(tools, loaded, toolSearch);
  return { model, system, ...offered, parameters, messages, marks, cacheTtl: "5m", ...sealed, session };
}

type Ttls = Required<Pick<RequestPayload, "cacheTtl">> & Pick<RequestPayload, "headTtl">;

/** @param onRequestIssued called with every request that is handed out */
export function createRequests(
  context: SessionContext,
  onRequestIssued: (request: unknown, entry: number) => void,
): Requests {
  const { session, options, state, provider, settings, files, clock, fork, emit } = context;
  let rendering: { readonly kept: Rendering; readonly view: View } | undefined;
  /** The entries at which the requests that were handed out were made, and the models that they ask. */
  const issued = new WeakMap<object, IssuedRequest>();
  let newestIssued: IssuedRequest | undefined;
  const results = createResultIndex();
  const bytes = createByteIndex();
  let newestBody: unknown | undefined;
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
  function currentRendering(): Rendering {
    const { rules } = limits();
    if (rendering?.view !== state.view || !isSameRule(rendering.kept.rules, rules)) {
      rendering = { kept: createRendering(provider, rules), view: state.view };
      state.view.unchangedItems = 0;
    }
    return rendering.kept;
  }

  async function prepare(compaction: "first" | "not-now", way: AnswerWay = "whole"): Promise<Prepared> {
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
  function answeredBy(request: unknown | undefined): IssuedRequest | undefined {
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

interface PrepareParts {
  readonly requests: Pick<Requests, "prepare">;
  readonly notes: Pick<NotesKeeper, "onRequest">;
  readonly automatic: Pick<AutoCompaction, "beforeRequest">;
}

/** The next request, after a compaction if one is due. */
export function createPrepare(
  { inOrder }: Pick<SessionState, "inOrder">,
  { requests, notes, automatic }: PrepareParts,
): (how?: PrepareOptions) => Promise<unknown> {
  return async (how = {}) => {
    notes.onRequest();
    const first = await inOrder(() => requests.prepare("first", how.answer));
    if (first.kind === "request") return first.request;
    await automatic.beforeRequest(first.due, how);
    how.signal?.throwIfAborted();
    const second = await inOrder(() => requests.prepare("not-now", how.answer));
    // Asked not to speak of compaction, it has nothing else to answer.
    if (second.kind !== "request") throw new TypeError("No request was prepared.");
    return second.request;
  };
}
