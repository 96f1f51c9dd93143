import { foldLedger } from "../cost/fold.ts";
import type { Ledger, LedgerLine } from "../cost/ledger.ts";
import { lineOf } from "../cost/line.ts";
import type { Block } from "../log/block.ts";
import { namedKind, readPayload } from "../log/draft.ts";
import type { BoundaryPayload, RequestPayload } from "../log/payload.ts";

import type { Provider } from "../providers/provider.ts";
import { requestParts } from "../session/prepare.ts";
import { loadView } from "../state/load.ts";
import { createRendering } from "../state/rendering.ts";
import { readEntries } from "../stores/read.ts";
import type { LogReader } from "../stores/store.ts";
import { type Accounting, account } from "../view/account.ts";
import { type MessageItem, newestSeal, type View } from "../view/view.ts";
import { type InspectedLog, type Survivor, type SurvivorSources, survivorsOf } from "./inspected.ts";
import { type PricedSegment, priceSegments, toSegments } from "./segments.ts";

/** A request as it was sent, made again from the log. */
export interface RequestAt<Request = unknown> {
  readonly kind: "request";
  readonly entry: number;
  readonly atMs: number;
  readonly provider: string;
  readonly model: string;
  readonly source: string;
  readonly request: Request;
  /** The request as JSON: what a client sends. */
  readonly body: string;
  /** What the body consists of, from its first character to its last. */
  readonly segments: readonly PricedSegment[];
  readonly facts: RequestPayload;
  /** What its response cost, and why its cache was lost if it was; absent if there is no response near by. */
  readonly line?: LedgerLine;
  /** Entries that were erased since it was sent: the body has a stub in their place. Empty: the body is what was sent. */
  readonly erasedSince: readonly number[];
}

/** Why there is no request at an entry. */
export type NoRequestAt =
  /** The entry is none, or of another kind. */
  | { readonly kind: "no-request"; readonly entry: number; readonly entryKind?: string }
  /** The log has no configuration that can be read. */
  | { readonly kind: "no-configuration"; readonly entry: number }
  /** There is no provider of the name that the log has. */
  | { readonly kind: "no-provider"; readonly entry: number; readonly provider: string };

/** One provider, or the one of a name; undefined if there is none of that name. */
export type ProviderFor<Request, Response, Message> =
  | Provider<Request, Response, Message>
  | ((name: string) => Promise<Provider<Request, Response, Message> | undefined>);

/** So many entries behind a request, its response is looked for. */
const NEAR_ENTRIES = 256;
/** Most responses follow within a few entries. The entries behind them may be large, and each of them is parsed. */
const FIRST_ENTRIES = 4;

/**
 * Makes the request of a `request` entry again, byte for byte: rendering is pure, and everything it depends on is in the log.
 * The provider must be made with the same options as the one that was used: they are not in the log.
 */
export async function requestAt<Request, Response, Message>(
  { log, root }: Pick<InspectedLog, "log" | "root">,
  entry: number,
  providerFor: ProviderFor<Request, Response, Message>,
): Promise<RequestAt<Request> | NoRequestAt> {
  const [found] = await log.read(entry, entry);
  const read = found && readPayload(found);
  if (read?.kind !== "request") return { kind: "no-request", entry, ...(found && { entryKind: found.kind }) };
  const { view, ledger } = await loadView(log, entry);
  const { configuration } = view;
  const seal = newestSeal(view);
  if (configuration === undefined || seal?.from !== entry) return { kind: "no-configuration", entry };
  const provider = typeof providerFor === "function" ? await providerFor(configuration.provider) : providerFor;
  if (provider?.name !== configuration.provider)
    return { kind: "no-provider", entry, provider: configuration.provider };
  const origins = new Map<Block, { readonly item: MessageItem; readonly block: Block }>();
  const { thinking } = provider.factsOf(configuration.model);
  const toolSearch = provider.toolSearch?.(configuration.model) ?? "own";
  const rendering = createRendering(provider, { provider: provider.name, thinking, toolSearch }, (sent, item, block) =>
    origins.set(sent, { item, block }),
  );
  const parts = requestParts({ configuration, seal, ...rendering.update(view), toolSearch, session: root });
  const request = provider.renderRequest(parts);
  const { body, segments } = toSegments(request, { provider, parts, view, rendering, origins });
  const line = await findLine(log, entry, ledger);
  return {
    kind: "request",
    entry,
    atMs: found!.atMs,
    provider: configuration.provider,
    model: configuration.model,
    source: read.payload.source ?? "main",
    request,
    body,
    segments: priceSegments(segments, { line, prices: read.payload.cache?.prices }),
    facts: read.payload,
    ...(line === undefined ? {} : { line }),
    erasedSince: await erasedSince(log, view, entry),
  };
}

