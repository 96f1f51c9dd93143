import { expect, test } from "vitest";
import { anthropic } from "../providers/anthropic.ts";
import type { NewEvent, SessionEvent } from "../session-event.ts";
import type { SessionCore } from "../state/core.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { openSession } from "./open.ts";
import { findOverridden, RequestNotices } from "./prepare.ts";

test("finds changed and removed parameters, but not parameters with additions", () => {
  const own = { type: "web_search", name: "search" };
  const parameters = { tools: [own], effort: "high", max_tokens: 5, cache_control: { type: "ephemeral" }, stop: null };
  const request = { tools: [{ name: "read" }, { ...own, cache_control: {} }], effort: "high", max_tokens: 20 };
  expect(findOverridden(parameters, request)).toEqual([
    { parameter: "max_tokens", given: 5, sent: 20, option: "maxOutputTokens" },
    { parameter: "cache_control", given: { type: "ephemeral" } },
  ]);
});

test("emits parameter-overridden once for each value", async () => {
  const events: SessionEvent[] = [];
  const thinking = { type: "enabled", budget_tokens: 50_000 };
  const session = await openSession({
    store: memoryStore(),
    provider: anthropic({} as never),
    model: "claude-sonnet-4-6",
    parameters: { thinking, temperature: 1 },
    settingsFrom: { environment: {} },
    onEvent: (event) => void events.push(event),
  });
  const lowered = { type: "enabled", budget_tokens: 19_999 };
  for (const words of ["One.", "Two."]) {
    await session.append(words);
    expect(await session.prepare()).toMatchObject({ thinking: lowered, temperature: 1 });
  }
  const emitted = events.filter(({ kind }) => kind === "parameter-overridden");
  expect(emitted).toMatchObject([{ parameter: "thinking", given: thinking, sent: lowered }]);
});

type Limits = Parameters<RequestNotices["ofGuess"]>[0];

test("emits no notices for a fork", () => {
  const events: NewEvent[] = [];
  const state = { configuration: { model: "m" } };
  const core = { state, fork: {}, ports: { emit: (event: NewEvent) => void events.push(event) } };
  const notices = new RequestNotices(core as unknown as SessionCore);
  notices.ofGuess({ known: "guessed", budget: { windowTokens: 32_000 } } as Limits, 100);
  notices.ofOverridden({ top_k: 5 }, {});
  expect(events).toEqual([]);
});
