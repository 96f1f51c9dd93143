import { chooseTtl } from "../cache/choose-ttl.ts";
import { costOf, type SessionCost } from "../cache/cost.ts";
import type { Prefix } from "../fork/check-prefix.ts";
import type { CacheTtl } from "../log/payload.ts";
import type { RequestedEdits } from "../log/provider-edits.ts";
import { toDraft } from "../log/to-draft.ts";
import { STAGES } from "../pipeline.ts";
import type { ModelFacts } from "../providers/models.ts";
import type { Provider } from "../providers/provider.ts";
import type { CompactionForecast, Emit } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import { createByteIndex } from "../stages/media/byte-index.ts";
import { filesRead } from "../stages/microcompact/files-read.ts";
import { createResultIndex } from "../stages/microcompact/result-index.ts";
import type { ResultFiles } from "../stores/results.ts";
import { type Budget, clampMaxTokens, levelOf, percentLeft } from "../tokens/budget.ts";
import {
  type Configuration,
  expectedTokens,
  newestSeal,
  returningTokens,
  sizeTokens,
  type View,
} from "../view/view.ts";
import type { Clock } from "./clock.ts";
import { compactionPoint } from "./compact/compaction-point.ts";
import type { Attendance } from "./compact/hold-compaction.ts";
import {
  type DueCompaction,
  type DueQuestion,
  forecastCompaction,
  isCompactionDue,
} from "./compact/is-compaction-due.ts";
import { describeNextRequest } from "./describe-next-request.ts";
import { findOverridden } from "./find-overridden.ts";
import type { ForkRequestOptions } from "./fork/fork-request-options.ts";
import { createRendering, type Rendering } from "./rendering.ts";
import { type AnswerWay, defaultOutputTokens, type RequestLimits, termsOf } from "./request-limits.ts";
import { chooseRequestedEdits, toRequestedEdits } from "./requested-edits.ts";
import { NothingToSendError, UnknownRequestError, WindowFullError } from "./session-errors.ts";
import type { SessionSize } from "./session-groups.ts";
import type { SessionState } from "./session-state.ts";

export interface RequestOptions<Request, Response, Message> {
  readonly session: string;
  readonly state: SessionState;
  readonly provider: Provider<Request, Response, Message>;
  /** What is known of a model. */
  readonly factsOf: (model: string) => ModelFacts;
  /** @default as much as the model can write, within bounds */
  readonly maxOutputTokens: number | undefined;
  readonly settings: () => Settings;
  /** Reads the settings anew: they are held for a turn. */
  readonly refreshSettings: () => Promise<void>;
  readonly files: ResultFiles;
  readonly clock: Pick<Clock, "now">;
  readonly attendance: Attendance;
  /** Told of every request that is handed out. */
  readonly onRequestIssued: (request: Request, entry: number) => void;
  /** What is different about the requests of a fork. */
  readonly fork?: ForkRequestOptions | undefined;
  readonly emit: Emit;
}

export interface IssuedRequest {
  /** The entry at which the request was made. */
  readonly entry: number;
  readonly model: string;
  /** Its input, by estimate and without a pad. */
  readonly inputTokens: number;
}

export type Prepared<Request> =
  | { readonly kind: "request"; readonly request: Request }
  | { readonly kind: "compaction-due"; readonly due: DueCompaction };

/** The way out: requests from the view. */
export interface Requests<Request> {
  /**
   * The next request; or that a compaction comes first, and why. Only asked for one if `compaction` is `first`.
   */
  prepare(compaction: "first" | "not-now", way?: AnswerWay): Promise<Prepared<Request>>;
  /** The request that a response answers: the newest that was handed out, if none is given. */
  answeredBy(request: Request | undefined): IssuedRequest | undefined;
  size(): SessionSize;
  /** The sizes at which something happens, without what has to be weighed for them. */
  budget(): Budget & Pick<SessionSize, "known">;
  /** What a compaction that the window asks for would do now. */
  forecast(why: string): CompactionForecast;
  /** What comes before each request, for a compaction that was asked for: storing what is too large, clearing what is stale. */
  runStages(): Promise<void>;
  filesRead(): ReadonlyMap<string, number>;
  cost(): Promise<SessionCost>;
  /** The request that was handed out last, by its entry. */
  newestRequest(): number | undefined;
  /** The same as it was handed out: what a refusal names a place in. */
  newestBody(): Request | undefined;
  /** Of the view in a request, about. */
  sizeBytes(): number;
  /** What has been sent so far: what a fork's requests begin with. */
  prefix(): Prefix;
}

