import type { ModelFacts } from "palimpsest";
import type { Endpoint, Finding, RequestLimits } from "../probe.ts";
import { wireFields } from "../wire-fields.ts";
import type { Exchange } from "../wire-tap.ts";

/** What the service itself says of a model. */
export interface ReportedModel {
  readonly finding: Finding;
  readonly told: Partial<ModelFacts>;
  /** Ways to think that it says it has. @default it says nothing of them */
  readonly thinkingTypes?: readonly string[];
}

/** Asks the service's models endpoint, and holds what it says against our table. Nothing is billed. */
export async function askModel(
  { provider, takeExchanges }: Endpoint,
  { api, model }: Pick<RequestLimits, "api" | "model">,
): Promise<ReportedModel> {
  const check = "model";
  const table = provider.factsOf(model);
  const merged = await provider.fetchFacts(model);
  const exchanges = await takeExchanges();
  const [exchange] = exchanges;
  // The lists of servers that only speak another's API have each their own form: there is nothing to compare them with.
  const fields = api === "openai-chat" && exchange?.status !== 200 ? {} : wireFields(exchanges);
  const found = (state: Finding["state"], text: string): ReportedModel => ({
    finding: { check, state, text, fields, ...(state === "problem" ? { furtherCalls: "pointless" } : {}) },
    told: {},
  });
  if (exchange === undefined) return found("skipped", "its models endpoint says nothing of limits");
  if (exchange.status === 0)
    return found("problem", `no answer: ${"text" in exchange.answer ? exchange.answer.text : ""}`);
  if (exchange.status === 401 || exchange.status === 403) {
    return found("problem", `the key was refused (HTTP ${exchange.status})`);
  }
  if (exchange.status !== 200) {
    return found("note", `its models endpoint does not know ${model} (HTTP ${exchange.status}): the table has to do`);
  }
  const told = reportedLimits(exchange, merged);
  const thinkingTypes = typesOf(exchange);
  return {
    finding: { check, fields, ...judge(table, told) },
    told,
    ...(thinkingTypes === undefined ? {} : { thinkingTypes }),
  };
}

/** A window that is smaller than we believe makes requests fail; one that is larger only wastes room. */
function judge(table: ModelFacts, told: Partial<ModelFacts>): Pick<Finding, "state" | "text"> {
  const limits = [
    { name: "window", ours: table.windowTokens, theirs: told.windowTokens },
    { name: "output", ours: table.maxOutputTokens, theirs: told.maxOutputTokens },
  ].filter(({ theirs }) => theirs !== undefined);
  if (limits.length === 0) return { state: "ok", text: "it is there; the endpoint says nothing of its limits" };
  const text = limits
    .map(({ name, ours, theirs }) => `${name} ${theirs}${ours === theirs ? "" : ` (our table: ${ours ?? "unknown"})`}`)
    .join(", ");
  if (limits.some(({ ours, theirs }) => ours !== undefined && ours > theirs!)) return { state: "problem", text };
  return { state: limits.every(({ ours, theirs }) => ours === theirs) ? "ok" : "note", text };
}

/** Only what it said: the adapter's facts hold the table's beside it. */
function reportedLimits({ answer }: Exchange, merged: ModelFacts): Partial<ModelFacts> {
  const numbers = answer.kind === "json" ? Object.values(answer.body as object) : [];
  const { windowTokens, maxOutputTokens } = merged;
  return {
    ...(windowTokens !== undefined && numbers.includes(windowTokens) ? { windowTokens } : {}),
    ...(numbers.includes(maxOutputTokens) ? { maxOutputTokens } : {}),
  };
}

interface Described {
  readonly capabilities?: {
    readonly thinking?: { readonly types?: Readonly<Record<string, { readonly supported?: boolean }>> };
  };
}

function typesOf({ answer }: Exchange): readonly string[] | undefined {
  const types = answer.kind === "json" ? (answer.body as Described).capabilities?.thinking?.types : undefined;
  return types && Object.keys(types).filter((type) => types[type]?.supported === true);
}
