// Prepares requests: decides about the window, writes the `request` entry, and renders the request.

import { currentEdits, filesRead } from "../clear/clear.ts";
import { costOf, type SessionCost } from "../cost/cost.ts";
import { HOUR_MS, type Ledger, LIFETIME_MS, newestAnswered, type PreviousRequest } from "../cost/ledger.ts";
import { cachedPrompt, describeRequest } from "../cost/misses.ts";
import { NothingToSendError, UnknownRequestError, WindowFullError } from "../errors.ts";
import type { CacheFacts } from "../log/cause.ts";
import { toDraft } from "../log/entry.ts";
import type { CacheTtl, RequestPayload } from "../log/payload.ts";
import type { RequestedEdits } from "../log/payload-compaction.ts";
import { lifetimesOf } from "../policy/guard.ts";
import type { ModelFacts } from "../providers/models.ts";
import type { Provider, RequestParts } from "../providers/provider.ts";
import { asList, asObject } from "../schema/json-fields.ts";
import { clampMaxTokens } from "../size/budget.ts";
import { estimateTokens } from "../size/calibration.ts";
import type { SessionCore } from "../state/core.ts";
import { type AnswerWay, defaultOutputTokens, type RequestLimits } from "../state/limits.ts";
import { readConfiguration } from "../state/load.ts";
import type { DueCompaction } from "../state/options.ts";
import type { IssuedRequest, IssuedRequests, Prefix, PromptSource } from "../state/ports.ts";
import { createRendering, type RenderedView, type Rendering } from "../state/rendering.ts";
import type { LogReader } from "../stores/store.ts";
import { offerTools, type ToolSearch } from "../view/tool-search.ts";
import { type Configuration, expectedTokens, newestSeal, type Seal, type View } from "../view/view.ts";
import type { Measures } from "./before-request.ts";

/** A request that is ready to be sent, or the compaction that must come before it. */
export type Prepared =
  | { readonly kind: "request"; readonly request: unknown }
  | { readonly kind: "compaction-due"; readonly due: DueCompaction };

type Ttls = Required<Pick<RequestPayload, "cacheTtl">> & Pick<RequestPayload, "headTtl">;

/** Issues the requests of a session: decides about the window, writes the `request` entries, and renders the requests. */
export class Outlet implements IssuedRequests, PromptSource {
  readonly #core: SessionCore;
  readonly #measures: Measures;
  /** Called with every issued request. */
  readonly #onIssued: (request: unknown, entry: number) => void;
  readonly #notices: RequestNotices;
  /** The current rendering, and the view that it was made from. */
  #rendering: { readonly of: View; readonly kept: Rendering } | undefined;
  readonly #issued = new WeakMap<object, IssuedRequest>();
  #newest: { readonly issued: IssuedRequest; readonly body: unknown } | undefined;

  constructor(core: SessionCore, measures: Measures, onIssued: (request: unknown, entry: number) => void) {
    this.#core = core;
    this.#measures = measures;
    this.#onIssued = onIssued;
    this.#notices = new RequestNotices(core);
  }

  /** Returns the next request. Returns the due compaction instead if one is due and `compaction` is `first`. */
  async next(compaction: "first" | "not-now", way: AnswerWay = "whole"): Promise<Prepared> {
    const due = await this.#writeRequest(compaction, way);
    if (due !== undefined) return { kind: "compaction-due", due };
    const { id, ports, state, fork } = this.#core;
    const { configuration } = state;
    const rendering = this.#currentRendering();
    const { messages, marks, loaded } = rendering.update(state.view);
    if (messages.length === 0) throw new NothingToSendError(id);
    const seal = newestSeal(state.view)!;
    const request = ports.provider.renderRequest(
      requestParts({
        configuration,
        seal,
        messages,
        marks: fork?.cacheWrites === "none" ? marks.slice(0, -1) : marks,
        loaded,
        toolSearch: rendering.rules.toolSearch,
        session: fork?.root ?? id,
      }),
    );
    this.#notices.ofOverridden(configuration.parameters, request);
    const issued = { entry: seal.from, model: configuration.model, inputTokens: expectedTokens(state.view) };
    this.#newest = { issued, body: request };
    this.#issued.set(request as object, issued);
    this.#onIssued(request, seal.from);
    return { kind: "request", request };
  }