export function createRequests<Request, Response, Message>(
  options: RequestOptions<Request, Response, Message>,
): Requests<Request> {
  const { session, state, provider, factsOf, maxOutputTokens, settings, refreshSettings, files } = options;
  const { clock, onRequestIssued, fork, emit, attendance } = options;
  let rendering: { readonly kept: Rendering<Message>; readonly view: View } | undefined;
  /** The entries at which the requests that were handed out were made, and the models that they ask. */
  const issued = new WeakMap<object, IssuedRequest>();
  let newestIssued: IssuedRequest | undefined;
  const results = createResultIndex();
  /** Models whose window is a guess, and of which that was told. */
  const guessed = new Set<string>();
  /** Parameters that are not sent as they were given, and of which that was told. */
  const overridden = new Set<string>();
  const bytes = createByteIndex();
  let newestBody: Request | undefined;
  /** What follows from the configuration and the settings, worked out once for each. */
  const limitsFor = rememberLast((held: Settings) =>
    rememberLast((limitTokens: number | undefined) =>
      rememberLast((now: Configuration) => termsOf(now, factsOf(now.model), { settings: held, limitTokens })),
    ),
  );
  const limits = (now: Configuration): RequestLimits => limitsFor(settings())(state.carriedState.limitTokens)(now);

  function sizeWith(asked: RequestedEdits): Omit<SessionSize, "compaction" | "percentLeft"> {
    const tokens = sizeTokens(state.view) + returningTokens(state.view, asked);
    const { budget, known } = limits(state.configuration);
    return { ...budget, known, tokens, level: levelOf(budget, tokens) };
  }

  /** Chosen for a request that is to be written; what was chosen stands in its entry. */
  function nextTtl(): CacheTtl {
    const { view, ledger, configuration } = state;
    const { prices } = limits(configuration).facts;
    const wanted = settings()["cache.ttl"];
    return chooseTtl({ wanted, ledger, sizeTokens: sizeTokens(view), prices, nowMs: clock.now() });
  }

  /** As if the next request asked what the newest did. */
  function size(): SessionSize {
    const plain = sizeWith(toRequestedEdits(state.view.edits, state.view.deleted));
    const compaction = compactionPoint(dueQuestion());
    const limitTokens = compaction.policy === "off" ? plain.limitTokens : compaction.atTokens;
    return { ...plain, compaction, percentLeft: percentLeft({ limitTokens }, plain.tokens) };
  }

  /** What the next request asks of the provider beside an answer. */
  function nextAsked(): RequestedEdits {
    const { view, ledger, configuration } = state;
    // A fork asks what its parent has asked: the cache is found by it.
    if (fork !== undefined) return toRequestedEdits(view.edits, view.deleted);
    results.update(view);
    return chooseRequestedEdits({
      ...limits(configuration),
      view,
      ledger,
      results,
      provider,
      settings: settings(),
      nowMs: clock.now(),
      turn: isNewTurn(view) ? "new" : "open",
    });
  }

  function describe(cacheTtl: CacheTtl, asked: RequestedEdits): ReturnType<typeof describeNextRequest> {
    const { log, view, ledger, configuration } = state;
    return describeNextRequest({
      log,
      view,
      ledger,
      configuration,
      provider,
      facts: limits(configuration).facts,
      cacheTtl,
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
      if (turn === "new") await refreshSettings();
      await passStages(nextAsked());
      const due = compaction === "first" ? isCompactionDue(dueQuestion()) : undefined;
      if (due !== undefined) return due;
    }
    const asked = nextAsked();
    const { tokens, windowTokens, blockingTokens, level } = sizeWith(asked);
    // What a fork asks for is short, and not what the room is kept for.
    if (level === "blocked" && fork === undefined)
      throw new WindowFullError({ sizeTokens: tokens, blockingTokens, windowTokens });
    const now = limits(configuration);
    const wantedTokens = Math.min(maxOutputTokens ?? defaultOutputTokens(now, way), now.facts.maxOutputTokens);
    const maxTokens = clampMaxTokens({ windowTokens, sizeTokens: tokens, wantedTokens });
    const source = fork === undefined ? {} : { source: fork.source };
    const cacheTtl = nextTtl();
    const described = await describe(cacheTtl, asked);
    await state.append([toDraft("request", { maxTokens, estimatedTokens: tokens, cacheTtl, ...source, ...described })]);
    if (turn === "new" && fork === undefined) emit({ kind: "turn-started" });
    emitGuess(configuration.model, maxTokens);
    return undefined;
  }

  /** What it goes by whether and where the conversation is compacted. */
  function dueQuestion(): DueQuestion {
    const { view, ledger, carriedState, configuration } = state;
    const { budget, facts } = limits(configuration);
    return {
      view,
      ledger,
      carriedState,
      budget,
      prices: facts.prices,
      settings: settings(),
      attendance,
      nowMs: clock.now(),
    };
  }

  async function passStages(asked: RequestedEdits, trigger: "auto" | "manual" = "auto"): Promise<void> {
    for (const stage of STAGES) {
      const { view, ledger, configuration } = state;
      const { budget, rules, facts } = limits(configuration);
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
    const { rules } = limits(state.configuration);
    if (rendering?.view !== state.view || rendering.kept.rules.thinking !== rules.thinking) {
      rendering = { kept: createRendering(provider, rules), view: state.view };
      state.view.unchangedItems = 0;
    }
    return rendering.kept;
  }

  /** Once for each model, and with its first request: by then whoever runs the turn listens. */
  function emitGuess(model: string, maxOutput: number): void {
    const { known, budget } = limits(state.configuration);
    if (known !== "guessed" || fork !== undefined || guessed.has(model)) return;
    guessed.add(model);
    emit({ kind: "model-guessed", model, windowTokens: budget.windowTokens, maxOutputTokens: maxOutput });
  }

  /** Once for each field and value. */
  function emitOverridden(parameters: Configuration["parameters"], request: Request): void {
    if (fork !== undefined) return;
    for (const found of findOverridden(parameters, request)) {
      const key = JSON.stringify([found.parameter, found.given]);
      if (!overridden.has(key)) emit({ kind: "parameter-overridden", ...found });
      overridden.add(key);
    }
  }

  async function prepare(compaction: "first" | "not-now", way: AnswerWay = "whole"): Promise<Prepared<Request>> {
    const due = await writeRequest(compaction, way);
    if (due !== undefined) return { kind: "compaction-due", due };
    const { model, system, tools, parameters } = state.configuration;
    const { messages, marks: all } = currentRendering().update(state.view);
    const marks = fork?.cacheWrites === "none" ? all.slice(0, -1) : all;
    if (messages.length === 0) throw new NothingToSendError(session);
    const { kind: _, from, to: __, ...sealed } = newestSeal(state.view)!;
    const request = provider.renderRequest({
      model,
      system,
      tools,
      parameters,
      messages,
      marks,
      cacheTtl: "5m",
      ...sealed,
      session: fork?.root ?? session,
    });
    emitOverridden(parameters, request);
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
    size,
    budget() {
      const { budget, known } = limits(state.configuration);
      return { ...budget, known };
    },
    forecast: (why) => forecastCompaction(dueQuestion(), why),
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
      const { cache } = await describe(nextTtl(), nextAsked());
      return costOf({ ...cache, ledger: state.ledger, sizeTokens: sizeTokens(state.view), nowMs: clock.now() });
    },
  };
}

/** The user has said something since the newest request. */
function isNewTurn({ items }: View): boolean {
  const seal = items.findLastIndex(({ kind }) => kind === "seal");
  return items.slice(seal + 1).some((item) => item.kind === "message" && item.origin === "human");
}

/** Remembers what it found for the newest key. */
function rememberLast<Key, Value>(find: (key: Key) => Value): (key: Key) => Value {
  let last: { readonly key: Key; readonly value: Value } | undefined;
  return (key) => {
    if (last === undefined || last.key !== key) last = { key, value: find(key) };
    return last.value;
  };
}