/** The response to a request, as the ledger has it. */
async function findLine(log: LogReader, request: number, at: Ledger): Promise<LedgerLine | undefined> {
  let ledger = at;
  let from = request + 1;
  for (let count = FIRST_ENTRIES; from <= request + NEAR_ENTRIES; count *= 4) {
    const entries = await log.read(from, Math.min(from + count - 1, request + NEAR_ENTRIES));
    for (const entry of entries) {
      const read = readPayload(entry);
      if (read.kind === "usage" && read.payload.answers === request && !isSide(read.payload.source, at, request))
        return lineOf(ledger, entry.sequence, read.payload, entry.atMs);
      ledger = foldLedger(ledger, read, entry.atMs);
    }
    if (entries.length < count) return undefined;
    from += count;
  }
  return undefined;
}

/** A ping names the request that it keeps in the cache: it is no response to it. */
function isSide(source = "main", { sources }: Ledger, request: number): boolean {
  return !(sources[source]?.open ?? []).some((open) => open.request === request);
}

async function erasedSince(log: LogReader, { items }: View, entry: number): Promise<readonly number[]> {
  const shown = items.flatMap((item) => (item.kind === "message" ? [item.by ?? item.from] : []));
  const { newest } = await log.readBatch({ newest: shown.map((one) => namedKind("erased", one)) });
  return shown.filter((one) => (newest.get(namedKind("erased", one))?.sequence ?? 0) > entry);
}

/** A compaction boundary: what the model saw before it and after it, and what became of what it replaced. */
export interface BoundaryAt extends Pick<BoundaryPayload, "from" | "to" | "reason" | "cost" | "compaction"> {
  readonly entry: number;
  readonly atMs: number;
  /** What stands in the place of the entries. */
  readonly summary: string;
  readonly before: Accounting;
  readonly after: Accounting;
  /** Each item that it replaced, oldest first. */
  readonly survivors: readonly Survivor[];
}

/** Explains the boundary at an entry; undefined if the entry is none. */
export async function boundaryAt(sources: SurvivorSources, entry: number): Promise<BoundaryAt | undefined> {
  const { log } = sources;
  const [found] = await log.read(entry, entry);
  const read = found && readPayload(found);
  if (read?.kind !== "boundary") return undefined;
  const { from, to, reason, cost, compaction, with: replacements } = read.payload;
  const { view: before } = await loadView(log, entry - 1);
  const { view: after } = await loadView(log, await lastOf(log, entry));
  return {
    entry,
    atMs: found!.atMs,
    from,
    to,
    reason,
    ...(cost === undefined ? {} : { cost }),
    ...(compaction === undefined ? {} : { compaction }),
    summary: replacements
      .filter(({ attachment }) => attachment === undefined)
      .flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])))
      .join("\n"),
    before: account(before),
    after: account(after),
    survivors: await survivorsOf(sources, { before: coveredBy(before, read.payload), after }),
  };
}

/** What the view showed of a range. */
function coveredBy(view: View, { from, to }: { readonly from: number; readonly to: number }): View {
  return { ...view, items: view.items.filter((item) => item.from <= to && item.to >= from) };
}

/** The newest entry that was written together with a boundary. */
async function lastOf(log: LogReader, boundary: number): Promise<number> {
  const { sequence: newest } = await log.head();
  let last = boundary;
  for await (const entry of readEntries(log, boundary + 1, newest)) {
    const read = readPayload(entry);
    if (read.kind !== "attachment" || read.payload.of !== boundary) break;
    last = entry.sequence;
  }
  return last;
}
