import type { ModelFacts } from "palimpsest";
import type { Endpoint, Finding, RequestLimits } from "../probe.ts";
import { type Exchange, wireFields } from "../wire-fields.ts";

/** The service's own facts about a model. */
export interface ReportedModel {
  readonly finding: Finding;
  readonly reported: Partial<ModelFacts>;
  /** The supported kinds of thinking. @default not reported */
  readonly thinkingTypes?: readonly string[];
}

/** Reads the service's models endpoint, and compares it with our table. Not billed. */
export async function askModel(
  { provider, takeExchanges }: Endpoint,
  { api, model }: Pick<RequestLimits, "api" | "model">,
): Promise<ReportedModel> {
  const check = "model";
  const table = provider.factsOf(model);
  const merged = await provider.fetchFacts(model);
  const exchanges = await takeExchanges();
  const [exchange] = exchanges;
  // Compatible servers list models in different forms, so there is nothing to compare.
  const fields = api === "openai-chat" && exchange?.status !== 200 ? {} : wireFields(exchanges);
  const found = (state: Finding["state"], text: string): ReportedModel => ({
    finding: { check, state, text, fields, ...(state === "problem" ? { furtherCalls: "pointless" } : {}) },
    reported: {},
  });
  if (exchange === undefined) return found("skipped", "the models endpoint does not report limits");
  if (exchange.status === 0)
    return found("problem", `no answer: ${"text" in exchange.answer ? exchange.answer.text : ""}`);
  if (exchange.status === 401 || exchange.status === 403) {
    return found(
      "problem",
      `the provider rejected the key (HTTP ${exchange.status}). Check the key, or set another one.`,
    );
  }
  if (exchange.status !== 200) {
    return found("note", `the models endpoint does not know ${model} (HTTP ${exchange.status}), so our table is used`);
  }
  const reported = reportedLimits(exchange, merged);
  const thinkingTypes = typesOf(exchange);
  return {
    finding: { check, fields, ...judge(table, reported) },
    reported,
    thinkingTypes,
  };
}

/**
 * Judges the reported limits. A smaller window than in our table makes requests fail; a larger window only wastes room.
 */
function judge(table: ModelFacts, reported: Partial<ModelFacts>): Pick<Finding, "state" | "text"> {
  const limits = [
    { name: "window", ours: table.windowTokens, theirs: reported.windowTokens },
    { name: "output", ours: table.maxOutputTokens, theirs: reported.maxOutputTokens },
  ].filter(({ theirs }) => theirs !== undefined);
  if (limits.length === 0) return { state: "ok", text: "the model exists; the endpoint does not report its limits" };
  const text = limits
    .map(({ name, ours, theirs }) => `${name} ${theirs}${ours === theirs ? "" : ` (our table: ${ours ?? "unknown"})`}`)
    .join(", ");
  if (limits.some(({ ours, theirs }) => ours !== undefined && ours > theirs!)) return { state: "problem", text };
  return { state: limits.every(({ ours, theirs }) => ours === theirs) ? "ok" : "note", text };
}

/** The facts that the service reported, without facts from our table. */
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