  /**
   * Writes the `request` entry, unless the newest one is still valid. Returns the compaction that must come before it,
   * if one is due.
   */
  async #writeRequest(compaction: "first" | "not-now", way: AnswerWay): Promise<DueCompaction | undefined> {
    const { id, ports, state, settings, fork, options } = this.#core;
    const { view, configuration } = state;
    const last = view.items.at(-1);
    const isWritten = last?.kind === "seal" && view.awaited?.request === last.from && configuration.entry < last.from;
    if (isWritten) return undefined;
    if (!view.items.some(({ kind }) => kind === "message")) throw new NothingToSendError(id);
    const turn = isNewTurn(view) ? "new" : "open";
    // A fork sends the prompt of its parent, so it makes no decisions about it.
    if (fork === undefined) {
      if (turn === "new") await settings.refresh();
      const due = await this.#measures.decisions.pass(compaction, "auto");
      if (due !== undefined) return due;
    }
    const edits = this.#nextEdits();
    const { tokens, windowTokens, hardLimitTokens, level } = this.#measures.sizeWith(edits);
    // The answer to a fork is short and does not need the reserve.
    if (level === "blocked" && fork === undefined)
      throw new WindowFullError({ sizeTokens: tokens, hardLimitTokens, windowTokens });
    const limits = this.#measures.limits();
    const maximumTokens = options.maxOutputTokens ?? defaultOutputTokens(limits, way);
    const wantedTokens = Math.min(maximumTokens, limits.facts.maxOutputTokens);
    const maxTokens = clampMaxTokens({ windowTokens, sizeTokens: tokens, wantedTokens });
    const ttls = this.#nextTtls();
    const source = fork === undefined ? {} : { source: fork.source };
    const description = await this.#describe(ttls, edits);
    await state.append([
      toDraft("request", { maxTokens, estimatedTokens: tokens, ...ttls, ...source, ...description }),
    ]);
    if (turn === "new" && fork === undefined) ports.emit({ kind: "turn-started" });
    this.#notices.ofGuess(limits, maxTokens);
    return undefined;
  }

  /** Stores and clears before a compaction that the host requests. */
  async beforeCompaction(): Promise<void> {
    if (this.#core.fork === undefined) await this.#measures.decisions.pass("not-now", "manual");
  }

  /** Returns the edits that the next request asks of the provider. A fork asks for the same edits as its parent. */
  #nextEdits(): RequestedEdits {
    const { ports, state, fork } = this.#core;
    const { view, ledger, configuration } = state;
    const takesEdits = ports.provider.takesEdits?.(configuration.parameters) ?? "no";
    const cache = fork === undefined ? cachedPrompt(ledger.sources["main"]?.previous, ports.clock.now()) : "warm";
    const deletesFromCache = ports.provider.cacheEdits !== undefined;
    const { thinking } = this.#measures.limits().rules;
    return currentEdits({ view, takesEdits, deletesFromCache, cache, thinking });
  }

  /** Returns the cache lifetimes of the next request. Its entry records them. */
  #nextTtls(): Ttls {
    const { policy, state, ports } = this.#core;
    const { decisions } = this.#measures;
    const { value, failure } = lifetimesOf(policy.current, decisions.state(), decisions.pauses());
    policy.countCall("cache", failure);
    const { conversation: cacheTtl } = value;
    // Another lifetime would write the head again, so the rule decides only when the head is written anyway.
    const head = livingHead(state.ledger.sources["main"]?.previous, ports.clock.now()) ?? value.head;
    return { cacheTtl, ...(head === "1h" && cacheTtl === "5m" ? { headTtl: "1h" } : {}) };
  }

  #describe(ttls: Ttls, edits: RequestedEdits): ReturnType<typeof describeNextRequest> {
    const { log, view, ledger, configuration } = this.#core.state;
    const { provider } = this.#core.ports;
    const { facts } = this.#measures.limits();
    return describeNextRequest({ log, view, ledger, configuration, provider, facts, ...ttls, asked: edits });
  }

  /** Returns the current rendering. Starts a new one if the view or the rules have changed. */
  #currentRendering(): Rendering {
    const { view } = this.#core.state;
    const { rules } = this.#measures.limits();
    const { of, kept } = this.#rendering ?? {};
    const isSame =
      of === view && kept?.rules.thinking === rules.thinking && kept?.rules.toolSearch === rules.toolSearch;
    if (kept !== undefined && isSame) return kept;
    const fresh = createRendering(this.#core.ports.provider, rules);
    this.#rendering = { of: view, kept: fresh };
    view.unchangedItems = 0;
    return fresh;
  }

  /**
   * Finds the request that a response answers. The view may no longer show this request, because compaction removes
   * requests.
   */
  answeredBy(request: unknown): IssuedRequest | undefined {
    if (request === undefined) return this.#newest?.issued;
    const found = this.#issued.get(request as object);
    if (found === undefined) throw new UnknownRequestError(this.#core.id);
    return found;
  }

  newestRequest(): number | undefined {
    return this.#newest?.issued.entry;
  }

  newestBody(): unknown {
    return this.#newest?.body;
  }

  sizeBytes(): number {
    const { bytes } = this.#measures.decisions;
    bytes.update(this.#core.state.view);
    return bytes.totalBytes;
  }

  filesRead(): ReadonlyMap<string, number> {
    const { view } = this.#core.state;
    const { results } = this.#measures.decisions;
    results.update(view);
    return filesRead(results, view);
  }

  prefix(view: View = this.#core.state.view): Prefix {
    const { state, ports } = this.#core;
    const { model, system, tools, parameters } = view.configuration ?? state.configuration;
    const isCurrent = view === state.view;
    const rendering = isCurrent
      ? this.#currentRendering()
      : createRendering(ports.provider, this.#measures.limits().rules);
    rendering.update(view);
    return { head: { model, system, tools, parameters }, messages: rendering.flat };
  }

  /** Returns how much of an unchanged beginning the provider can find in its cache. Infinite: all of the prompt is unchanged. */
  #readable(keptTokens: number): number {
    const { minimumCacheTokens, prices } = this.#measures.limits().facts;
    if (keptTokens < minimumCacheTokens) return 0;
    if (!Number.isFinite(keptTokens)) return keptTokens;
    const chargesForWrites = prices !== undefined && prices.cacheWrite5m > prices.input;
    return this.#core.ports.provider.cacheEffects?.headMark === "none" && chargesForWrites ? 0 : keptTokens;
  }

  /** Computes the cost of the session, and of the next request with and without the cache. */
  async cost(): Promise<SessionCost> {
    const { state, ports } = this.#core;
    const { view, ledger, configuration } = state;
    const { cache } = await this.#describe(this.#nextTtls(), this.#nextEdits());
    const isKept = ledger.sources["main"]?.previous?.headLifetimeMs !== undefined;
    const headTokens = isKept ? estimateTokens(view.calibration, configuration.features) : 0;
    const { decisions } = this.#measures;
    const nowMs = ports.clock.now();
    const isCold = cachedPrompt(ledger.sources["main"]?.previous, nowMs) === "cold";
    // What is cleared before a request depends on the cache, so a warm and a cold start send different requests.
    const [next, cold] = [decisions.preview(isCold ? "cold" : "as-it-is"), decisions.preview("cold")];
    const keptTokens = this.#readable(Math.min(cache.keptTokens ?? Number.POSITIVE_INFINITY, next.keptTokens));
    return costOf({
      ...cache,
      ledger,
      headTokens,
      keptTokens: Number.isFinite(keptTokens) ? keptTokens : undefined,
      sizeTokens: next.tokens,
      coldSizeTokens: cold.tokens,
      nowMs,
    });
  }
}

/** Returns the lifetime of a head that is still in the cache. */
function livingHead(previous: PreviousRequest | undefined, nowMs: number): CacheTtl | undefined {
  if (previous === undefined) return undefined;
  const { atMs, lifetimeMs, headLifetimeMs = lifetimeMs } = previous;
  if (nowMs - atMs >= headLifetimeMs) return undefined;
  return headLifetimeMs === HOUR_MS ? "1h" : "5m";
}

/** Tells whether the user has sent a message since the newest request. */
function isNewTurn({ items }: View): boolean {
  const seal = items.findLastIndex(({ kind }) => kind === "seal");
  return items.slice(seal + 1).some((item) => item.kind === "message" && item.origin === "human");
}

interface RequestSources extends RenderedView {
  readonly configuration: Configuration;
  /** The entry with the other fields of the request, such as `max_tokens`. */
  readonly seal: Seal;
  /** How the conversation loads deferred tools. @default "native" */
  readonly toolSearch: ToolSearch | undefined;
  /** The session that owns the prompt. A fork sends the prompt of its parent. */
  readonly session: string;
}

/**
 * Builds the parts of a request from a view and its newest seal. Sessions and readers of their logs use the same
 * function.
 */
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

/**
 * Describes the next request's use of the cache for its entry, and names the response that the provider compares it
 * with.
 */
export async function describeNextRequest(
  parts: NextRequestParts,
): Promise<{ readonly cache: CacheFacts; readonly previousResponseId?: string }> {
  const { view, ledger, configuration, provider, facts, cacheTtl, headTtl, asked } = parts;
  const { prices, thinking, earlierThinking, cacheLifetimeMs: lifetimeMs = LIFETIME_MS[cacheTtl] } = facts;
  const isChosen = facts.cacheLifetimeMs === undefined && headTtl !== undefined;
  const previous = newestAnswered(ledger);
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
    // Another provider does not know this id.
    ...(before?.provider === provider.name && previous!.responseId !== ""
      ? { previousResponseId: previous!.responseId }
      : {}),
  };
}

