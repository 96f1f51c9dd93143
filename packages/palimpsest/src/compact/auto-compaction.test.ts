import Anthropic from "@anthropic-ai/sdk";
import { answer, createAnthropic, manualClock, type Reply, type Script, serve } from "@palimpsest/provider-simulator";
import { describe, expect, onTestFinished, test } from "vitest";
import { WindowFullError } from "../errors.ts";
import { createHooks } from "../hooks/run.ts";
import { attachment } from "../log/messages.ts";
import type { Policy } from "../policy/policy.ts";
import { fixedLifetimes } from "../policy/rules/cache.ts";
import { anyOf, economic, window } from "../policy/rules/when.ts";
import { coding } from "../presets/coding.ts";
import { anthropic } from "../providers/anthropic.ts";
import { readStream } from "../providers/stream.ts";
import { openSession } from "../session/open.ts";
import { compactingWhen } from "../session/testing/policies.ts";
import type { CompactionForecast, SessionEvent } from "../session-event.ts";
import type { Profile, Settings } from "../settings/settings.ts";
import type { SessionOptions } from "../state/options.ts";
import type { PolicyOption } from "../state/policy.ts";
import { memoryStore } from "../stores/memory-store.ts";

const MODEL = "claude-opus-5-5";
const MINUTE_MS = 60_000;
const SECTIONS = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(
  (number) => `## ${number}. Title\nThe loader in src/load.ts was renamed, and part ${number} of it was tested twice.`,
);
const GOOD: Reply = answer(`<analysis>Going through it.</analysis>\n<summary>\n${SECTIONS.join("\n")}\n</summary>`);
const BAD: Reply = answer("I'm sorry, but I can't help with that.");
/** The policy acts from here on, whatever the price. */
const FROM_TOKENS = 20_000;
const ACTS = compactingWhen(anyOf(window(), economic({ fromTokens: FROM_TOKENS, inTurnFromTokens: FROM_TOKENS })));
const SAVING: Policy = {
  ...ACTS,
  cache: fixedLifetimes("1h", "1h"),
  weigh: { ...ACTS.weigh, horizonRequests: 1_000 },
};

interface World {
  readonly windowTokens?: number;
  readonly settings?: Partial<Settings>;
  readonly options?: Partial<SessionOptions<never, never, never>>;
}

async function begin({ windowTokens = 200_000, settings = {}, options: more = {} }: World = {}) {
  const clock = manualClock();
  const model = { summary: GOOD, asked: 0 };
  const script: Script = ({ purpose }) => {
    if (purpose !== "summary") return answer("Done.");
    model.asked++;
    return model.summary;
  };
  const server = await serve({ clock, faces: [createAnthropic({ clock, script })] });
  onTestFinished(() => server.close());
  const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
  const provider = anthropic(client, { models: { [MODEL]: { windowTokens } } });
  const events: SessionEvent[] = [];
  const options = { policy: SAVING as PolicyOption, ...more };
  const store = memoryStore({ leaseMs: 0, clock });
  const open = (changed: Partial<SessionOptions<never, never, never>> = {}) =>
    openSession({
      store,
      provider,
      model: MODEL,
      system: "Be brief.",
      id: "s",
      clock,
      settings,
      settingsFrom: { environment: {} },
      onEvent: (event) => events.push(event),
      ...(options as object),
      ...(changed as object),
    });
  const emitted = <Kind extends SessionEvent["kind"]>(kind: Kind) =>
    events.filter((event): event is Extract<SessionEvent, { kind: Kind }> => event.kind === kind);
  const world = { session: await open(), open, clock, model, events, told: emitted, ask };
  async function ask(words: string): Promise<string> {
    await world.session.append(words);
    const request = await world.session.prepare();
    await world.session.record(await readStream(provider.send(request)), request);
    return JSON.stringify(request.messages);
  }
  return world;
}

const words = (about: string, count = 1_500): string => `About ${about} of src/load.ts: ${`${about} `.repeat(count)}`;

/** Speaks until the conversation has so many tokens, or was compacted. */
async function growTo(world: Awaited<ReturnType<typeof begin>>, tokens: number): Promise<void> {
  const boundaries = async () => (await world.session.history.explain()).length;
  const before = await boundaries();
  for (let part = 0; world.session.view.size().tokens < tokens && (await boundaries()) === before; part++) {
    await world.ask(words(`part${part}`));
  }
}

