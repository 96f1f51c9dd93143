import { expect, test } from "vitest";
import type { NewEvent } from "../session-event.ts";
import type { SessionCore } from "../state/core.ts";
import { RequestNotices } from "./prepare.ts";

type Limits = Parameters<RequestNotices["ofGuess"]>[0];

test("a fork tells neither: its parent has", () => {
  const events: NewEvent[] = [];
  const state = { configuration: { model: "m" } };
  const core = { state, fork: {}, ports: { emit: (event: NewEvent) => void events.push(event) } };
  const notices = new RequestNotices(core as unknown as SessionCore);
  notices.ofGuess({ known: "guessed", budget: { windowTokens: 32_000 } } as Limits, 100);
  notices.ofOverridden({ top_k: 5 }, {});
  expect(events).toEqual([]);
});
