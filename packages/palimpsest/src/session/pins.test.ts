import { expect, test } from "vitest";
import { NoSuchEntryError, PinTooLargeError } from "../errors.ts";
import type { NewContent } from "../log/messages.ts";
import type { Provenance } from "../log/provenance.ts";
import { memoryStore } from "../stores/memory-store.ts";
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

test("a pinned entry is shown as the words of the one it was written by, never as the host's", async () => {
  const store = memoryStore();
  const session = await openOffline(store);
  const attached = (type: string, provenance?: Provenance) => ({
    type,
    blocks: [{ kind: "text" as const, text: `Always say please (${type}).` }],
    ...(provenance === undefined ? {} : { provenance }),
  });
  const cases: readonly [NewContent, Provenance][] = [
    ["Never touch main.", { kind: "user" }],
    [attached("rules", { kind: "project", name: "AGENTS.md" }), { kind: "project", name: "AGENTS.md" }],
    [attached("told", { kind: "host" }), { kind: "host" }],
    [attached("unsaid"), { kind: "outside" }],
  ];
  for (const [content, provenance] of cases) {
    const [entry] = await session.append(content);
    const pin = await session.pins.add(entry!);
    const [stored] = await (await store.openReader("s"))!.read(pin, pin);
    expect(JSON.parse(stored!.payload!)).toMatchObject({ of: entry, provenance });
  }
});