describe("a compaction that only saves money", () => {
  test.each<[string, Reply, object]>([
    ["refuses", BAD, { failure: "no_summary" }],
    ["cannot be paid", { ...answer("Late."), fault: { kind: "spend-limit" } }, { failure: "api_error" }],
  ])("changes nothing where the model %s; it is told, and the next try waits", async (_, summary, failure) => {
    const world = await begin();
    world.model.summary = summary;
    await growTo(world, FROM_TOKENS + 2_000);
    expect(await world.session.history.explain()).toEqual([]);
    const [ended] = world.told("compaction-ended");
    expect(ended).toMatchObject({ reason: "economic", outcome: { kind: "failed", ...failure } });
    const { retryAtMs = 0 } = ended!.outcome as { retryAtMs?: number };
    expect(retryAtMs - ended!.atMs).toBe(10 * MINUTE_MS);
    expect(world.told("breaker-tripped")).toMatchObject([{ of: "economic-compaction", failures: 1, retryAtMs }]);
    expect(world.session.view.size().compaction).toMatchObject({ kind: "held", heldBy: "failed", atTokens: 167_000 });
    const { asked } = world.model;
    expect(await world.ask("And now?")).toContain("About part0");
    expect(world.model.asked).toBe(asked);
  });

  test("is tried again when its time has come, also after a resume, and closes its breaker when it works", async () => {
    const world = await begin();
    world.model.summary = BAD;
    await growTo(world, FROM_TOKENS + 2_000);
    expect(world.told("compaction-ended")).toHaveLength(1);
    await world.session.close();
    world.session = await world.open({ attendance: "unattended" });
    await world.ask("Go on.");
    expect(world.told("compaction-ended")).toHaveLength(1);
    world.clock.advance(10 * MINUTE_MS);
    await world.ask("Once more.");
    expect(world.told("compaction-ended").at(-1)).toMatchObject({ outcome: { kind: "failed" } });
    world.clock.advance(10 * MINUTE_MS);
    await world.ask("Not yet.");
    expect(world.told("compaction-ended")).toHaveLength(2);
    world.model.summary = GOOD;
    world.clock.advance(10 * MINUTE_MS);
    await world.ask("Now.");
    expect(world.told("compaction-ended").at(-1)).toMatchObject({
      outcome: { kind: "compacted", summary: { way: "fork" } },
    });
    const [boundary] = await world.session.history.explain();
    expect(boundary!.compaction).toMatchObject({ reason: "economic", trigger: "auto", decided: { rule: "economic" } });
    expect(boundary!.because).toMatch(/^economic pays: [\d,]+ tokens, and saving starts at 20,000; frees/);
    expect(boundary!.compaction!.decided!.before).toMatchObject({ compactsAtTokens: FROM_TOKENS });
    expect(boundary!.notEarlier).toMatch(
      /^at [\d,]+ tokens, nothing was done \(economic: the last compaction failed, and another one has to wait\); the policy expected to compact at 20,000$/,
    );
    expect(world.session.view.size().compaction.kind).toBe("economic");
  });

  test("has failed in vain for the window: that compacts without a model all the same", async () => {
    const world = await begin({ windowTokens: 60_000 });
    world.model.summary = BAD;
    await growTo(world, FROM_TOKENS + 2_000);
    while (world.told("compaction-started").every(({ reason }) => reason === "economic"))
      await world.ask(words("more"));
    expect(world.told("compaction-ended").at(-1)).toMatchObject({
      reason: "window",
      outcome: { kind: "compacted", summary: { way: "none", form: "coding", met: false } },
    });
    expect(world.told("compaction-degraded")).toMatchObject([
      {
        summary: "none",
        reason: "no-usable-summary",
        because: expect.stringContaining("refusal"),
        attempts: expect.any(Array),
      },
    ]);
  });

  test("waits, too, after a hook has blocked it", async () => {
    let runs = 0;
    const guard = () => {
      runs++;
      return { block: "not here" };
    };
    const world = await begin({ options: { hooks: createHooks([{ event: "PreCompact", run: guard }]) } });
    await growTo(world, FROM_TOKENS + 8_000);
    expect(runs).toBe(1);
    expect(world.told("compaction-ended")).toMatchObject([
      { outcome: { kind: "declined", reason: "blocked", retryAtMs: expect.any(Number) } },
    ]);
  });
});

