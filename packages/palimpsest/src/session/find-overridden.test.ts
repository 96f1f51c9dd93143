import { expect, test } from "vitest";
import { anthropic } from "../providers/anthropic.ts";
import { openaiChat, openaiResponses } from "../providers/openai.ts";
import type { Provider } from "../providers/provider.ts";
import type { SessionEvent } from "../session-event.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { findOverridden } from "./find-overridden.ts";
import { openSession } from "./open-session.ts";

test("what was added to is not overridden, what was changed or left out is", () => {
  const own = { type: "web_search", name: "search" };
  const parameters = { tools: [own], effort: "high", max_tokens: 5, cache_control: { type: "ephemeral" }, stop: null };
  const request = { tools: [{ name: "read" }, { ...own, cache_control: {} }], effort: "high", max_tokens: 20 };
  expect(findOverridden(parameters, request)).toEqual([
    { parameter: "max_tokens", given: 5, sent: 20, option: "maxOutputTokens" },
    { parameter: "cache_control", given: { type: "ephemeral" } },
  ]);
});

test.each([
  ["max_tokens", anthropic({} as never), "claude-opus-5-5"],
  ["max_output_tokens", openaiResponses({} as never), "gpt-6-sol"],
  ["max_completion_tokens", openaiChat({} as never), "gpt-6-sol"],
  ["max_tokens", openaiChat({} as never, { dialect: "compatible" }), "gpt-6-sol"],
])("a caller's %s that the session sets itself is told once, with the option to use", async (name, provider, model) => {
  const events: SessionEvent[] = [];
  const session = await openSession({
    ...{ store: memoryStore(), provider: provider as Provider<unknown, unknown, unknown>, model },
    ...{ parameters: { [name]: 500, temperature: 0.5 }, settingsFrom: { environment: {} } },
    onEvent: (event) => void events.push(event),
  });
  for (const words of ["One.", "Two."]) {
    await session.append(words);
    expect(await session.prepare()).toMatchObject({ [name]: 20_000, temperature: 0.5 });
  }
  const told = events.filter(({ kind }) => kind === "parameter-overridden");
  expect(told).toMatchObject([{ parameter: name, given: 500, sent: 20_000, option: "maxOutputTokens" }]);
});
