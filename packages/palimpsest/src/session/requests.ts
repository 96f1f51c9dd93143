import { costOf, type SessionCost } from "../cache/cost.ts";
import type { ToolCall } from "../log/block.ts";
import type { AskedOfProvider } from "../log/provider-edits.ts";
import { toDraft } from "../log/to-draft.ts";
import { STAGES } from "../pipeline.ts";
import type { ModelFacts } from "../providers/models.ts";
import { readSilentOverflow } from "../providers/overflow.ts";
import type { Provider } from "../providers/provider.ts";
import type { Settings } from "../settings/settings.ts";
import { filesRead } from "../stages/microcompact/files-read.ts";
import { createResultIndex } from "../stages/microcompact/result-index.ts";
import type { ResultFiles } from "../stores/results.ts";
import { clampMaxTokens, levelOf, percentLeft } from "../tokens/budget.ts";
import type { MessageItem } from "../view/item.ts";
import { type Configuration, newestSeal, returningTokens, sizeTokens, type View } from "../view/view.ts";
import { askOfProvider, toAsked } from "./ask-of-provider.ts";
import { describeNext } from "./describe-next.ts";
import { createRendering, type Rendering } from "./rendering.ts";
import type { RecordedResponse, SessionSize } from "./session.ts";
import { NothingToSendError, UnknownRequestError, WindowFullError } from "./session-errors.ts";
import type { SessionState } from "./session-state.ts";
import { type Terms, termsOf } from "./terms.ts";

export interface RequestOptions<Request, Response, Message> {
  readonly session: string;
  readonly state: SessionState;
  readonly provider: Provider<Request, Response, Message>;
  /** What is known of a model. */
  readonly factsOf: (model: string) => ModelFacts;
  readonly maxOutputTokens: number;
  readonly settings: () => Settings;
  /** Reads the settings anew: they are held for a turn. */
  readonly refreshSettings: () => Promise<void>;
  readonly files: ResultFiles;
  readonly clock: { now(): number };
}

/** The way out and back: requests from the view, and responses into the log. */
export interface Requests<Request, Response> {
  prepare(): Promise<Request>;
  record(response: Response, request?: Request): Promise<RecordedResponse>;
  size(): SessionSize;
  filesRead(): ReadonlyMap<string, number>;
  cost(): Promise<SessionCost>;
}

