// Prepares requests: runs the stages, writes the `request` entry, and renders the request.

import { chooseRequestedEdits, toRequestedEdits } from "../clear/edits.ts";
import { filesRead } from "../clear/results.ts";
import { clearStale } from "../clear/stage.ts";
import { isCompactionDue } from "../compact/when.ts";
import { chooseHeadTtl, costOf, type SessionCost } from "../cost/cost.ts";
import type { Ledger } from "../cost/ledger.ts";

import { describeRequest } from "../cost/misses.ts";
import { LIFETIME_MS } from "../cost/prices.ts";
import { NothingToSendError, UnknownRequestError, WindowFullError } from "../errors.ts";
import type { CacheFacts } from "../log/cause.ts";
import { toDraft } from "../log/draft.ts";
import type { CacheTtl, RequestPayload } from "../log/payload.ts";
import type { RequestedEdits } from "../log/payload-compaction.ts";
import { fitBytes } from "../media/stage.ts";
import type { Stage } from "../policy/stage.ts";
import type { ModelFacts } from "../providers/models.ts";
import type { Provider, RequestParts } from "../providers/provider.ts";
import { asList, asObject } from "../schema/json-fields.ts";
import { clampMaxTokens } from "../size/budget.ts";
import { estimateTokens } from "../size/calibration.ts";
import type { SessionCore } from "../state/core.ts";
import { type AnswerWay, defaultOutputTokens, type RequestLimits } from "../state/limits.ts";
import { readConfiguration } from "../state/load.ts";
import type { DueCompaction } from "../state/options.ts";
import type { IssuedRequest, IssuedRequests, PromptSource } from "../state/ports.ts";
import type { Prefix } from "../state/prefix.ts";
import { createRendering, type RenderedView, type Rendering } from "../state/rendering.ts";
import { storeOversized } from "../store-results/stage.ts";
import type { LogReader } from "../stores/store.ts";
import { type ByteIndex, createByteIndex } from "../view/media.ts";
import { createResultIndex, type ResultIndex } from "../view/results.ts";
import { offerTools, type ToolSearch } from "../view/tool-search.ts";
import { type Configuration, expectedTokens, newestSeal, type Seal, sizeTokens, type View } from "../view/view.ts";
import type { Measures } from "./measures.ts";

/** The stages that a view passes before each request, cheapest first. Each stage sees the decisions of the stages before it. */
const STAGES: readonly Stage[] = [storeOversized, clearStale, fitBytes];

/** A request that is ready to be sent, or the compaction that must come before it. */
export type Prepared =
  | { readonly kind: "request"; readonly request: unknown }
  | { readonly kind: "compaction-due"; readonly due: DueCompaction };

type Ttls = Required<Pick<RequestPayload, "cacheTtl">> & Pick<RequestPayload, "headTtl">;

/** Issues the requests of a session: runs the stages, writes the `request` entries, and renders the requests. */
export class Outlet implements IssuedRequests, PromptSource {
  readonly #core: SessionCore;
  readonly #measures: Measures;
  /** Called with every issued request. */
  readonly #onIssued: (request: unknown, entry: number) => void;
  readonly #notices: RequestNotices;
  readonly #results: ResultIndex = createResultIndex();
  readonly #bytes: ByteIndex = createByteIndex();
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
      await this.#passStages("auto");
      const due = compaction === "first" ? isCompactionDue(this.#measures.dueQuestion()) : undefined;
      if (due !== undefined) return due;
    }
    const edits = this.#nextEdits();
    const { tokens, windowTokens, blockingTokens, level } = this.#measures.sizeWith(edits);
    // The answer to a fork is short and does not need the reserve.
    if (level === "blocked" && fork === undefined)
      throw new WindowFullError({ sizeTokens: tokens, blockingTokens, windowTokens });
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

  /** Runs the stages before a compaction that the host requests. */
  async runStages(): Promise<void> {
    if (this.#core.fork === undefined) await this.#passStages("manual");
  }

  async #passStages(trigger: "auto" | "manual"): Promise<void> {
    const { id, ports, state, settings } = this.#core;
    const edits = this.#nextEdits();
    for (const stage of STAGES) {
      const { view, ledger } = state;
      const { budget, rules, facts } = this.#measures.limits();
      this.#results.update(view);
      this.#bytes.update(view);
      const { drafts, newEvents } = await stage({
        session: id,
        view,
        ledger,
        results: this.#results,
        settings: settings.current,
        files: ports.files,
        budget,
        bytes: this.#bytes,
        thinking: rules.thinking,
        prices: facts.prices,
        asked: edits,
        nowMs: ports.clock.now(),
        maxRequestBytes: facts.maxRequestBytes,
      });
      if (drafts.length > 0) await state.append(drafts);
      for (const event of newEvents) ports.emit(event.kind === "results-cleared" ? { ...event, trigger } : event);
    }
  }

  /** Chooses the edits that the next request asks of the provider. */
  #nextEdits(): RequestedEdits {
    const { ports, state, settings, fork } = this.#core;
    const { view, ledger } = state;
    // A fork asks for the same edits as its parent. Otherwise it would miss the cache.
    if (fork !== undefined) return toRequestedEdits(view.edits, view.deleted);
    this.#results.update(view);
    return chooseRequestedEdits({
      ...this.#measures.limits(),
      view,
      ledger,
      results: this.#results,
      provider: ports.provider,
      settings: settings.current,
      nowMs: ports.clock.now(),
      turn: isNewTurn(view) ? "new" : "open",
    });
  }

  /** Chooses the cache lifetimes of the next request. Its entry records them. */
  #nextTtls(): Ttls {
    const { ports, state, settings } = this.#core;
    const { prices } = this.#measures.limits().facts;
    const cacheTtl = settings.current["cache.ttl"];
    const setting = settings.current["cache.headTtl"];
    const head = chooseHeadTtl({ wanted: setting, ledger: state.ledger, prices, nowMs: ports.clock.now() });
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
    this.#bytes.update(this.#core.state.view);
    return this.#bytes.totalBytes;
  }

  filesRead(): ReadonlyMap<string, number> {
    const { view } = this.#core.state;
    this.#results.update(view);
    return filesRead(this.#results, view);
  }

  prefix(): Prefix {
    const { configuration, view } = this.#core.state;
    const { model, system, tools, parameters } = configuration;
    const rendering = this.#currentRendering();
    rendering.update(view);
    return { head: { model, system, tools, parameters }, messages: rendering.flat };
  }

  /** Computes the cost of the session, and of the next request with and without the cache. */
  async cost(): Promise<SessionCost> {
    const { state, ports } = this.#core;
    const { view, ledger, configuration } = state;
    const { cache } = await this.#describe(this.#nextTtls(), this.#nextEdits());
    const isKept = ledger.sources["main"]?.previous?.headLifetimeMs !== undefined;
    const headTokens = isKept ? estimateTokens(view.calibration, configuration.features) : 0;
    return costOf({ ...cache, ledger, headTokens, sizeTokens: sizeTokens(view), nowMs: ports.clock.now() });
  }
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
