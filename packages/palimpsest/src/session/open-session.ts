import { randomUUID } from "node:crypto";
import type { ToolCall } from "../log/block.ts";
import type { Draft } from "../log/entry.ts";
import { readPayload } from "../log/read-payload.ts";
import { toDraft } from "../log/to-draft.ts";
import type { ModelFacts } from "../providers/models.ts";
import { readSilentOverflow } from "../providers/overflow.ts";
import { exportLog } from "../stores/export-log.ts";
import type { LogWriter, Store, Takeover } from "../stores/store.ts";
import { clampMaxTokens, levelOf, percentLeft } from "../tokens/budget.ts";
import { account } from "../view/account.ts";
import { foldEntry } from "../view/fold-entry.ts";
import { type Configuration, newestSeal, sizeTokens } from "../view/view.ts";
import { changeConfiguration, type WantedConfiguration } from "./change-configuration.ts";
import { loadView } from "./load-view.ts";
import { planBoundary } from "./plan-boundary.ts";
import { createRendering, type Rendering } from "./rendering.ts";
import type { Range, Session, SessionOptions, SessionSize } from "./session.ts";
import { NoSuchEntryError, NothingToSendError, SessionBusyError, WindowFullError } from "./session-errors.ts";
import { openSessionLog } from "./session-log.ts";
import { termsOf } from "./terms.ts";
import { toDrafts } from "./to-drafts.ts";