async function configurationAt(entry: number, { log, view, configuration }: NextRequestParts) {
  return entry === configuration.entry ? configuration : readConfiguration(log, entry, view.featureOptions);
}

/** Emits events about requests for the user, each event once, and none from a fork. */
export class RequestNotices {
  readonly #core: Pick<SessionCore, "state" | "fork" | "ports">;
  readonly #guessedModels = new Set<string>();
  readonly #overridden = new Set<string>();

  constructor(core: Pick<SessionCore, "state" | "fork" | "ports">) {
    this.#core = core;
  }

  /** Emits `model-guessed` with the first request to a model whose window is a guess. */
  ofGuess({ known, budget }: Pick<RequestLimits, "known" | "budget">, maxOutputTokens: number): void {
    const { model } = this.#core.state.configuration;
    if (known !== "guessed" || this.#core.fork !== undefined || this.#guessedModels.has(model)) return;
    this.#guessedModels.add(model);
    this.#core.ports.emit({ kind: "model-guessed", model, windowTokens: budget.windowTokens, maxOutputTokens });
  }

  /** Emits `parameter-overridden` once for each parameter and value that is not sent as the caller set it. */
  ofOverridden(parameters: Readonly<Record<string, unknown>>, request: unknown): void {
    if (this.#core.fork !== undefined) return;
    for (const found of findOverridden(parameters, request)) {
      const key = JSON.stringify([found.parameter, found.given]);
      if (!this.#overridden.has(key)) this.#core.ports.emit({ kind: "parameter-overridden", ...found });
      this.#overridden.add(key);
    }
  }
}

/** A field of the parameters that is not sent as the caller set it. */
interface Overridden {
  readonly parameter: string;
  readonly given: unknown;
  /** The value in the request. Absent if the request leaves the field out. */
  readonly sent?: unknown;
  /** The session option that sets the field, if there is one. */
  readonly option?: string;
}

/** The session option that replaces each field, under the names of all providers. */
const OPTIONS: Readonly<Record<string, string>> = {
  max_tokens: "maxOutputTokens",
  max_completion_tokens: "maxOutputTokens",
  max_output_tokens: "maxOutputTokens",
  model: "model",
  system: "system",
  instructions: "system",
};

/**
 * Finds parameters that the request does not contain as the caller set them. The request may add elements to lists and
 * fields to objects.
 */
export function findOverridden(parameters: Readonly<Record<string, unknown>>, request: unknown): readonly Overridden[] {
  const fields = asObject(request) ?? {};
  return Object.entries(parameters).flatMap(([parameter, given]) => {
    const sent = fields[parameter];
    // `null` and `undefined` remove a field from the request.
    if (given === null || given === undefined || contains(sent, given)) return [];
    const option = OPTIONS[parameter];
    return [
      {
        parameter,
        given,
        sent,
        option,
      },
    ];
  });
}

/** Tells whether the sent value contains everything in the given value. */
function contains(sent: unknown, given: unknown): boolean {
  const list = asList(given);
  if (list !== undefined) return list.every((one) => asList(sent)?.some((other) => contains(other, one)));
  const object = asObject(given);
  if (object === undefined) return Object.is(sent, given);
  // Ignore `cache_control`: the session places the cache marks, and they do not change the content.
  return Object.entries(object).every(
    ([name, value]) => name === "cache_control" || contains(asObject(sent)?.[name], value),
  );
}
