import { breakStream } from "../break-stream.ts";
import type { Failure } from "../faults.ts";
import type { HttpCall, HttpReply, ServerSentEvent } from "../http-face.ts";
import type { Delivery } from "../outcome-of-call.ts";
import type { Refusal } from "../verdict.ts";
import { checkBody } from "./check/check-body.ts";
import { toModelInfo } from "./model-info.ts";
import { type AnthropicModel, findModel } from "./models.ts";
import { invalid, type Problem, RATE_LIMIT_HEADERS, refusal } from "./problem.ts";
import type { CallResult } from "./reply/answer.ts";
import { failureText } from "./reply/failure-text.ts";
import { toEvents } from "./reply/stream.ts";
import type { CallOptions } from "./request.ts";

export interface HttpContext {
  readonly models: readonly AnthropicModel[];
  /** The id under which this call is answered. */
  readonly requestId: string;
  count(value: unknown, call: CallOptions): { inputTokens: number; originalTokens: number } | Refusal;
  answer(value: unknown, call: CallOptions, delivery: Delivery): CallResult | Refusal;
}

/** Whether a call is for this provider. Model listings have a namesake elsewhere: the version header tells them apart. */
export function isAnthropicCall({ method, path, headers }: HttpCall): boolean {
  if (method === "POST") return path === "/v1/messages" || path === "/v1/messages/count_tokens";
  return method === "GET" && /^\/v1\/models(\/[^/]+)?$/.test(path) && "anthropic-version" in headers;
}

/** The endpoints of the Messages API. */
export function handleHttp(call: HttpCall, context: HttpContext): HttpReply {
  const broken = checkBody(call.body);
  // The size is the edge's business, before anyone asks who is calling.
  const problem = broken?.origin === "edge" ? broken : (checkHeaders(call) ?? broken);
  if (problem !== undefined) return refuse(refusal(problem, context.requestId));
  if (call.method === "GET") return listModels(call, context);
  let body: unknown;
  try {
    body = JSON.parse(call.body);
  } catch (error) {
    const notJson = invalid(`The request body is not valid JSON: ${(error as Error).message}`);
    return refuse(refusal(notJson, context.requestId));
  }
  return call.path.endsWith("/count_tokens") ? countTokens(body, call, context) : takeMessage(body, call, context);
}

function takeMessage(body: unknown, call: HttpCall, context: HttpContext): HttpReply {
  const delivery = (body as { stream?: unknown } | null)?.stream === true ? "stream" : "whole";
  const result = context.answer(body, callOptions(call), delivery);
  if (result.kind === "refused") return refuse(result);
  if (result.kind === "failed") return refuse(refusal(failureText(result.failure), context.requestId));
  if (result.kind === "reset")
    return { kind: "reset", outcome: { kind: "refused", status: 0, message: "connection reset" } };
  const { answered, fault, rawInputs, begun } = result;
  const { response, usage, priceUsd, acceptance } = answered;
  const outcome = { kind: "answered", usage, cache: acceptance.cache, priceUsd, responseId: response.id } as const;
  const headers = headersOf(context);
  result.pending();
  if (delivery === "whole") return { kind: "json", status: 200, headers, body: response, begun, outcome };
  const events = toEvents(response, { rawInputs });
  return { kind: "stream", headers, ...breakStream(events, { fault, toErrorEvent }), begun, outcome };
}

function countTokens(body: unknown, call: HttpCall, context: HttpContext): HttpReply {
  const options = callOptions(call);
  const counted = context.count(body, options);
  if ("kind" in counted) return refuse(counted);
  const edited = (body as { context_management?: unknown }).context_management;
  const context_management = edited ? { original_input_tokens: counted.originalTokens } : null;
  return {
    kind: "json",
    status: 200,
    headers: headersOf(context),
    body: {
      input_tokens: counted.inputTokens,
      context_management: options.betas === undefined ? undefined : context_management,
    },
    outcome: { kind: "free" },
  };
}

function listModels(call: HttpCall, context: HttpContext): HttpReply {
  const headers = headersOf(context);
  const outcome = { kind: "free" } as const;
  const id = call.path.split("/")[3];
  if (id === undefined) {
    const data = context.models.map(toModelInfo);
    const page = { data, has_more: false, first_id: data[0]?.["id"] ?? null, last_id: data.at(-1)?.["id"] ?? null };
    return { kind: "json", status: 200, headers, body: page, outcome };
  }
  const model = findModel(context.models, id);
  if (model === undefined) {
    return refuse(refusal({ status: 404, type: "not_found_error", message: `model: ${id}` }, context.requestId));
  }
  return { kind: "json", status: 200, headers, body: toModelInfo(model), outcome };
}

const VERSIONS = ["2023-01-01", "2023-06-01", "2026-10-21"];

function checkHeaders({ headers }: HttpCall): Problem | undefined {
  if (!("authorization" in headers) && !("x-api-key" in headers)) {
    return { status: 401, type: "authentication_error", message: "x-api-key header is required" };
  }
  const version = headers["anthropic-version"];
  if (version === undefined) return invalid("anthropic-version: header is required");
  return VERSIONS.includes(version) ? undefined : invalid(`anthropic-version: "${version}" is not a valid version`);
}

function callOptions({ headers }: HttpCall): CallOptions {
  const betas = headers["anthropic-beta"]?.split(",").map((beta) => beta.trim());
  const workspace = headers["anthropic-workspace-id"];
  return {
    version: headers["anthropic-version"]!,
    account: headers["x-api-key"] ?? headers["authorization"]!.replace(/^Bearer /, ""),
    betas,
    workspace,
  };
}

function headersOf({ requestId }: HttpContext): Readonly<Record<string, string>> {
  return { "request-id": requestId, ...RATE_LIMIT_HEADERS };
}

function toErrorEvent(failure: Failure): ServerSentEvent {
  const { type, message } = failureText(failure);
  return { event: "error", data: JSON.stringify({ type: "error", error: { type, message } }) };
}

function refuse(refused: Refusal): HttpReply {
  const { status, headers, body, message } = refused;
  return { kind: "json", status, headers, body, outcome: { kind: "refused", status, message } };
}
