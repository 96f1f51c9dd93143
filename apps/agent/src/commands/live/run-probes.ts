// Runs the checks of `doctor --live` against the service and the simulator.
import { randomUUID } from "node:crypto";
import type { CompatibleServer } from "@palimpsest/provider-simulator";
import type { ModelFacts } from "palimpsest";
import { priceUsd } from "palimpsest/inspect";
import type { ResponseContent } from "palimpsest/provider-parts";
import type { ProviderChoice } from "../choose-provider.ts";
import { connect } from "../connect.ts";
import { type LivePlan, planProbes, whyTooExpensive } from "./plan-probes.ts";
import type { Endpoint, Finding, Probe, RequestLimits } from "./probe.ts";
import { answerProbe } from "./probes/answer.ts";
import { cacheProbe } from "./probes/cache.ts";
import { outputLimitProbe, overLongProbe } from "./probes/limits.ts";
import { askModel, type ReportedModel } from "./probes/model.ts";
import { toolsProbe } from "./probes/tools.ts";
import { openReference } from "./reference.ts";
import { type Fields, STATUS, tapFetch } from "./wire-fields.ts";

const PROBES: readonly Probe[] = [answerProbe, toolsProbe, cacheProbe, outputLimitProbe, overLongProbe];

interface RunProbesOptions {
  readonly choice: ProviderChoice;
  readonly server: CompatibleServer;
  /** The cost above which a probe is skipped. */
  readonly maxUsd: number;
  readonly signal: AbortSignal;
  /** Called before anything is sent. */
  onPlan(plan: LivePlan): void;
  onProbe(about: string): void;
}

interface LiveCheck extends Omit<Finding, "fields"> {
  /** Differences between the service and the simulator. A difference of an earlier check is not repeated. */
  readonly differences: readonly Difference[];
}

export interface LiveReport {
  readonly provider: string;
  readonly model: string;
  /** The model or server that the simulator imitated. */
  readonly comparedWith: string;
  readonly calls: number;
  /** The cost by our price list. Undefined for an unknown model. */
  readonly priceUsd?: number;
  readonly checks: readonly LiveCheck[];
}

/** Makes a few cheap calls to a service and to the simulator, and reports problems and differences. */
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
    priceUsd: table.prices === undefined ? undefined : spentUsd,
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

/** A field that differs between the service and the simulator. A side without the field is undefined. */
interface Difference {
  readonly field: string;
  readonly actual?: string;
  readonly simulated?: string;
}

/**
 * Compares two answers to the same request, field by field, ordered by name. If their statuses differ, lists only the
 * service's fields, because all fields differ.
 */
export function compareFields(actual: Fields, simulated: Fields): readonly Difference[] {
  const isAnother = actual[STATUS] !== simulated[STATUS];
  const fields = new Set([...Object.keys(actual), ...(isAnother ? [] : Object.keys(simulated))]);
  return [...fields].toSorted().flatMap((field): readonly Difference[] => {
    const [ours, theirs] = [own(actual, field), own(simulated, field)];
    if (ours === theirs) return [];
    return [
      {
        field,
        actual: ours,
        simulated: theirs,
      },
    ];
  });
}

/** Uses `Object.hasOwn`, because a service may have a field with the name of an object's method. */
function own(fields: Fields, name: string): string | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** Returns what is known about a model before the service is asked. */
export function targetByTable(facts: ModelFacts): Pick<RequestLimits, "facts" | "windowFrom" | "thinking"> {
  return { facts, windowFrom: facts.windowTokens === undefined ? "nobody" : "table", thinking: {} };
}

/** Adds what the service reports about the model. */
export function targetByAsking(
  table: ModelFacts,
  { reported, thinkingTypes = [] }: ReportedModel,
): ReturnType<typeof targetByTable> {
  const known = targetByTable({ ...table, ...reported });
  return {
    ...known,
    ...(reported.windowTokens === undefined ? {} : { windowFrom: "service" }),
    thinking: toThinking(thinkingTypes),
  };
}

/** Sets the window that an error message reported. */
function targetByRefusal(target: RequestLimits, windowTokens: number): RequestLimits {
  return { ...target, facts: { ...target.facts, windowTokens }, windowFrom: "service" };
}

/** The thinking parameters of a model. The client warns about a budget if the model supports adaptive thinking. */
function toThinking(types: readonly string[]): RequestLimits["thinking"] {
  if (types.includes("adaptive")) return { thinking: { type: "adaptive" } };
  return types.includes("enabled") ? { thinking: { type: "enabled", budget_tokens: 1_024 } } : {};
}

interface LiveEndpoint extends Endpoint {
  /** The responses since the last call. */
  takeReplies(): readonly ResponseContent[];
  /** The number of calls so far. */
  calls(): number;
}

/** Opens the real service with the user's key. */
async function openEndpoint(choice: ProviderChoice): Promise<LiveEndpoint> {
  const tap = tapFetch(globalThis.fetch);
  const replies: ResponseContent[] = [];
  let calls = 0;
  return {
    provider: await connect(choice, tap),
    onResponse: (content) => void replies.push(content),
    takeReplies: () => replies.splice(0),
    calls: () => calls,
    async takeExchanges() {
      const exchanges = await tap.take();
      calls += exchanges.length;
      return exchanges;
    },
  };
}