describe("the first compaction that nobody asked for", () => {
  test("is announced before it is made, with what it saves; the next one is not", async () => {
    const world = await begin();
    await growTo(world, 2 * FROM_TOKENS);
    expect(world.told("compaction-announced")).toMatchObject([{ when: "now", reason: "economic" }]);
    const [first] = await world.session.history.explain();
    expect(first!.notEarlier).toMatch(
      /^at 1\d,\d{3} tokens, nothing was done \(no rule makes a proposal\); the policy expected to compact at 20,000$/,
    );
    const [announced] = world.told("compaction-announced");
    const { tokens, expectedTokens, savesTokensPerRequest, savesUsdPerRequest = 0 } = announced!;
    expect(tokens).toBeGreaterThanOrEqual(FROM_TOKENS);
    expect(savesTokensPerRequest).toBe(tokens - expectedTokens);
    expect(savesUsdPerRequest).toBeGreaterThan(0);
    const kinds = world.events.map(({ kind }) => kind);
    expect(kinds.indexOf("compaction-announced")).toBeLessThan(kinds.indexOf("compaction-started"));
    while (world.told("compaction-started").length < 2) await world.ask(words("more"));
    expect(world.told("compaction-announced")).toHaveLength(1);
  });
});

describe("a session that was resumed", () => {
  async function resumed(attendance: "attended" | "unattended") {
    const world = await begin({ options: { attendance } });
    await world.session.close();
    world.session = await world.open({ policy: compactingWhen(window()) });
    await growTo(world, FROM_TOKENS + 5_000);
    await world.session.close();
    world.events.length = 0;
    world.session = await world.open();
    return world;
  }

  test("is compacted to save money only after the user was told and has spoken again", async () => {
    const world = await resumed("attended");
    expect(world.session.view.size().compaction).toMatchObject({ kind: "held", heldBy: "opened", atTokens: 167_000 });
    await world.ask("Hi.");
    expect(world.told("compaction-started")).toEqual([]);
    expect(world.told("compaction-announced")).toMatchObject([{ when: "after-next-message", reason: "economic" }]);
    expect(world.session.view.size().compaction).toMatchObject({ kind: "held", heldBy: "opened" });
    await world.ask("Go on.");
    expect(world.told("compaction-started")).toMatchObject([{ reason: "economic" }]);
    expect(world.told("compaction-announced")).toHaveLength(1);
  });

  test("with nobody there, after it was told once, in this process or an earlier one", async () => {
    const world = await resumed("unattended");
    await world.ask("Hi.");
    expect(world.told("compaction-started")).toEqual([]);
    await world.session.close();
    world.session = await world.open();
    await world.ask("Go on.");
    expect(world.told("compaction-started")).toMatchObject([{ reason: "economic" }]);
  });
});

describe("a compaction that was taken back", () => {
  async function takenBack(windowTokens?: number) {
    const world = await begin(windowTokens === undefined ? {} : { windowTokens });
    await growTo(world, 2 * FROM_TOKENS);
    const [boundary] = await world.session.history.explain();
    await world.session.history.restore(boundary!.boundary);
    return world;
  }

  test("is not made again to save money, also after a resume; the user is told once", async () => {
    const world = await takenBack();
    expect(world.session.view.size().compaction).toMatchObject({ kind: "held", heldBy: "restored" });
    await world.ask(words("zero"));
    expect(world.session.history.decision().outcome).toEqual({
      kind: "held",
      because: "the user undid a compaction, and only a full window triggers another one",
    });
    for (const about of ["one", "two", "three"]) await world.ask(words(about));
    expect(world.told("compaction-started")).toHaveLength(1);
    expect(world.told("compaction-announced")).toMatchObject([{ when: "now" }, { when: "when-full" }]);
    await world.session.close();
    world.session = await world.open();
    await world.ask("And now?");
    await world.ask("And now?");
    expect(world.told("compaction-started")).toHaveLength(1);
  });

  test("is made when the window forces it, and that is said; after that the policy acts again", async () => {
    const world = await takenBack(60_000);
    while (world.told("compaction-started").length < 2) await world.ask(words("more"));
    expect(world.told("compaction-started").at(-1)).toMatchObject({ reason: "window", overrides: "restore" });
    const [newest] = await world.session.history.explain();
    expect(newest!.compaction).toMatchObject({ reason: "window", overrides: "restore" });
    expect(world.session.view.size().compaction).toMatchObject({ kind: "economic" });
  });
});

