import { type ModelFacts, type Provider, ProviderError, readStream, type ToolDefinition } from "palimpsest";
import type { ResponseContent } from "palimpsest/provider-parts";
import type { ProviderWord } from "../choose-provider.ts";
import { type Exchange, type Fields, wireFields } from "./wire-fields.ts";

/** An endpoint that answers requests: the service or the simulator. */
export interface Endpoint {
  readonly provider: Provider;
  /** The exchanges since the last call. */
  takeExchanges(): Promise<readonly Exchange[]>;
  /** Receives each complete response, in order. */
  onResponse(content: ResponseContent): void;
}

/** The parameters of the probes, the same for the service and the simulator. */
export interface RequestLimits {
  readonly api: ProviderWord;
  readonly model: string;
  /** The facts about the model. Values that the service reports override those in the table. */
  readonly facts: ModelFacts;
  /** The source of the window's size. `nobody`: the size is unknown. */
  readonly windowFrom: "service" | "table" | "nobody";
  /** Request fields that turn on thinking, if the model supports it. */
  readonly thinking: Readonly<Record<string, unknown>>;
  /** A random part of every prompt, so that earlier runs are not in the cache. */
  readonly mark: string;
  readonly signal?: AbortSignal;
}

/**
 * The result of one check. `problem`: the engine relies on something that is not true. `note`: a harmless difference.
 * `skipped`: not checked; the text says why.
 */
export interface Finding {
  readonly check: string;
  readonly state: "ok" | "note" | "problem" | "skipped";
  readonly text: string;
  /** The fields to compare with the simulator. Empty if there is nothing to compare. */
  readonly fields: Fields;
  /** The window, if the service reported it. */
  readonly windowTokens?: number;
  /** `pointless`: the service is unreachable, or rejects the key. @default "of use" */
  readonly furtherCalls?: "of use" | "pointless";
}

/** A planned call that may be billed. */
export interface PlannedCall {
  readonly inputTokens: number;
  readonly likelyOutputTokens: number;
  readonly mostOutputTokens: number;
  /** `cached`: the cache likely serves most input. `refused`: the call is likely not billed. @default "answered" */
  readonly likely?: "answered" | "cached" | "refused";
}

/** A few calls that check one or more properties of a service. */
export interface Probe {
  /** The name of the check, for the report. */
  readonly check: string;
  /** What the probe does. Shown before the probe starts. */
  readonly about: string;
  /** The maximum number of calls, including free calls. */
  readonly calls: number;
  /** The calls that may be billed. */
  plan(target: RequestLimits): readonly PlannedCall[];
  run(endpoint: Endpoint, target: RequestLimits): Promise<readonly Finding[]>;
}

type FlatMessage = Parameters<Provider["renderMessage"]>[0];

export interface Question {
  readonly messages: readonly FlatMessage[];
  /** The system prompt. @default none */
  readonly system?: string;
  /** The tool definitions. @default none */
  readonly tools?: readonly ToolDefinition[];
  /** The request parameters. @default none */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly maxTokens: number;
}

export type Asked =
  | { readonly kind: "answered"; readonly content: ResponseContent }
  | { readonly kind: "failed"; readonly error: ProviderError };

export function user(text: string): FlatMessage {
  return { role: "user", blocks: [{ kind: "text", text }] };
}

/** Renders the request with the provider's adapter, so that the check tests what the engine sends. */
export function renderQuestion({ provider }: Endpoint, { model, mark }: RequestLimits, question: Question): unknown {
  const { messages, system = "", tools = [], parameters = {}, maxTokens } = question;
  const rendered = messages.flatMap((message) => provider.renderMessage(message));
  return provider.renderRequest({
    model,
    system,
    tools,
    parameters,
    messages: rendered,
    maxTokens,
    session: mark,
    marks: [rendered.length - 1],
    cacheTtl: "5m",
  });
}

/** Sends the request as a stream. A rejection counts as an answer. */
export async function ask(endpoint: Endpoint, target: RequestLimits, question: Question): Promise<Asked> {
  const { provider } = endpoint;
  const { signal } = target;
  try {
    const request = renderQuestion(endpoint, target, question);
    const response = await readStream(provider.send(request, signal === undefined ? {} : { signal }));
    const content = provider.readResponse(response);
    endpoint.onResponse(content);
    return { kind: "answered", content };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { kind: "failed", error };
  }
}

/** Temporary failures, which say nothing about the service's behavior. */
const PASSING = new Set(["rate-limited", "overloaded", "aborted"]);

/** The finding for a call that got no answer. */
export async function failedFinding(
  check: string,
  { failure, message }: ProviderError,
  { takeExchanges }: Endpoint,
): Promise<Finding> {
  const exchanges = await takeExchanges();
  const isPassing = PASSING.has(failure.kind);
  const isShut = failure.kind === "refused" && (failure.status === 401 || failure.status === 403);
  return {
    check,
    state: isPassing ? "skipped" : "problem",
    text: `${failure.kind}: ${message}`,
    fields: isPassing ? {} : { ...wireFields(exchanges.slice(-1)), "the adapter reads": failure.kind },
    ...(isShut || failure.kind === "unreachable" ? { furtherCalls: "pointless" } : {}),
  };
}
