import { expect, test } from "vitest";
import { createAnthropic } from "./anthropic/anthropic.ts";
import {
  cutStream,
  type Fault,
  gatewayTimeout,
  overloaded,
  overloadedInStream,
  rateLimited,
  resetConnection,
  responseFailed,
  serverError,
  spendLimitReached,
  stallStream,
} from "./faults.ts";
import type { HttpFace, HttpReply } from "./http-face.ts";
import { createOpenAiChat } from "./openai/chat/chat.ts";
import { createOpenAiResponses } from "./openai/responses/responses.ts";
import { answer, inOrder, type Script } from "./script.ts";

const filler = "s".repeat(7_000);
interface Wire {
  readonly create: (script: Script) => HttpFace;
  readonly path: string;
  readonly body: object;
}

const WIRES = {
  anthropic: {
    create: (script) => createAnthropic({ script }),
    path: "/v1/messages",
    body: {
      model: "claude-opus-5-5",
      max_tokens: 100,
      system: filler,
      cache_control: { type: "ephemeral" },
      messages: [{ role: "user", content: "Go" }],
    },
  },
  responses: {
    create: (script) => createOpenAiResponses({ script }),
    path: "/v1/responses",
    body: { model: "gpt-6.1-sol", instructions: filler, input: "Go" },
  },
  chat: {
    create: (script) => createOpenAiChat({ script }),
    path: "/v1/chat/completions",
    body: {
      model: "gpt-6.1-sol",
      messages: [
        { role: "system", content: filler },
        { role: "user", content: "Go" },
      ],
    },
  },
} as const satisfies Record<string, Wire>;

function send(face: HttpFace, { path, body }: Wire, delivery: "stream" | "whole"): HttpReply {
  const reply = face.handle({
    method: "POST",
    path,
    headers: { authorization: "Bearer k", "anthropic-version": "2026-10-21" },
    body: JSON.stringify({ ...body, ...(delivery === "stream" ? { stream: true } : {}) }),
  });
  if (reply === undefined) throw new Error("not for this face");
  if (reply.kind !== "reset") reply.begun?.();
  return reply;
}

const fail = (wire: Wire, fault: Fault, delivery: "stream" | "whole" = "whole"): HttpReply =>
  send(
    wire.create(() => ({ ...answer("A text of several pieces, for it is long."), fault })),
    wire,
    delivery,
  );

const error = (type: string, code: string | null) => ({ error: { type, code, param: null } });

test.each<[string, Fault, number, object, number, object]>([
  [
    "rate limit",
    rateLimited(),
    429,
    { error: { type: "rate_limit_error" } },
    429,
    error("tokens", "rate_limit_exceeded"),
  ],
  [
    "spend limit",
    spendLimitReached(),
    429,
    { error: { type: "rate_limit_error", details: { error_code: "enforced_spend_limit_reached" } } },
    429,
    error("insufficient_quota", "insufficient_quota"),
  ],
  [
    "overload",
    overloaded(),
    529,
    { error: { type: "overloaded_error" } },
    503,
    error("service_unavailable_error", "server_is_overloaded"),
  ],
  ["server error", serverError(), 500, { error: { type: "api_error" } }, 500, error("server_error", null)],
  ["timeout", gatewayTimeout(), 504, { error: { type: "timeout_error" } }, 524, error("cf_gateway_timeout", "524")],
  [
    "words of one's own",
    {
      kind: "status",
      status: 418,
      type: "teapot",
      message: "Short and stout.",
      code: "tea",
      headers: { "x-tea": "y" },
    },
    418,
    { error: { type: "teapot", message: "Short and stout.", details: { error_code: "tea" } } },
    418,
    error("teapot", "tea"),
  ],
])(
  "%s: each face says it in its provider's words, streaming or not",
  (_, fault, status, body, openAiStatus, openAiBody) => {
    for (const delivery of ["stream", "whole"] as const) {
      expect(fail(WIRES.anthropic, fault, delivery)).toMatchObject({ kind: "json", status, body });
      for (const wire of [WIRES.responses, WIRES.chat]) {
        const reply = fail(wire, fault, delivery);
        expect(reply).toMatchObject({ kind: "json", status: openAiStatus, body: openAiBody });
        expect(reply.outcome).toMatchObject({ kind: "refused", status: openAiStatus });
      }
    }
  },
);