describe("compaction is set to ask", () => {
  const settings = { compaction: "ask" } as const;

  test("whoever is there is asked; not-now holds until they have spoken again", async () => {
    const asked: CompactionForecast[] = [];
    const answers: ("compact" | "not-now")[] = ["not-now", "compact"];
    const approveCompaction = async (due: CompactionForecast) => {
      asked.push(due);
      return answers.shift() ?? "not-now";
    };
    const world = await begin({ settings, options: { approveCompaction } });
    const { session } = world;
    while (asked.length === 0) await world.ask(words("more"));
    expect(session.view.size().compaction).toMatchObject({
      kind: "economic",
      approval: "asks",
      atTokens: FROM_TOKENS,
    });
    expect(asked).toMatchObject([{ reason: "economic" }]);
    await session.append(attachment("reminder", "From the host."));
    await session.prepare();
    expect(asked).toHaveLength(1);
    expect(world.told("compaction-started")).toEqual([]);
    expect(session.history.decision()).toMatchObject({
      status: "made",
      rule: "economic",
      outcome: { kind: "declined", because: "the user did not approve it" },
    });
    await world.ask("Two.");
    expect(session.history.decision().outcome).toEqual({ kind: "done" });
    const [boundary] = await session.history.explain();
    expect(boundary!.notEarlier).toContain("the compaction was declined: the user did not approve it");
    expect(asked).toHaveLength(2);
    expect(world.told("compaction-started")).toHaveLength(1);
    expect(world.told("compaction-due")).toEqual([]);
  });

  test("with nobody to ask it is told once in a turn, and the window is full in the end", async () => {
    const world = await begin({ settings, windowTokens: 60_000 });
    while (world.told("compaction-due").length === 0) await world.ask(words("more"));
    expect(world.told("compaction-due")).toMatchObject([{ reason: "economic", tokens: expect.any(Number) }]);
    await world.session.append(attachment("reminder", "From the host."));
    await world.session.prepare();
    expect(world.told("compaction-due")).toHaveLength(1);
    await world.ask("Two.");
    expect(world.told("compaction-due")).toHaveLength(2);
    await expect(growTo(world, 60_000)).rejects.toThrow(WindowFullError);
    expect(world.told("compaction-due").at(-1)).toMatchObject({ reason: "window" });
  });

  test("a port that throws has not said yes", async () => {
    const approveCompaction = async (): Promise<never> => {
      throw new Error("no screen");
    };
    const world = await begin({ settings, options: { approveCompaction } });
    await growTo(world, FROM_TOKENS + 5_000);
    expect(world.told("compaction-started")).toEqual([]);
  });
});

test("the size of a view says where the policy compacts", async () => {
  const sizes = async (windowTokens: number, profile: Profile) => {
    const world = await begin({ windowTokens });
    await world.session.close();
    const session = await world.open({ id: "t", policy: coding(profile) });
    await session.append("Hello");
    return session.view.size();
  };
  expect((await sizes(1_000_000, "balanced")).compaction).toEqual({
    kind: "economic",
    atTokens: 100_000,
    withinTurnAtTokens: 150_000,
    approval: "automatic",
    policy: "coding, balanced",
  });
  expect((await sizes(1_000_000, "economy")).compaction).toMatchObject({ kind: "economic", atTokens: 100_000 });
  expect((await sizes(1_000_000, "quality")).compaction).toMatchObject({ kind: "economic", atTokens: 250_000 });
  expect((await sizes(200_000, "quality")).compaction).toMatchObject({ kind: "window", atTokens: 167_000 });
  const small = await sizes(60_000, "balanced");
  expect(small.compaction).toMatchObject({ kind: "window", atTokens: small.autoCompactTokens });
});

test("percentLeft is measured against that point", async () => {
  const world = await begin();
  await growTo(world, FROM_TOKENS / 2);
  const { tokens, percentLeft, level } = world.session.view.size();
  expect(percentLeft).toBe(Math.round((1 - tokens / FROM_TOKENS) * 100));
  expect(level).toBe("ok");
});
