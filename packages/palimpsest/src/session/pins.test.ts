import { expect, test } from "vitest";
import { memoryStore } from "../stores/memory-store.ts";
import { NoSuchEntryError, PinTooLargeError } from "./session-errors.ts";
import { openOffline } from "./testing/open-offline.ts";

test("all pins together have a limit, and one that is taken back makes room", async () => {
  const session = await openOffline(memoryStore());
  // About two percent of the window each: a tenth of it is for pins.
  const text = "the quick brown fox ".repeat(session.view.size().windowTokens * 0.005);
  const pins: number[] = [];
  let refusal: unknown;
  while (refusal === undefined && pins.length < 20) {
    await session.pins.add(text).then(
      (pin) => pins.push(pin),
      (error: unknown) => {
        refusal = error;
      },
    );
  }
  expect(refusal).toBeInstanceOf(PinTooLargeError);
  expect(pins.length).toBeGreaterThan(1);
  await session.pins.remove(pins[0]!);
  await expect(session.pins.add(text)).resolves.toBeGreaterThan(pins.at(-1)!);
});

test("only a pin that is in effect can be taken back", async () => {
  const session = await openOffline(memoryStore());
  const pin = await session.pins.add("Never touch main.");
  await session.pins.remove(pin);
  await expect(session.pins.remove(pin)).rejects.toThrow(NoSuchEntryError);
});
