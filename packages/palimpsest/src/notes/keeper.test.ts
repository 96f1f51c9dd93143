import Anthropic from "@anthropic-ai/sdk";
import { answer, createAnthropic, manualClock, type Reply, type Script, serve } from "@palimpsest/provider-simulator";
import { describe, expect, onTestFinished, test } from "vitest";
import { InvalidOptionError } from "../errors.ts";
import type { Policy } from "../policy/policy.ts";
import { notesByGrowth } from "../policy/rules/notes.ts";
import { coding } from "../presets/coding.ts";
import { anthropic } from "../providers/anthropic.ts";
import { readStream } from "../providers/stream.ts";
import { openSession } from "../session/open.ts";
import type { SessionEvent } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import type { NotesOptions } from "../state/options.ts";
import { memoryStore } from "../stores/memory-store.ts";

const MODEL = "claude-opus-5-5";
const MINUTE_MS = 60_000;
/** A time shorter than the rest of the cache lifetime at which an update is due at the latest. */
const STEP_MS = 5_000;

const section = (heading: string, content: string): string =>
  `<notes-section heading="${heading}">\n${content}\n</notes-section>`;
const update = (...sections: readonly string[]): Reply =>
  answer(`<session-notes>\n${sections.join("\n")}\n</session-notes>`);
const STATE = "Current state";

interface World {
  readonly reply?: Reply;
  readonly settings?: Partial<Settings>;
  readonly policy?: Policy;
  readonly notes?: NotesOptions;
  readonly windowTokens?: number;
}

async function open({
  reply = update(section(STATE, "Renaming the loader.")),
  settings,
  policy,
  notes,
  windowTokens,
}: World = {}) {
  const clock = manualClock();
  const script: Script = ({ userText }) =>
    userText.includes("<session-notes>") ? reply : answer("The loader was looked at.");
  const server = await serve({ clock, faces: [createAnthropic({ clock, script })] });
  onTestFinished(() => server.close());
  const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
  const provider = anthropic(client, { models: { [MODEL]: { windowTokens: windowTokens ?? 60_000 } } });
  const events: SessionEvent[] = [];
  const options = {
    store: memoryStore({ leaseMs: 0, clock }),
    provider,
    model: MODEL,
    system: "Be brief.",
    id: "s",
    clock,
    settings: settings ?? {},
    ...(policy === undefined ? {} : { policy }),
    settingsFrom: { environment: {} },
    onEvent: (event: SessionEvent) => events.push(event),
    ...(notes === undefined ? {} : { notes }),
  };
  const session = await openSession(options);
  const ask = async (words: string) => {
    await session.append(words);
    const request = await session.prepare();
    await session.record(await readStream(provider.send(request)), request);
    return request;
  };
  const emitted = (kind: SessionEvent["kind"]) => events.filter((event) => event.kind === kind);
  return { session, ask, clock, events, told: emitted, options };
}

const words = (about: string, count = 1_500): string => `About ${about}: ${`${about} `.repeat(count)}`;