test("a rate limit says in headers when to come again", () => {
  const headers = (wire: Wire) => fail(wire, rateLimited({ retryAfterSeconds: 7 }));
  expect(headers(WIRES.anthropic)).toMatchObject({ headers: { "retry-after": "7" } });
  for (const wire of [WIRES.responses, WIRES.chat]) {
    expect(headers(wire)).toMatchObject({
      headers: { "retry-after": "7", "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "7s" },
    });
  }
});

test("a cause can carry other words, a code and headers", () => {
  const fault: Fault = { kind: "overloaded", message: "Later.", code: "slow_down", headers: { "retry-after-ms": "1" } };
  expect(fail(WIRES.anthropic, fault)).toMatchObject({
    status: 529,
    headers: { "retry-after-ms": "1" },
    body: { error: { message: "Later.", details: { error_code: "slow_down" } } },
  });
  expect(fail(WIRES.chat, fault)).toMatchObject({
    status: 503,
    headers: { "retry-after-ms": "1" },
    body: { error: { message: "Later.", code: "slow_down" } },
  });
});

test("an error in a stream stands in place of what would have followed, in the provider's words", () => {
  const last = (wire: Wire, afterEvents: number) => {
    const reply = fail(wire, overloadedInStream(afterEvents), "stream");
    if (reply.kind !== "stream") throw new Error("no stream");
    return { count: reply.events.length, ...JSON.parse(reply.events.at(-1)!.data) };
  };
  const openAi = { type: "service_unavailable_error", code: "server_is_overloaded" };
  expect(last(WIRES.anthropic, 2)).toMatchObject({ count: 3, type: "error", error: { type: "overloaded_error" } });
  expect(last(WIRES.responses, 2)).toMatchObject({ count: 3, type: "error", sequence_number: 2, error: openAi });
  expect(last(WIRES.chat, 2)).toMatchObject({ count: 3, error: openAi });
  for (const wire of Object.values(WIRES)) {
    const whole = send(
      wire.create(() => answer("A text of several pieces, for it is long.")),
      wire,
      "stream",
    );
    expect(last(wire, 99).count).toBe(whole.kind === "stream" ? whole.events.length : 0);
    expect(last(wire, 99)).toHaveProperty("error");
  }
});

test.each(Object.entries(WIRES))("%s: what breaks a stream, where there is none", (_, wire) => {
  const reset = { kind: "reset", outcome: { kind: "refused", status: 0 } };
  expect(fail(wire, cutStream(2))).toMatchObject(reset);
  expect(fail(wire, cutStream(2, "reset"))).toMatchObject(reset);
  expect(fail(wire, resetConnection())).toMatchObject(reset);
  expect(fail(wire, resetConnection(), "stream")).toMatchObject(reset);
  expect(fail(wire, stallStream(2, 60_000))).toMatchObject({ status: 200, outcome: { kind: "answered" } });
  const status = wire === WIRES.anthropic ? 529 : 503;
  expect(fail(wire, overloadedInStream())).toMatchObject({ status, outcome: { kind: "refused", status } });
  expect(fail(wire, cutStream(2), "stream")).toMatchObject({
    kind: "stream",
    fault: { kind: "stream-cut" },
    outcome: { kind: "answered" },
  });
});

test.each(Object.entries(WIRES))("%s: a call that was reset or failed has cached nothing", (_, wire) => {
  for (const fault of [resetConnection(), cutStream(0), overloaded(), overloadedInStream()]) {
    const face = wire.create(inOrder([{ words: [], fault }]));
    const written = [0, 1, 2].map(() => {
      const { outcome } = send(face, wire, "whole");
      return outcome.kind === "answered" ? outcome.cache.blocksRead > 0 : outcome.kind;
    });
    expect(written).toEqual(["refused", false, true]);
  }
});

test("a failed response is an answer where there is such a state, and a server error elsewhere", () => {
  expect(fail(WIRES.responses, responseFailed())).toMatchObject({ status: 200, body: { status: "failed" } });
  expect(fail(WIRES.anthropic, responseFailed())).toMatchObject({
    status: 500,
    body: { error: { type: "api_error" } },
  });
  expect(fail(WIRES.chat, responseFailed())).toMatchObject({ status: 500, body: error("server_error", null) });
});

test("in process, a broken call is refused with status 0", () => {
  const script: Script = () => ({ ...answer("Well."), fault: cutStream(2) });
  const broken = { kind: "refused", status: 0 };
  expect(createAnthropic({ script }).answer(WIRES.anthropic.body)).toMatchObject(broken);
  expect(createOpenAiResponses({ script }).answer(WIRES.responses.body)).toMatchObject(broken);
  expect(createOpenAiChat({ script }).answer(WIRES.chat.body)).toMatchObject(broken);
});
