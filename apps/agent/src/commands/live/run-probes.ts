import { randomUUID } from "node:crypto";
import type { CompatibleServer } from "@palimpsest/provider-simulator";
import { priceUsd } from "palimpsest/core";
import { compareFields, type Difference } from "../../live/compare-fields.ts";
import { targetByAsking, targetByRefusal, targetByTable } from "../../live/find-limits.ts";
import { openEndpoint } from "../../live/open-endpoint.ts";
import type { ProviderChoice } from "../choose-provider.ts";
import { type LivePlan, planProbes, whyTooExpensive } from "./plan-probes.ts";
import type { Finding, Probe, RequestLimits } from "./probe.ts";
import { answerProbe } from "./probes/answer.ts";
import { cacheProbe } from "./probes/cache.ts";
import { outputLimitProbe, overLongProbe } from "./probes/limits.ts";
import { askModel } from "./probes/model.ts";
import { toolsProbe } from "./probes/tools.ts";
import { openReference } from "./reference.ts";

const PROBES: readonly Probe[] = [answerProbe, toolsProbe, cacheProbe, outputLimitProbe, overLongProbe];

export interface RunProbesOptions {
  readonly choice: ProviderChoice;
  readonly server: CompatibleServer;
  /** A probe that might cost more is skipped. */
  readonly maxUsd: number;
  readonly signal: AbortSignal;
  /** Called before anything is sent. */
  onPlan(plan: LivePlan): void;
  onProbe(about: string): void;
}

export interface LiveCheck extends Omit<Finding, "fields"> {
  /** Differences between service and simulator. A difference of an earlier check is not repeated. */
  readonly differences: readonly Difference[];
}

export interface LiveReport {
  readonly provider: string;
  readonly model: string;
  /** The model or server that the simulator imitated. */
  readonly comparedWith: string;
  readonly calls: number;
  /** The cost by our price list; undefined for an unknown model. */
  readonly priceUsd?: number;
  readonly checks: readonly LiveCheck[];
}

/** Makes a few cheap calls to a service and the same calls to the simulator. Reports problems and differences. */
export async function runProbes(options: RunProbesOptions): Promise<LiveReport> {
  const { choice, server, maxUsd, signal } = options;
  const { provider: api, model } = choice;
  const service = await openEndpoint(choice);
  const table = service.provider.factsOf(model);
  let target: RequestLimits = { api, model, mark: randomUUID(), signal, ...targetByTable(table) };
  options.onPlan(planProbes(PROBES, target, maxUsd));

  const asked = await askModel(service, target);
  target = { ...target, ...targetByAsking(table, asked) };
  let reference = await openReference({ choice, target, server });
  const compare = createComparison();
  const checks: LiveCheck[] = [compare(asked.finding, (await askModel(reference, target)).finding)];
  let spentUsd = 0;
  for (const probe of PROBES) {
    if (signal.aborted || checks.some(({ furtherCalls }) => furtherCalls === "pointless")) break;
    const tooExpensive = whyTooExpensive(probe, target, maxUsd);
    if (tooExpensive !== undefined) {
      checks.push({ check: probe.check, state: "skipped", text: tooExpensive, differences: [] });
      continue;
    }
    options.onProbe(probe.about);
    const findings = await probe.run(service, target);
    await service.takeExchanges();
    const replies = service.takeReplies();
    spentUsd += replies.reduce((sum, { usage }) => sum + (table.prices ? priceUsd(usage, table.prices) : 0), 0);
    reference.say(replies);
    const others = new Map((await probe.run(reference, target)).map((finding) => [finding.check, finding]));
    await reference.takeExchanges();
    checks.push(...findings.map((finding) => compare(finding, others.get(finding.check))));
    const windowTokens = findings.find((finding) => finding.windowTokens !== undefined)?.windowTokens;
    if (windowTokens === undefined || windowTokens === target.facts.windowTokens) continue;
    target = targetByRefusal(target, windowTokens);
    reference = await openReference({ choice, target, server });
  }
  return {
    provider: api,
    model,
    comparedWith: reference.played,
    calls: service.calls(),
    checks,
    ...(table.prices === undefined ? {} : { priceUsd: spentUsd }),
  };
}

/** Compares the findings in order, and reports each differing field only once. */
function createComparison(): (finding: Finding, simulated: Finding | undefined) => LiveCheck {
  const named = new Set<string>();
  return ({ fields, ...rest }, simulated) => {
    const isComparable = simulated !== undefined && Object.keys(fields).length > 0;
    const differences = isComparable ? compareFields(fields, simulated.fields) : [];
    const fresh = differences.filter((difference) => !named.has(JSON.stringify(difference)));
    for (const difference of fresh) named.add(JSON.stringify(difference));
    return { ...rest, differences: fresh };
  };
}