describe("session notes", () => {
  test("are updated by a call on the cached prompt, and survive a resume", async () => {
    const written: string[] = [];
    const write = async (markdown: string) => void written.push(markdown);
    const { session, ask, options } = await open({ notes: { write } });
    expect(await session.notes.read()).toContain(`# ${STATE}`);
    for (const about of ["one", "two", "three", "four"]) await ask(words(about));
    const outcome = await session.notes.update();
    expect(outcome).toMatchObject({ kind: "updated", markdown: expect.stringContaining("Renaming the loader.") });
    expect(written).toEqual([await session.notes.read()]);
    const { bySource } = await session.ledger.cost();
    expect(bySource["session_notes"]!.cacheReadTokens).toBeGreaterThan(5_000);
    await session.close();
    expect(await (await openSession(options)).notes.read()).toBe(written[0]);
  });

  test("return the time and the coverage of their newest version, and of the earlier one after a rewind", async () => {
    const { session, ask, clock } = await open();
    expect(await session.notes.latest()).toBeUndefined();
    await ask(words("one"));
    const covered = session.history.newestEntry;
    await clock.pass(MINUTE_MS, Promise.resolve());
    await session.notes.update();
    const first = await session.notes.latest();
    expect(first).toMatchObject({ coveredTo: expect.any(Number), atMs: clock.now() });
    expect(first!.coveredTo).toBeLessThanOrEqual(covered);
    expect(first!.entry).toBeGreaterThan(covered);
    expect(first!.markdown).toBe(await session.notes.read());
    const between = session.history.newestEntry;
    await ask(words("two"));
    await session.notes.update();
    expect((await session.notes.latest())!.entry).toBeGreaterThan(first!.entry);
    await session.history.rewind(between);
    expect(await session.notes.latest()).toEqual(first);
  });

  test("replace a summary without asking a model, and messages that they do not cover are kept", async () => {
    const { session, ask, told: emitted } = await open({ settings: { notes: "on" } });
    for (let round = 0; round < 12; round++) await ask(words(`part${round}`));
    await session.notes.update();
    await ask(words("uncovered", 500));
    while ((await session.history.explain()).length === 0) await ask(words("more", 2_000));
    const [boundary] = await session.history.explain();
    expect(boundary!.compaction).toMatchObject({
      summary: { way: "notes" },
      trigger: "auto",
      modelCalls: 0,
      attempts: [],
    });
    // Without a call there is no price, not a price of zero.
    expect(boundary!.compaction).not.toHaveProperty("priceUsd");
    expect(boundary!.shownAs).toContain("Renaming the loader.");
    const request = JSON.stringify((await ask("Go on.")).messages);
    expect(request).toContain("About uncovered");
    expect(emitted("compaction-ended")).toMatchObject([{ outcome: { kind: "compacted", summary: { way: "notes" } } }]);
  });

  test("are updated by growth with such a rule, whatever that costs", async () => {
    const policy = { ...coding(), notes: notesByGrowth({ firstTokens: 10_000, growthTokens: 5_000, toolCalls: 3 }) };
    const { ask, told: emitted } = await open({ policy });
    for (let round = 0; round < 4; round++) await ask(words(`part${round}`, 2_000));
    await expect.poll(() => emitted("notes-updated").length).toBeGreaterThan(0);
  });

  test("are updated rarely if they have to pay, shortly before the cache of a long conversation expires", async () => {
    const { session, ask, told: emitted, clock } = await open({ settings: { notes: "on" }, windowTokens: 200_000 });
    for (let round = 0; round < 40; round++) await ask(words(`part${round}`, 1_000));
    expect(emitted("notes-updated")).toEqual([]);
    // The conversation pauses until less than a fifth of the cache's five minutes is left.
    for (let passedMs = 0; passedMs < 250_000; passedMs += STEP_MS) {
      await clock.pass(STEP_MS, Promise.resolve());
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect.poll(() => emitted("notes-updated").length).toBeGreaterThan(0);
    expect(emitted("notes-updated").length).toBeLessThan(4);
    expect(await session.notes.read()).toContain("Renaming the loader.");
  });

  test.each([
    ["nothing", answer(" ")],
    ["a refusal", answer("I'm sorry, I can't do that.")],
    ["something cut off", { ...update(section(STATE, "Half")), stop: "output-limit" } as Reply],
  ])("do not change if the answer is %s", async (_, reply) => {
    const { session, ask } = await open({ reply });
    await ask(words("one"));
    const before = await session.notes.read();
    expect(await session.notes.update()).toMatchObject({ kind: "failed" });
    expect(await session.notes.read()).toBe(before);
  });

  test("use the headings of a custom template if it is valid", async () => {
    const template = "# Risks\n_What can go wrong._\n\n# Next\n_What comes next._\n";
    const reply = update(section("Risks", "The loader is used twice."));
    const { session, ask } = await open({ notes: { template }, reply });
    await ask(words("one"));
    await session.notes.update();
    expect(await session.notes.read()).toContain("# Risks\n_What can go wrong._\n\nThe loader is used twice.");
    await expect(open({ notes: { template: "no headings" } })).rejects.toThrow(InvalidOptionError);
  });

  test("are off by default", async () => {
    const { session, ask, told: emitted, clock } = await open({ windowTokens: 200_000 });
    for (let round = 0; round < 5; round++) await ask(words(`part${round}`, 2_000));
    await clock.pass(10 * MINUTE_MS, Promise.resolve());
    await session.close();
    expect(emitted("notes-updated")).toEqual([]);
  });
});
