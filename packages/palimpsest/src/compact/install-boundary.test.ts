import Anthropic from "@anthropic-ai/sdk";
import { answer, createAnthropic, type Script, serve } from "@palimpsest/provider-simulator";
import { expect, onTestFinished, test } from "vitest";
import { createHooks } from "../hooks/run.ts";
import { user } from "../log/messages.ts";
import { anthropic } from "../providers/anthropic.ts";
import { readStream } from "../providers/stream.ts";
import { openSession } from "../session/open.ts";
import type { Surroundings } from "../state/host-content.ts";
import { memoryStore } from "../stores/memory-store.ts";

const MODEL = "claude-opus-5-5";
const SUMMARY = `<summary>\n${[1, 2, 3, 4, 5, 6, 7, 8, 9]
  .map((number) => `## ${number}. Title\nWhat was done in part ${number}: the loader was renamed and tested twice.`)
  .join("\n")}\n</summary>`;

/** A session of ten rounds, whose model writes good summaries. */
async function openFilled(surroundings: Surroundings = {}, windowTokens = 50_000) {
  const script: Script = ({ purpose }) => answer(purpose === "summary" ? SUMMARY : "Done.");
  const server = await serve({ faces: [createAnthropic({ script })] });
  onTestFinished(() => server.close());
  const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
  const provider = anthropic(client, { models: { [MODEL]: { windowTokens } } });
  const hooks = createHooks([{ event: "SessionStart", run: ({ source }) => `Started by ${source}.` }]);
  const session = await openSession({ store: memoryStore(), provider, model: MODEL, id: "s", hooks, surroundings });
  const ask = async (text: string) => {
    await session.append(text);
    const request = await session.prepare();
    await session.record(await readStream(provider.send(request)), request);
    return JSON.stringify(request.messages);
  };
  for (let round = 0; round < 10; round++) await ask(`Message ${round}: ${`word${round} `.repeat(1_000)}`);
  return { session, ask };
}

test("a boundary says how it came about, what it cost and what it did to the prompt", async () => {
  const { session, ask } = await openFilled();
  const before = session.view.size().tokens;
  await session.compact({ instructions: "Mind the loader." });
  const [boundary, ...others] = await session.history.explain();
  expect(others).toEqual([]);
  const { compaction, cost, because, notEarlier, inEffect } = boundary!;
  expect(inEffect).toBe("yes");
  expect(because).toBe("the user or the program asked for it");
  expect(notEarlier).toBeUndefined();
  const spent = { modelCalls: 1, instructions: "Mind the loader." };
  expect(compaction).toMatchObject({
    trigger: "manual",
    summary: { way: "fork" },
    attempts: [],
    tokensBefore: before,
    ...spent,
  });
  const { bySource } = await session.ledger.cost();
  expect(bySource["compact"]!.priceUsd).toBeGreaterThan(0);
  expect(compaction!.priceUsd).toBeCloseTo(bySource["compact"]!.priceUsd!, 9);
  expect(compaction!.messages).toBeGreaterThan(10);
  expect(compaction!.tokensAfter).toBeLessThan(before);
  expect(cost!.shedTokens).toBe(before - compaction!.tokensAfter);
  expect(cost!.invalidatedPrefixTokens).toBeGreaterThan(0);
  // Those who are told of beginnings add to what stands behind it, in one text.
  expect(await ask("Go on.")).toMatch(/the loader was renamed.*Started by compact\..*Go on\./);
});

test("what was said while the summary was written stays, behind it", async () => {
  const { session, ask } = await openFilled();
  const compacting = session.compact();
  await session.append("Meanwhile.");
  expect(await compacting).toMatchObject({ kind: "compacted" });
  const shown = await ask("Go on.");
  expect(shown).toMatch(/the loader was renamed.*Meanwhile\..*Go on\./);
  expect(shown.split("Meanwhile.")).toHaveLength(2);
});

test("undoing a compaction also removes what it has shown again", async () => {
  const { session } = await openFilled({
    plan: async () => "Rename the loader.",
    folderRules: async () => [{ path: "src/RULES.md", text: "No semicolons." }],
  });
  const compacted = await session.compact();
  const shown = () => session.view.attached("plan", "folder-rules");
  expect(shown()).toHaveLength(2);
  await session.history.restore(compacted.kind === "compacted" ? compacted.boundary : 0, "a test");
  expect(shown()).toEqual([]);
});

test("the two newest images survive compactions as images, until undo brings back the originals", async () => {
  const { session, ask } = await openFilled({}, 400_000);
  const png = (byte: string) =>
    `iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGA${byte}jR9awAAAABJRU5ErkJggg==`;
  const show = async (byte: string): Promise<void> => {
    const source = { kind: "base64", mediaType: "image/png", data: png(byte) } as const;
    await session.append(
      user([
        { kind: "text", text: "See." },
        { kind: "image", source },
      ]),
    );
  };
  const images = (request: string) => [...request.matchAll(/mNk\+M9QDwADhgGA(.)jR9/g)].map(([, byte]) => byte);
  for (const byte of ["W", "X", "Y"]) await show(byte);
  for (let round = 0; round < 20; round++) await ask(`And now? ${`word${round} `.repeat(1_000)}`);
  const compacted = await session.compact();
  if (compacted.kind !== "compacted") throw new Error(compacted.kind);
  expect(compacted.parts.find(({ name }) => name === "images")).toMatchObject({ items: 2, tokens: expect.any(Number) });
  const request = await ask("Which ones do you see?");
  expect(images(request)).toEqual(["X", "Y"]);
  expect(request).toMatch(/Image from entry \d+, from before the summary:/);
  for (let round = 0; round < 20; round++) await ask(`More: ${`word${round} `.repeat(1_000)}`);
  await session.compact();
  expect(images(await ask("And now?"))).toEqual(["X", "Y"]);
  for (const { boundary, inEffect } of await session.history.explain())
    if (inEffect !== "taken-back") await session.history.restore(boundary, "a test");
  expect(images(await ask("And before?"))).toEqual(["W", "X", "Y"]);
});
