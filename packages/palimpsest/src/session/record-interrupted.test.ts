import { describe, expect, test } from "vitest";
import type { SessionEvent } from "../session-event.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { openOffline } from "./testing/open-offline.ts";

async function open() {
  const events: SessionEvent[] = [];
  const session = await openOffline(memoryStore(), { onEvent: (event) => events.push(event) });
  await session.append("Tell me a story, and a long one.");
  const request = await session.prepare();
  const shown = async () => JSON.stringify((await session.prepare()).messages);
  const interrupted = () => events.flatMap((event) => (event.kind === "answer-interrupted" ? [event] : []));
  return { session, request, shown, interrupted, lines: () => Array.fromAsync(session.ledger.lines()) };
}

describe("an answer that was interrupted", () => {
  test("keeps its text in view with a marker after it, and estimates its price from all input and output", async () => {
    const { session, request, shown, interrupted, lines } = await open();
    const text = "Once upon a time there was a heron. ".repeat(20);
    const { usage, estimated, priceUsd } = await session.turn.recordInterrupted({ text }, request);
    expect(estimated).toBe("all");
    expect(usage!.outputTokens).toBeGreaterThan(100);
    expect(usage!.freshTokens + usage!.cacheReadTokens + usage!.cacheWriteTokens).toBeGreaterThan(0);
    expect(priceUsd).toBeGreaterThan(0);
    expect(await lines()).toMatchObject([{ source: "main", priceUsd }]);
    expect(interrupted()).toMatchObject([
      { view: "kept", source: "main", text, used: usage, priceUsd, estimated: "all" },
    ]);
    await session.append("Go on.");
    expect(await shown()).toMatch(/Once upon a time.*incomplete.*Go on\./);
  });

  test("includes unshown characters in the estimate, and uses the usage that the provider has reported", async () => {
    const { session, request } = await open();
    const record = (answer: object) => session.turn.recordInterrupted({ text: "", ...answer }, request);
    expect((await record({ unshownCharacters: 9 })).usage!.outputTokens).toBe(3);
    const reported = { freshTokens: 10, cacheReadTokens: 2, cacheWriteTokens: 3 };
    const input = await record({ unshownCharacters: 8, usage: reported });
    expect(input).toMatchObject({ usage: { ...reported, outputTokens: 2 }, estimated: "output" });
    const whole = await record({ unshownCharacters: 8, usage: { ...reported, outputTokens: 70 } });
    expect(whole).toMatchObject({ usage: { ...reported, outputTokens: 70 } });
    expect(whole.estimated).toBeUndefined();
  });

  test("has no known cost if nothing arrived, and the model reads that it said nothing", async () => {
    const { session, request, shown, lines } = await open();
    expect(await session.turn.recordInterrupted({ text: "" }, request)).toEqual({});
    expect(await lines()).toEqual([]);
    await session.append("Go on.");
    const messages = await shown();
    expect(messages).toContain("before you had said anything");
    expect(messages).not.toContain("tool calls");
    expect(JSON.parse(messages).map(({ role }: { role: string }) => role)).toEqual(["user"]);
  });

  test("names the tools that it had begun to call, each once", async () => {
    const { session, request, shown } = await open();
    await session.turn.recordInterrupted({ text: "I look.", calls: ["look", "", "look", "read"] }, request);
    await session.append("Go on.");
    expect(await shown()).toContain("had begun (look, read) were not run.");
    const other = await open();
    await other.session.turn.recordInterrupted({ text: "", calls: [""] }, other.request);
    await other.session.append("Go on.");
    expect(await other.shown()).toContain("had begun were not run.");
  });

  test("leaves nothing in view if its request is sent again, and counts its price as retries", async () => {
    const { session, request, shown, interrupted, lines } = await open();
    await session.turn.recordInterrupted({ text: "Once" }, request, { view: "left-out" });
    expect(await shown()).toBe(JSON.stringify(request.messages));
    const [line, ...others] = await lines();
    expect(others).toEqual([]);
    expect(line).toMatchObject({ source: "retries" });
    expect(interrupted()).toMatchObject([{ view: "left-out", source: "retries", priceUsd: line!.priceUsd }]);
  });
});
