import { expect, test } from "vitest";
import type { NewEvent } from "../session-event.ts";
import { createRequestNotices, type RequestNotices } from "./request-notices.ts";
import type { SessionContext } from "./session-context.ts";

function createWorld(fork?: object) {
  const events: NewEvent[] = [];
  const state = { configuration: { model: "m" } };
  const context = { state, fork, emit: (event: NewEvent) => void events.push(event) };
  const notices = createRequestNotices(context as unknown as SessionContext<object, object, object>);
  return { notices, events, state };
}

const limits = (known: string): Parameters<RequestNotices["ofGuess"]>[0] =>
  ({ known, budget: { windowTokens: 32_000 } }) as Parameters<RequestNotices["ofGuess"]>[0];

test("a window that is a guess is told once for each model, and one that is known is not", () => {
  const { notices, events, state } = createWorld();
  notices.ofGuess(limits("table"), 100);
  expect(events).toEqual([]);
  notices.ofGuess(limits("guessed"), 100);
  notices.ofGuess(limits("guessed"), 100);
  expect(events).toEqual([{ kind: "model-guessed", model: "m", windowTokens: 32_000, maxOutputTokens: 100 }]);
  state.configuration.model = "n";
  notices.ofGuess(limits("guessed"), 200);
  expect(events.slice(1)).toMatchObject([{ model: "n", maxOutputTokens: 200 }]);
});

test("a parameter that is not sent as it was given is told once for each value", () => {
  const { notices, events } = createWorld();
  notices.ofOverridden({ top_k: 5, top_p: 1 }, { top_k: 5, top_p: 1 });
  expect(events).toEqual([]);
  notices.ofOverridden({ top_k: 5, max_tokens: 9 }, { max_tokens: 8 });
  notices.ofOverridden({ top_k: 5 }, {});
  notices.ofOverridden({ top_k: 6 }, {});
  expect(events).toMatchObject([
    { kind: "parameter-overridden", parameter: "top_k", given: 5 },
    { kind: "parameter-overridden", parameter: "max_tokens", given: 9, sent: 8, option: "maxOutputTokens" },
    { kind: "parameter-overridden", parameter: "top_k", given: 6 },
  ]);
});

test("a fork tells neither: its parent has", () => {
  const { notices, events } = createWorld({});
  notices.ofGuess(limits("guessed"), 100);
  notices.ofOverridden({ top_k: 5 }, {});
  expect(events).toEqual([]);
});
