import { type Provider, ProviderError, readStream, type ToolDefinition } from "palimpsest";
import type { ResponseContent } from "palimpsest/core";
import type { Endpoint, Finding, RequestLimits } from "../commands/live/probe.ts";
import { wireFields } from "../commands/live/wire-fields.ts";

type FlatMessage = Parameters<Provider["renderMessage"]>[0];

export interface Question {
  readonly messages: readonly FlatMessage[];
  /** @default none */
  readonly system?: string;
  /** @default none */
  readonly tools?: readonly ToolDefinition[];
  /** @default none */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly maxTokens: number;
}

export type Asked =
  | { readonly kind: "answered"; readonly content: ResponseContent }
  | { readonly kind: "failed"; readonly error: ProviderError };

export function user(text: string): FlatMessage {
  return { role: "user", blocks: [{ kind: "text", text }] };
}

/** Builds the request with the provider's adapter, so that the check tests what the engine sends. */
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
