// Rebuilds a request from the log, as it was sent.

import { foldLedger, lineOf } from "../cost/fold.ts";
import type { Ledger, LedgerLine } from "../cost/ledger.ts";
import type { Block } from "../log/block.ts";
import { namedKind, readPayload } from "../log/entry.ts";
import type { RequestPayload } from "../log/payload.ts";
import type { Provider } from "../providers/provider.ts";
import { requestParts } from "../session/prepare.ts";
import { loadView } from "../state/load.ts";
import { createRendering } from "../state/rendering.ts";
import type { LogReader } from "../stores/store.ts";
import { type MessageItem, newestSeal, type View } from "../view/view.ts";
import type { InspectedLog } from "./inspected.ts";
import { type PricedSegment, priceSegments } from "./price-segments.ts";
import { toSegments } from "./segments.ts";

/** A request as it was sent, rebuilt from the log. */
export interface RequestAt {
  readonly kind: "request";
  readonly entry: number;
  readonly atMs: number;
  readonly provider: string;
  readonly model: string;
  readonly source: string;
  readonly request: unknown;
  /** The request as JSON, as a client sends it. */
  readonly body: string;
  /** The segments of the body, from its first character to its last. */
  readonly segments: readonly PricedSegment[];
  readonly facts: RequestPayload;
  /** The cost of the response, and the cause of a cache break; absent if the log has no response near the request. */
  readonly line?: LedgerLine;
  /** Entries that were erased after the request: the body has stubs in their place. If empty, the body is what was sent. */
  readonly erasedSince: readonly number[];
}

/** The reason why no request can be rebuilt at an entry. */
export type NoRequestAt =
  /** The entry does not exist, or has another kind. */
  | { readonly kind: "no-request"; readonly entry: number; readonly entryKind?: string }
  /** The log has no configuration that can be read. */
  | { readonly kind: "no-configuration"; readonly entry: number }
  /** The provider that the log names is not available. */
  | { readonly kind: "no-provider"; readonly entry: number; readonly provider: string };

/** One provider, or a function that returns the provider with a name; undefined if the provider is unknown. */
export type ProviderFor = Provider | ((name: string) => Promise<Provider | undefined>);

/**
 * Rebuilds the request of a `request` entry, byte for byte: rendering is pure, and all of its inputs are in the log, except for the
 * options of the provider. Create the provider with the same options as in the session.
 */
export async function requestAt(
  { log, root }: Pick<InspectedLog, "log" | "root">,
  entry: number,
  providerFor: ProviderFor,
): Promise<RequestAt | NoRequestAt> {
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
    line,
    erasedSince: await erasedSince(log, view, entry),
  };
}

/** Finds the ledger line of the response to a request. */
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

/** The number of entries after a request that are searched for its response. */
const NEAR_ENTRIES = 256;
/** The size of the first batch. Most responses follow within a few entries, and later entries may be large to parse. */
const FIRST_ENTRIES = 4;

/** Whether a usage entry belongs to a side request. A ping names the request that it keeps in the cache, but does not answer it. */
function isSide(source = "main", { sources }: Ledger, request: number): boolean {
  return !(sources[source]?.open ?? []).some((open) => open.request === request);
}

async function erasedSince(log: LogReader, { items }: View, entry: number): Promise<readonly number[]> {
  const shown = items.flatMap((item) => (item.kind === "message" ? [item.by ?? item.from] : []));
  const { newest } = await log.readBatch({ newest: shown.map((one) => namedKind("erased", one)) });
  return shown.filter((one) => (newest.get(namedKind("erased", one))?.sequence ?? 0) > entry);
}
