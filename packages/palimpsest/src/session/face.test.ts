import { expect, test } from "vitest";
import { InvalidOptionError } from "../errors.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { openOffline } from "./testing/open-offline.ts";

test("rejects invalid arguments with the method's name, and writes nothing", async () => {
  const session = await openOffline(memoryStore());
  await session.append("Hello");
  const { history, turn } = session;
  const newest = history.newestEntry;
  const blocks = [{ role: "user", origin: "host", blocks: [{ kind: "text", text: "Short." }] }] as const;
  const calls: readonly [string, () => unknown][] = [
    ["history.fold(range)", () => history.fold({ from: 2 } as never, blocks as never, "shorter")],
    ["history.replace(range)", () => history.replace("all" as never, blocks as never, "shorter")],
    ["history.fold(range, replacements, reason)", () => history.fold({ from: 2, to: 2 }, blocks as never, 1 as never)],
    ["ask", () => session.ask("What is it?", {} as never)],
    ["turn.decide(callId, decision)", () => turn.decide("call_1", { kind: "maybe" } as never)],
  ];
  for (const [name, call] of calls) {
    const error: unknown = await Promise.resolve()
      .then(call)
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    expect(error, name).toBeInstanceOf(InvalidOptionError);
    expect((error as Error).message).toContain(name);
  }
  expect(history.newestEntry).toBe(newest);
});
