import { cachedPrompt } from "../cache/cached-prompt.ts";
import { planEdits } from "../clear/edits.ts";
import { eligibilityOf } from "../clear/results.ts";
import type { Ledger } from "../cost/ledger.ts";
import type { DeletedResult, ProviderEdits, RequestedEdits } from "../log/provider-edits.ts";
import type { Provider } from "../providers/provider.ts";
import type { Settings } from "../settings/settings.ts";
import { planDeletions } from "../stages/microcompact/cache-edits.ts";
import type { RequestLimits } from "../state/limits.ts";
import type { ResultIndex } from "../view/results.ts";
import type { View } from "../view/view.ts";

export interface RequestedEditsParts extends Pick<RequestLimits, "budget" | "rules"> {
  readonly view: View;
  readonly ledger: Ledger;
  readonly results: ResultIndex;
  readonly settings: Settings;
  readonly provider: Pick<Provider, "takesEdits" | "cacheEdits">;
  /** `new`: the user has said something since the newest request. */
  readonly turn: "new" | "open";
  readonly nowMs: number;
}

/** What the next request asks of the provider beside an answer: edits, or deletions from its cache, never both. */
export function chooseRequestedEdits(parts: RequestedEditsParts): RequestedEdits {
  const edits = editsOf(parts);
  return toRequestedEdits(edits, edits === undefined ? deletionsOf(parts) : []);
}

export function toRequestedEdits(edits: ProviderEdits | undefined, deleted: readonly DeletedResult[]): RequestedEdits {
  return { ...(edits === undefined ? {} : { edits }), ...(deleted.length === 0 ? {} : { deleted }) };
}

function editsOf({ view, ledger, settings, budget, rules, provider, turn, nowMs }: RequestedEditsParts) {
  return planEdits({
    view,
    settings,
    budget,
    turn,
    thinking: rules.thinking,
    takesEdits: provider.takesEdits?.(view.configuration?.parameters ?? {}) ?? "no",
    idleMs: nowMs - (ledger.sources["main"]?.previous?.atMs ?? nowMs),
  });
}

function deletionsOf({
  view,
  ledger,
  results,
  settings,
  provider,
  nowMs,
}: RequestedEditsParts): readonly DeletedResult[] {
  const isOn = settings["clearing.enabled"] === "on" && settings["clearing.byCacheEdit"] === "on";
  if (!isOn || provider.cacheEdits === undefined) return [];
  const previous = ledger.sources["main"]?.previous;
  return planDeletions(
    {
      index: results,
      eligibility: eligibilityOf(view.configuration, settings),
      deleted: view.deleted,
      cache: cachedPrompt(previous, nowMs),
      cachedTo: previous?.request ?? 0,
    },
    { leastResults: settings["clearing.cacheEditResults"], keepNewest: settings["clearing.cacheEditKeepNewest"] },
  );
}