export function createRequests<Request, Response, Message>(
  options: RequestOptions<Request, Response, Message>,
): Requests<Request, Response> {
  const { session, state, provider, factsOf, maxOutputTokens, settings, refreshSettings, files, clock } = options;
  let rendering: { readonly kept: Rendering<Message>; readonly view: View } | undefined;
  /** The entries at which the requests that were handed out were made. */
  const entryOf = new WeakMap<object, number>();
  let newestHandedOut: number | undefined;
  const results = createResultIndex();
  /** What follows from the configuration and the settings, worked out once for each. */
  const termsFor = rememberLast((held: Settings) =>
    rememberLast((now: Configuration) => termsOf(now, factsOf(now.model), held)),
  );
  const terms = (now: Configuration): Terms => termsFor(settings())(now);

  function sizeWith(asked: AskedOfProvider): SessionSize {
    const tokens = sizeTokens(state.view) + returningTokens(state.view, asked);
    const { budget } = terms(state.configuration);
    return { ...budget, tokens, percentLeft: percentLeft(budget, tokens), level: levelOf(budget, tokens) };
  }

  /** As if the next request asked what the newest did. */
  const size = (): SessionSize => sizeWith(toAsked(state.view.edits, state.view.deleted));

  /** What the next request asks of the provider beside an answer. */
  function nextAsked(): AskedOfProvider {
    const { view, ledger, configuration } = state;
    results.update(view);
    return askOfProvider({
      ...{ ...terms(configuration), view, ledger, results, provider, settings: settings(), nowMs: clock.now() },
      turn: isNewTurn(view) ? "new" : "open",
    });
  }

  function describe(asked: AskedOfProvider): ReturnType<typeof describeNext> {
    const { log, view, ledger, configuration } = state;
    return describeNext({
      log,
      view,
      ledger,
      configuration,
      provider,
      facts: terms(configuration).facts,
      cacheTtl: settings()["cache.ttl"],
      asked,
    });
  }

  async function writeRequest(): Promise<void> {
    const { view, configuration } = state;
    const last = view.items.at(-1);
    // Asked again without anything new: the same request.
    const isWritten = last?.kind === "seal" && view.awaited?.request === last.from && configuration.entry < last.from;
    if (isWritten) return;
    if (!view.items.some(({ kind }) => kind === "message")) throw new NothingToSendError(session);
    if (isNewTurn(view)) await refreshSettings();
    const asked = nextAsked();
    await passStages(asked);
    const { tokens, windowTokens, blockingTokens, level } = sizeWith(asked);
    if (level === "blocked") throw new WindowFullError({ sizeTokens: tokens, blockingTokens, windowTokens });
    const wantedTokens = Math.min(maxOutputTokens, terms(configuration).maxOutputTokens);
    const maxTokens = clampMaxTokens({ windowTokens, sizeTokens: tokens, wantedTokens });
    await state.append([toDraft("request", { maxTokens, estimatedTokens: tokens, ...(await describe(asked)) })]);
  }

  async function passStages(asked: AskedOfProvider): Promise<void> {
    for (const stage of STAGES) {
      const { view, ledger, configuration } = state;
      const { budget, rules, facts } = terms(configuration);
      results.update(view);
      const drafts = await stage({
        ...{ session, view, ledger, results, settings: settings(), files, budget },
        ...{ thinking: rules.thinking, prices: facts.prices, asked, nowMs: clock.now() },
      });
      if (drafts.length > 0) await state.append(drafts);
    }
  }

  /** The rendering so far, unless what it was made from or the rules for it have changed. */
  function currentRendering(): Rendering<Message> {
    const { rules } = terms(state.configuration);
    if (rendering?.view !== state.view || rendering.kept.rules.thinking !== rules.thinking) {
      rendering = { kept: createRendering(provider, rules), view: state.view };
      state.view.unchangedItems = 0;
    }
    return rendering.kept;
  }

  async function prepare(): Promise<Request> {
    await writeRequest();
    const { model, system, tools, parameters } = state.configuration;
    const { messages, marks } = currentRendering().update(state.view);
    if (messages.length === 0) throw new NothingToSendError(session);
    const { kind: _, from, to: __, ...sealed } = newestSeal(state.view)!;
    const request = provider.renderRequest({
      ...{ model, system, tools, parameters, messages, marks, cacheTtl: settings()["cache.ttl"], session },
      ...sealed,
    });
    entryOf.set(request as object, from);
    newestHandedOut = from;
    return request;
  }

  /** The request that a response answers. Not the newest in the view: that one may have been folded away since. */
  function answeredBy(request: Request | undefined): number | undefined {
    if (request === undefined) return newestHandedOut;
    const entry = entryOf.get(request as object);
    if (entry === undefined) throw new UnknownRequestError(session);
    return entry;
  }

  async function record(response: Response, answered?: Request): Promise<RecordedResponse> {
    const { blocks, usage, ...rest } = provider.readResponse(response);
    const { responseId, model, stop, cacheDiagnosis, appliedEdits } = rest;
    const request = answeredBy(answered);
    const answers = request === undefined ? {} : { answers: request };
    const message = {
      ...({ role: "assistant", origin: "model", blocks, responseId, model, provider: provider.name } as const),
      ...answers,
      ...(stop === "paused" ? { stop } : {}),
    };
    const used = {
      ...wholeTokens(usage),
      ...answers,
      ...(cacheDiagnosis && { cacheDiagnosis }),
      ...(appliedEdits && { appliedEdits }),
    };
    // Recorded once more, after a crash for example: it is in the log already.
    if (!isRecorded(responseId, request)) {
      await state.append([
        ...(blocks.length === 0 ? [] : [toDraft("message", message)]),
        toDraft("usage", { responseId, model, ...used }),
      ]);
    }
    const text = blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("");
    const calls = blocks.filter((block): block is ToolCall => block.kind === "tool_call");
    const overflow = readSilentOverflow({ usage, stop }, size().windowTokens);
    return { ...rest, usage, text, calls, ...(overflow === undefined ? {} : { overflow }) };
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

  return {
    prepare,
    record,
    size,
    filesRead() {
      results.update(state.view);
      return filesRead(results, state.view);
    },
    async cost() {
      const { cache } = await describe(nextAsked());
      return costOf({ ...cache, ledger: state.ledger, sizeTokens: sizeTokens(state.view), nowMs: clock.now() });
    },
  };
}

/** The user has said something since the newest request. */
function isNewTurn({ items }: View): boolean {
  const seal = items.findLastIndex(({ kind }) => kind === "seal");
  return items.slice(seal + 1).some((item) => item.kind === "message" && item.origin === "human");
}

/** Some servers report fractions of tokens. */
function wholeTokens<Usage extends object>(usage: Usage): Usage {
  const whole = Object.entries(usage).map(([name, value]) => [
    name,
    typeof value === "number" ? Math.round(value) : value,
  ]);
  return Object.fromEntries(whole) as Usage;
}

/** Remembers what it found for the newest key. */
function rememberLast<Key, Value>(find: (key: Key) => Value): (key: Key) => Value {
  let last: { readonly key: Key; readonly value: Value } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, value: find(key) };
    return last.value;
  };
}
