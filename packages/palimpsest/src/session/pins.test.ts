import { expect, test } from "vitest";
import { NoSuchEntryError, PinTooLargeError } from "../errors.ts";
import type { NewContent } from "../log/messages.ts";
import type { Provenance } from "../log/provenance.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { openOffline } from "./testing/open-offline.ts";

test("limits all pins together, and frees the space of a removed pin", async () => {
  const session = await openOffline(memoryStore());
  // Each text takes about two percent of the window. Pins may take a tenth of it.
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

test("removes only pins in effect", async () => {
  const session = await openOffline(memoryStore());
  const pin = await session.pins.add("Never touch main.");
  await session.pins.remove(pin);
  await expect(session.pins.remove(pin)).rejects.toThrow(NoSuchEntryError);
});

test("shows a pinned entry with the provenance of its author, never of the host", async () => {
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
