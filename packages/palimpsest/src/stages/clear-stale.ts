import type { ModelPrices } from "../log/prices.ts";
import { toDraft } from "../log/to-draft.ts";
import type { Settings } from "../settings/settings.ts";
import { fileOf } from "../view/file-of.ts";
import { sizeTokens, type View } from "../view/view.ts";
import type { Eligibility } from "./microcompact/eligible-results.ts";
import {
  type ClearingParameters,
  type ClearingSituation,
  planClearing,
  type TokenCosts,
  USUAL_COSTS,
} from "./microcompact/plan-clearing.ts";
import { NOTHING_TO_DO, type StageContext, type StageDecision } from "./stage.ts";

/** Micro-compaction: stale tool results are shown as stubs, when that is worth what it does to the prompt cache. */
export async function clearStale(context: StageContext): Promise<StageDecision> {
  const { settings } = context;
  if (settings["clearing.enabled"] === "off") return NOTHING_TO_DO;
  const clearing = planClearing(situationOf(context), parametersOf(settings));
  if (clearing === undefined) return NOTHING_TO_DO;
  const { way, decisions, cost } = clearing;
  const { shedTokens, invalidatedPrefixTokens } = cost;
  return {
    drafts: decisions.map((decision) => toDraft("replace", decision)),
    happenings: [
      {
        ...{ kind: "results-cleared", way, trigger: "auto", count: decisions.length },
        ...{ shedTokens, invalidatedPrefixTokens },
      },
    ],
  };
}

function situationOf({
  view,
  ledger,
  results,
  settings,
  budget,
  thinking,
  prices,
  nowMs,
}: StageContext): ClearingSituation {
  const previous = ledger.sources["main"]?.previous;
  const isCold = previous !== undefined && nowMs >= previous.atMs + previous.lifetimeMs;
  return {
    index: results,
    eligibility: eligibilityOf(view, settings),
    cache: isCold ? "cold" : "warm",
    turn: isTurnOpen(view) ? "open" : "closed",
    thinking,
    ways: { byTime: settings["clearing.byTime"], bySize: settings["clearing.bySize"] },
    sizeTokens: sizeTokens(view),
    warningTokens: budget.warningTokens,
    costs: costsOf(prices, previous?.lifetimeMs),
  };
}

function parametersOf(settings: Settings): ClearingParameters {
  return settings["clearing.policy"] === "fixed"
    ? {
        policy: "fixed",
        keepNewestCold: settings["clearing.fixedKeepNewest"],
        keepNewestLarge: settings["clearing.keepNewest"],
        targetTokens: settings["clearing.fixedTargetTokens"],
        leastTokens: settings["clearing.fixedLeastTokens"],
      }
    : {
        policy: "payback",
        keepNewest: settings["clearing.keepNewest"],
        paybackRequests: settings["clearing.paybackRequests"],
        leastTokens: settings["clearing.leastTokens"],
      };
}

function eligibilityOf({ configuration }: View, settings: Settings): Eligibility {
  const listed = new Set(settings["clearing.tools"].map((name) => name.toLowerCase()));
  const declared = new Map((configuration?.tools ?? []).map(({ name, results }) => [name, results]));
  return {
    isClearable: (tool) =>
      (declared.get(tool) ?? (listed.has(tool.toLowerCase()) ? "clearable" : "kept")) === "clearable",
    fileOf,
    workingSetCalls: settings["clearing.workingSetCalls"],
  };
}

/** The model is at work until it has answered: what came in last is a result, not words of the user. */
function isTurnOpen({ items }: View): boolean {
  const last = items.findLast((item) => item.kind === "message" && item.attachment === undefined);
  return last?.kind === "message" && last.origin === "tool";
}

const HOUR_MS = 3_600_000;

function costsOf(prices: ModelPrices | undefined, lifetimeMs = 0): TokenCosts {
  if (prices === undefined) return USUAL_COSTS;
  const write = lifetimeMs >= HOUR_MS ? prices.cacheWrite1h : prices.cacheWrite5m;
  return { read: prices.cacheRead, write, usdPerUnit: 1e-6 };
}
