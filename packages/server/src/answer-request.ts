import type { IncomingMessage } from "node:http";
import type { SessionHost } from "./host/session-host.ts";
import { checkRequest } from "./http/check-request.ts";
import { type Matched, routeFinder } from "./http/match-route.ts";
import { type Problem, problem } from "./http/problems.ts";
import { readBody } from "./http/read-body.ts";
import type { RequestRate } from "./http/request-rate.ts";
import type { Call, Reply, Route, ServerEvent } from "./http/route.ts";
import type { PlainReply } from "./http/send-reply.ts";
import { toProblem } from "./http/to-problem.ts";
import { ROUTES } from "./routes/routes.ts";
import type { ServerLimits } from "./server-options.ts";
import type { ProvenTokens } from "./tokens/proven-tokens.ts";
import { checkToken, nameOf, type StoredToken, type Tokens } from "./tokens/token.ts";

export interface AnswerParts {
  readonly host: SessionHost;
  readonly tokens: Pick<Tokens, "find">;
  readonly rate: RequestRate;
  readonly proven: ProvenTokens;
  readonly limits: ServerLimits;
  readonly clock: { now(): number };
  readonly traceparent: string | undefined;
  onError(error: unknown, operation: string): void;
}

export interface PlainAnswer {
  readonly kind: "plain";
  readonly reply: PlainReply;
  /** Absent if the address is unknown. */
  readonly route?: Route;
  /** Absent if the request was refused before. */
  readonly token?: StoredToken;
}

export interface StreamAnswer {
  readonly kind: "stream";
  readonly events: AsyncIterable<ServerEvent>;
  readonly route: Route;
  readonly token: StoredToken;
}

const findRoute = routeFinder(ROUTES);

/** Answers a request: finds its route, checks who asks and what, and runs it. Never throws. @param end aborted when the client is gone */
export async function answerRequest(
  request: IncomingMessage,
  end: AbortController,
  parts: AnswerParts,
): Promise<PlainAnswer | StreamAnswer> {
  // As it was sent: what a proxy before the server has let pass is not read as another address, by removing its dots.
  const [path = "", ...rest] = (request.url ?? "").split("?");
  const matched = findRoute(request.method ?? "GET", path);
  if (matched.kind !== "matched") return { kind: "plain", reply: refuseAddress(matched, path) };
  const { route, params } = matched;
  let token: StoredToken | undefined;
  try {
    const admitted = await admit(request, route, parts);
    if (admitted.kind === "problem") return { kind: "plain", reply: admitted, route };
    token = admitted.token;
    const reply = await runRoute(
      request,
      { route, params, token, search: new URLSearchParams(rest.join("?")) },
      end,
      parts,
    );
    if (reply.kind === "events") return { kind: "stream", events: reply.events, route, token };
    return { kind: "plain", reply, route, token };
  } catch (error) {
    const known = toProblem(error, parts.clock.now());
    // A client that went away while its request was read is no failure of the server.
    const isGone = end.signal.aborted || (request.destroyed && !request.complete);
    if (known === undefined && !isGone) parts.onError(error, route.operation);
    return { kind: "plain", reply: known ?? FAILED, route, ...(token && { token }) };
  }
}

interface Admitted {
  readonly route: Route;
  readonly params: Call["params"];
  readonly token: StoredToken;
  readonly search: URLSearchParams;
}

/** Reads and checks a request that may run, and runs it. */
async function runRoute(
  request: IncomingMessage,
  { route, params, token, search }: Admitted,
  end: AbortController,
  parts: AnswerParts,
): Promise<Reply> {
  const body = await readBody(request, route, parts.limits.maxBodyBytes);
  if (body.kind === "problem") return body;
  const headers = headersOf(request);
  const checked = checkRequest(route, { search, headers, body: body.value });
  if (checked.kind === "problem") return checked;
  const { query } = checked;
  const tenant = parts.host.tenant(token.tenant);
  const { traceparent } = parts;
  const call = { params, query, headers, body: body.value, token, tenant, signal: end.signal };
  return withinTime(route, traceparent === undefined ? call : { ...call, traceparent }, end, parts);
}

const FAILED: Problem = problem(
  "internal",
  "Something failed in the server. Try again; if it fails again, tell the operator the requestId.",
  { retryAfterMs: 1_000 },
);

function refuseAddress(matched: Exclude<Matched, { kind: "matched" }>, path: string): Problem {
  if (matched.kind === "unknown-path")
    return problem("unknown-path", `There is no ${path}. GET /v1/openapi.json lists all operations.`);
  const allow = matched.allowed.join(", ");
  return problem("wrong-method", `${path} takes ${allow}.`, { headers: { allow } });
}

/** Whether the request may run: by its token, the token's rate and its scopes. */
async function admit(
  { headers }: IncomingMessage,
  { scope, operation }: Route,
  { tokens, clock, rate, limits, proven }: AnswerParts,
): Promise<{ readonly kind: "admitted"; readonly token: StoredToken } | Problem> {
  const { authorization } = headers;
  // Each look for a token costs the database something: whoever guesses tokens is not to be in the way of those that have one.
  if (!proven.has(authorization)) {
    const unproven = rate.take("", limits.unprovenPerMinute);
    if (unproven.kind === "wait")
      return problem("rate-limited", `Too many requests with unknown tokens. Wait ${unproven.waitMs} ms.`, {
        retryAfterMs: unproven.waitMs,
      });
  }
  const checked = await checkToken(authorization, tokens, clock.now());
  if (checked.kind === "invalid") {
    proven.remove(authorization);
    return problem("unauthorized", checked.why, { headers: { "www-authenticate": 'Bearer realm="palimpsest"' } });
  }
  proven.add(authorization);
  const { token } = checked;
  const perMinute = token.requestsPerMinute ?? limits.requestsPerMinute;
  const taken = rate.take(nameOf(token), perMinute);
  if (taken.kind === "wait") {
    const detail = `The token may make ${perMinute} requests a minute. Wait ${taken.waitMs} ms, or ask the operator for a higher limit.`;
    return problem("rate-limited", detail, { retryAfterMs: taken.waitMs });
  }
  if (token.scopes.includes(scope)) return { kind: "admitted", token };
  const has = token.scopes.join(", ") || "none";
  return problem("forbidden", `${operation} needs the scope ${scope}; the token has ${has}. Use another token.`, {
    more: { scope },
  });
}

/** Runs a route; after its time is up it is told to end, and nobody waits for it. */
async function withinTime(
  route: Route,
  call: Call,
  end: AbortController,
  { limits, onError }: AnswerParts,
): Promise<Reply> {
  const { operationTimeoutMs } = limits;
  const late = Promise.withResolvers<Reply>();
  const timer = setTimeout(() => {
    end.abort();
    const detail = `${route.operation} took more than ${operationTimeoutMs.toLocaleString("en-US")} ms, and was told to end. Look at the session before you try again.`;
    late.resolve(problem("took-too-long", detail, { retryAfterMs: 1_000 }));
  }, operationTimeoutMs);
  const running = route.run(call);
  running.catch((error: unknown) => {
    if (end.signal.aborted && toProblem(error, 0) === undefined) onError(error, route.operation);
  });
  try {
    return await Promise.race([running, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Headers that come once. */
function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
}