/** Opens a session, or begins one. */
export async function openSession<Request, Response, Message>(
  options: SessionOptions<Request, Response, Message>,
): Promise<Session<Request, Response>> {
  const { store, provider, id = randomUUID(), clock = { now: Date.now } } = options;
  const { maxOutputTokens = 20_000, cacheTtl = "5m", environment = process.env } = options;
  const writer = await openWriter(store, id, options);
  const log = await openSessionLog({ session: id, writer, clock });
  let view = await loadView(log.reader, log.head.sequence, options);
  let rendering: Rendering<Message> | undefined;
  /** The entries at which the requests that were handed out were made. */
  const sealOf = new WeakMap<object, number>();
  const askedFacts = new Map<string, ModelFacts>();
  let certain = true;
  let tail: Promise<unknown> = Promise.resolve();

  /** One operation at a time, in the order of the calls. */
  function inOrder<Result>(act: () => Promise<Result>): Promise<Result> {
    const result = tail.then(async () => {
      if (!certain) await reload();
      return act();
    });
    tail = result.catch(() => undefined);
    return result;
  }

  async function append(drafts: readonly Draft[]): Promise<readonly number[]> {
    // Whether a failed append left something behind is only known from the log.
    certain = false;
    const entries = await log.append(drafts);
    certain = true;
    for (const entry of entries) foldEntry(view, readPayload(entry));
    return entries.map(({ sequence }) => sequence);
  }

  /** Going back is reading again. */
  async function reload(): Promise<void> {
    await log.refresh();
    view = await loadView(log.reader, log.head.sequence, options);
    rendering = undefined;
    certain = true;
  }

  async function configure(wanted: WantedConfiguration): Promise<void> {
    const model = wanted.model ?? view.configuration?.model ?? options.model;
    if (options.modelFacts === "asked" && !askedFacts.has(model)) {
      askedFacts.set(model, await provider.fetchFacts(model));
    }
    const payload = changeConfiguration(view.configuration, { ...wanted, model, provider: provider.name });
    if (payload !== undefined) await append([toDraft("configuration", payload)]);
  }

  /** What follows from the configuration, worked out once for each. */
  const terms = rememberLast((now: Configuration) =>
    termsOf(now, askedFacts.get(now.model) ?? provider.factsOf(now.model), environment),
  );

  function size(): SessionSize {
    const tokens = sizeTokens(view);
    const { budget } = terms(configuration());
    return { ...budget, tokens, percentLeft: percentLeft(budget, tokens), level: levelOf(budget, tokens) };
  }

  async function writeRequest(): Promise<void> {
    // Asked again without anything new: the same request.
    const last = view.items.at(-1);
    if (last?.kind === "seal" && view.awaited?.request === last.from) return;
    if (!view.items.some(({ kind }) => kind === "message")) throw new NothingToSendError(id);
    const { tokens, windowTokens, blockingTokens, level } = size();
    if (level === "blocked") throw new WindowFullError({ sizeTokens: tokens, blockingTokens, windowTokens });
    const wantedTokens = Math.min(maxOutputTokens, terms(configuration()).maxOutputTokens);
    const maxTokens = clampMaxTokens({ windowTokens, sizeTokens: tokens, wantedTokens });
    await append([toDraft("request", { maxTokens, estimatedTokens: tokens })]);
  }

  async function prepare(): Promise<Request> {
    await writeRequest();
    const { model, system, tools, settings } = configuration();
    const { rules } = terms(configuration());
    if (rendering?.rules.thinking !== rules.thinking) {
      rendering = createRendering(provider, rules);
      view.unchangedItems = 0;
    }
    const { messages, marks } = rendering.update(view);
    if (messages.length === 0) throw new NothingToSendError(id);
    const { maxTokens, from } = newestSeal(view)!;
    const parts = { model, system, tools, settings, messages, marks, cacheTtl, maxTokens, session: id };
    const request = provider.renderRequest(parts);
    sealOf.set(request as object, from);
    return request;
  }

  /** A decision about a range, which must be shown for it to have an effect. */
  function checkShown({ from, to }: Range): void {
    const shown = view.items.some((item) => item.kind === "message" && item.from <= to && item.to >= from);
    if (from > to || to > log.head.sequence || !shown)
      throw new NoSuchEntryError(from, `to ${to}: nothing of this range is shown to the model`);
  }

  function configuration(): Configuration {
    if (view.configuration === undefined) throw new Error("unreachable: a session is configured when it is opened");
    return view.configuration;
  }

  await inOrder(() => configure(options));
  return {
    id,
    get newestEntry() {
      return log.head.sequence;
    },
    append: (...content) => inOrder(() => append(content.flatMap(toDrafts))),
    prepare: () => inOrder(prepare),
    record: (response, answered) =>
      inOrder(async () => {
        const { blocks, ...rest } = provider.readResponse(response);
        const { responseId, model, usage, stop } = rest;
        const request = (answered && sealOf.get(answered as object)) ?? newestSeal(view)?.from;
        const answers = request === undefined ? {} : { answers: request };
        const paused = stop === "paused" ? { stop } : {};
        const message = {
          role: "assistant",
          blocks,
          origin: "model",
          responseId,
          model,
          ...answers,
          ...paused,
        } as const;
        await append([
          ...(blocks.length === 0 ? [] : [toDraft("message", message)]),
          toDraft("usage", { responseId, model, ...usage, ...answers }),
        ]);
        const text = blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("");
        const calls = blocks.filter((block): block is ToolCall => block.kind === "tool_call");
        const overflow = readSilentOverflow(rest, size().windowTokens);
        return { ...rest, text, calls, ...(overflow === undefined ? {} : { overflow }) };
      }),
    configure: (wanted) => inOrder(() => configure(wanted)),
    replace: (range, replacements, reason) =>
      inOrder(async () => {
        checkShown(range);
        const [decision] = await append([toDraft("replace", { ...range, with: replacements, reason })]);
        return decision!;
      }),
    fold: (range, replacements, reason) =>
      inOrder(async () => {
        checkShown(range);
        const payload = planBoundary(view, { ...range, with: replacements, reason }, log.head.sequence + 1);
        const [decision] = await append([toDraft("boundary", payload)]);
        return decision!;
      }),
    restore: (decision, reason = "restored") =>
      inOrder(async () => {
        const [entry] = await log.reader.read(decision, decision);
        const read = entry && readPayload(entry);
        if (read?.kind !== "replace" && read?.kind !== "boundary") {
          throw new NoSuchEntryError(decision, "is no decision that could be taken back");
        }
        const { from, to } = read.payload;
        await append([toDraft("restore", { of: decision, from, to, reason })]);
        await reload();
      }),
    rewind: (to, reason = "rewound") =>
      inOrder(async () => {
        if (!(Number.isInteger(to) && to >= 0 && to < log.head.sequence)) {
          throw new NoSuchEntryError(to, `cannot be gone back to: the newest entry is ${log.head.sequence}`);
        }
        const before = configuration();
        await append([toDraft("rewind", { reason, spent: view.spent }, to)]);
        await reload();
        // What was sent beside the messages is what it was then, unless there was nothing yet.
        await configure(view.configuration === undefined ? before : {});
      }),
    size,
    usage: () => view.spent,
    accounting: (how) => account(view, how),
    export: () => exportLog(log.reader),
    close: () => inOrder(() => writer.close()),
  };
}

async function openWriter(
  store: Store,
  session: string,
  { owner = `process ${process.pid}`, takeover = "if-free" }: { readonly owner?: string; readonly takeover?: Takeover },
): Promise<LogWriter> {
  const result = await store.openWriter(session, { owner, takeover });
  if (result.kind === "busy") throw new SessionBusyError({ session, ...result });
  return result.writer;
}

/** Remembers what it found for the newest key. */
function rememberLast<Key, Value>(find: (key: Key) => Value): (key: Key) => Value {
  let last: { readonly key: Key; readonly value: Value } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, value: find(key) };
    return last.value;
  };
}
