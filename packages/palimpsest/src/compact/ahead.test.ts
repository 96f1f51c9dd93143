import { callTool, callTools } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import { createHooks } from "../hooks/run.ts";
import { toolResult } from "../log/messages.ts";
import type { Policy } from "../policy/policy.ts";
import { nearCompaction } from "../policy/rules/ahead.ts";
import { BAD_SUMMARY, FROM_TOKENS, openGated, PREPARING, soon, words } from "../session/testing/gated-summaries.ts";
import { prose } from "./summary/forms.ts";

/** A summary is prepared from here on between turns, and from half as much again inside a turn. */
const NEAR_TOKENS = 0.8 * FROM_TOKENS;
const HURRIED: Policy = { ...PREPARING, compact: { ...PREPARING.compact, patience: "when-required" } };

async function prepared(...given: Parameters<typeof openGated>) {
  const world = await openGated(...given);
  await world.growTo(NEAR_TOKENS);
  await world.begun(1);
  await world.release();
  return world;
}

const written = async (world: Awaited<ReturnType<typeof openGated>>) =>
  (await world.entries()).flatMap((read) => (read.kind === "prepared" ? [{ at: read.sequence, ...read.payload }] : []));
const compacted = (world: Awaited<ReturnType<typeof openGated>>) =>
  world
    .emitted("compaction-ended")
    .flatMap(({ outcome }) => (outcome.kind === "compacted" ? [outcome.summary.way] : [outcome.kind]));

describe("a prepared summary", () => {
  test("is written when a turn ends near a compaction, and installed without a call once the decision compacts", async () => {
    const world = await prepared();
    const [event] = world.emitted("summary-prepared");
    expect(event).toMatchObject({ calls: 1, tokens: expect.any(Number), priceUsd: expect.any(Number) });
    expect(event!.because).toContain("a compaction follows at 20,000");
    const after = world.session.history.newestEntry;
    expect(event!.to).toBeLessThan(after);
    await world.ask(words("later", 2_800));
    const sent = await world.ask("And now?");
    expect(compacted(world)).toEqual(["prepared"]);
    expect(sent).toContain("part 9 of it was tested twice");
    // What came after the range stays as it is.
    expect(sent).toContain("About later of src/load.ts");
    expect(world.summaries.begun).toBe(1);
    const [boundary] = await world.session.history.explain();
    expect(boundary!.compaction).toMatchObject({
      summary: { way: "prepared", met: true },
      modelCalls: 0,
      prepared: { calls: 1, priceUsd: event!.priceUsd },
    });
    expect(boundary).toMatchObject({ from: event!.from, to: event!.to });
    const { bySource } = await world.session.ledger.cost();
    expect(bySource["compact_ahead"]!.priceUsd).toBeCloseTo(event!.priceUsd!, 6);
    expect(bySource["compact"]).toBeUndefined();
    expect(world.emitted("fork-missed-cache")).toEqual([]);
  });

  test("is written while tools run, covers the prompt that was just sent, and is installed inside the turn", async () => {
    const world = await openGated();
    await world.session.append("Read everything about src/load.ts.");
    for (let file = 0; world.session.view.size().tokens < 1.2 * FROM_TOKENS; file++) await world.read(`a${file}.ts`);
    // The call that makes the window large enough waits for its result while the summary is written.
    await world.exchange(callTools(callTool("Read", { file_path: "last.ts" })));
    const [open] = world.session.view.openCalls();
    await world.begun(1);
    await world.release();
    const { to } = world.emitted("summary-prepared")[0]!;
    await world.session.append(toolResult(open!.id, "last words ".repeat(600)));
    await world.exchange(callTools(callTool("Read", { file_path: "b.ts" })));
    const [next] = world.session.view.openCalls();
    await world.session.append(toolResult(next!.id, "more words ".repeat(1_500)));
    const sent = await world.exchange();
    expect(compacted(world)).toEqual(["prepared"]);
    expect(sent).toContain("last words last words");
    const [boundary] = await world.session.history.explain();
    expect(boundary!.to).toBe(to);
  });

  test("is waited for if it is needed before it is ready, and no second call is made", async () => {
    const world = await openGated();
    await world.growTo(NEAR_TOKENS);
    await world.begun(1);
    await world.ask(words("later", 2_800));
    const asked = world.ask("And now?");
    await soon(() => world.emitted("compaction-progressed").some(({ phase }) => phase === "waiting"));
    await world.release();
    await asked;
    expect(compacted(world)).toEqual(["prepared"]);
    expect(world.summaries.begun).toBe(1);
  });

  test("can be asked for in vain: a person who waits can stop", async () => {
    const world = await openGated();
    await world.growTo(NEAR_TOKENS);
    await world.begun(1);
    await world.ask(words("later", 2_800));
    await world.session.append("And now?");
    const stop = new AbortController();
    const request = world.session.prepare({ signal: stop.signal });
    await soon(() => world.emitted("compaction-progressed").length > 0);
    stop.abort();
    await expect(request).rejects.toThrow();
    // The call goes on for the next request.
    await world.release();
    await world.exchange();
    expect(compacted(world).at(-1)).toBe("prepared");
  });

  test("survives a resume on another process, and is installed there", async () => {
    const world = await prepared();
    await world.session.close();
    await world.reopen();
    await world.ask(words("later", 2_800));
    await world.ask("And now?");
    await world.ask("Go on.");
    expect(compacted(world)).toEqual(["prepared"]);
    expect(world.summaries.begun).toBe(1);
  });

  test.each<[string, Parameters<typeof openGated>[0]]>([
    ["compactions are off", { settings: { compaction: "off" } }],
    ["the user is asked", { settings: { compaction: "ask" } }],
    ["nobody is there, so a process would wait for the call at its end", { attendance: "unattended" }],
    [
      "the policy prepares nothing",
      { policy: { ...PREPARING, compact: { ...PREPARING.compact, prepareAhead: undefined } } },
    ],
  ])("is not written where %s", async (_, options) => {
    const world = await openGated(options);
    await world.growTo(NEAR_TOKENS);
    await world.ask("One more.");
    expect(world.summaries.begun).toBe(0);
  });

  test("is written anew after too much was added behind its range, and the old one is reported with its price", async () => {
    const world = await prepared();
    const price = world.emitted("summary-prepared")[0]!.priceUsd;
    // Inside a turn, the compaction comes later than the end of the tail.
    await world.session.append("Read more.");
    await world.read("a.ts", 3_000);
    await world.read("b.ts", 3_000);
    await world.exchange(callTools(callTool("Read", { file_path: "c.ts" })));
    expect(world.emitted("prepared-summary-dropped")).toMatchObject([{ reason: "tail-too-long", priceUsd: price }]);
    await world.begun(2);
    await world.release();
    expect((await written(world)).map(({ step }) => step)).toEqual(["written", "dropped", "written"]);
  });
});

describe("a prepared summary is dropped", () => {
  test("by a rewind into its range, and not by one to a place after it", async () => {
    const world = await prepared();
    const { to } = world.emitted("summary-prepared")[0]!;
    const end = world.session.history.newestEntry;
    await world.ask("A question.");
    await world.session.history.rewind(end);
    expect(world.emitted("prepared-summary-dropped")).toEqual([]);
    await world.session.history.rewind(to);
    expect(world.emitted("prepared-summary-dropped")).toEqual([]);
    await world.session.history.rewind(to - 1);
    expect(world.emitted("prepared-summary-dropped")).toMatchObject([{ reason: "rewound" }]);
    // The branch has the entry again, and the summary stays dropped.
    await world.session.history.rewind(to - 2);
    await world.reopen();
    await world.ask(words("later", 900));
    await world.begun(2);
    await world.release();
    await world.ask(words("even later", 1_400));
    await world.ask("And now?");
    await world.ask("And now?");
    const boundaries = await world.session.history.explain();
    expect(boundaries.map(({ compaction }) => compaction?.prepared?.entry)).toEqual([
      (await written(world)).at(-1)!.at,
    ]);
  });

  test("while a model writes it", async () => {
    const world = await openGated();
    await world.growTo(NEAR_TOKENS);
    await world.begun(1);
    await world.session.history.rewind(4);
    await soon(() => world.emitted("prepared-summary-dropped").length > 0);
    expect(world.emitted("prepared-summary-dropped")).toMatchObject([{ reason: "rewound" }]);
    expect(await written(world)).toEqual([]);
  });

  test("by an installed one that is undone: it is not installed again", async () => {
    const world = await prepared();
    await world.ask(words("later", 2_800));
    await world.ask("And now?");
    const { boundary } = (await world.session.history.explain())[0]!;
    await world.session.history.restore(boundary);
    await world.reopen();
    await world.ask("Go on.");
    await world.ask("Go on.");
    expect(compacted(world)).toEqual(["prepared"]);
    expect(world.emitted("prepared-summary-dropped")).toEqual([]);
    // Nor after a rewind to before the compaction.
    await world.session.history.rewind(boundary - 1);
    await world.ask("Go on.");
    expect(compacted(world)).toEqual(["prepared"]);
  });

  test.each<[string, (world: Awaited<ReturnType<typeof openGated>>, entry: number) => Promise<unknown>, string]>([
    [
      "content is taken out",
      (world, entry) => world.session.history.snip({ from: entry, to: entry }),
      "content-changed",
    ],
    ["content is erased", (world, entry) => world.session.erase(entry), "content-changed"],
    ["the user compacts", (world) => world.session.compact(), "compacted"],
    [
      "the host compacts",
      (world, entry) =>
        world.session.history.fold(
          { from: entry, to: entry },
          [{ role: "user", origin: "summary", blocks: [{ kind: "text", text: "Short." }] }],
          "test",
        ),
      "compacted",
    ],
  ])("if %s", async (_, change, reason) => {
    const world = await prepared();
    world.summaries.released = 10;
    const { from } = world.emitted("summary-prepared")[0]!;
    await change(world, from);
    expect(world.emitted("prepared-summary-dropped")).toMatchObject([{ reason, priceUsd: expect.any(Number) }]);
  });

  test("with the content, if that is erased", async () => {
    const world = await prepared();
    const { at } = (await written(world))[0]!;
    await world.session.erase(world.emitted("summary-prepared")[0]!.from);
    const [entry] = (await world.entries()).filter(({ sequence }) => sequence === at);
    expect(entry).toMatchObject({ kind: "passed-over", why: "erased" });
  });

  test("if the policy asks for another form", async () => {
    const world = await prepared();
    await world.session.close();
    const summary = prose("One paragraph.");
    await world.reopen({ policy: { ...PREPARING, compact: { ...PREPARING.compact, summary } } });
    await world.ask("Hello again.");
    expect(world.emitted("prepared-summary-dropped")).toMatchObject([{ reason: "policy-changed" }]);
  });

  test("if the session is closed while a model writes it", async () => {
    const world = await openGated();
    await world.growTo(NEAR_TOKENS);
    await world.begun(1);
    await world.session.close();
    expect(world.emitted("prepared-summary-dropped")).toMatchObject([{ reason: "closed" }]);
    expect(world.emitted("prepared-summary-dropped")[0]!.priceUsd).toBeUndefined();
  });
});

describe("a summary that cannot be prepared", () => {
  test("counts for the breaker, so that a model that fails is not asked after every response", async () => {
    const world = await openGated();
    world.summaries.reply = BAD_SUMMARY;
    world.summaries.released = 100;
    await world.growTo(NEAR_TOKENS);
    await soon(() => world.emitted("prepared-summary-dropped").length > 0);
    expect(world.emitted("prepared-summary-dropped")).toMatchObject([
      { reason: "failed", priceUsd: expect.any(Number) },
    ]);
    expect(world.emitted("breaker-tripped")).toMatchObject([{ of: "economic-compaction", failures: 1 }]);
    const { begun } = world.summaries;
    await world.ask("One.");
    await world.ask("Two.");
    expect(world.summaries.begun).toBe(begun);
    expect(world.session.view.size().compaction).toMatchObject({ kind: "held", heldBy: "failed" });
  });

  test("is blocked by a PreCompact hook; PostCompact runs when a summary is installed", async () => {
    const ran: string[] = [];
    let verdict: "allow" | "block" = "block";
    const hooks = createHooks([
      {
        event: "PreCompact",
        run: () => {
          ran.push("PreCompact");
          return verdict === "block" ? { block: "not now" } : {};
        },
      },
      { event: "PostCompact", run: () => void ran.push("PostCompact") },
    ]);
    const world = await openGated({ hooks });
    await world.growTo(NEAR_TOKENS);
    await soon(() => world.emitted("prepared-summary-dropped").length > 0);
    expect(world.emitted("prepared-summary-dropped")[0]).toMatchObject({
      reason: "blocked",
      because: expect.stringContaining("not now"),
    });
    expect(world.summaries.begun).toBe(0);
    verdict = "allow";
    world.clock.advance(11 * 60_000);
    await world.ask("Go on.");
    await world.begun(1);
    await world.release();
    expect(ran).toEqual(["PreCompact", "PreCompact"]);
    await world.ask(words("later", 2_800));
    await world.ask("And now?");
    expect(compacted(world)).toEqual(["prepared"]);
    expect(ran).toEqual(["PreCompact", "PreCompact", "PostCompact"]);
  });
});

describe('patience "when-required"', () => {
  test("sends the window as it is, and installs the summary once it is ready, also inside the turn", async () => {
    const policy: Policy = {
      ...HURRIED,
      compact: {
        ...HURRIED.compact,
        prepareAhead: nearCompaction({ idleShare: 1, inTurnShare: 1, maxTailTokens: 8_000 }),
      },
    };
    const world = await openGated({ policy });
    await world.growTo(FROM_TOKENS - 2_000);
    await world.session.append(words("much", 1_500));
    const sent = await world.exchange(callTools(callTool("Read", { file_path: "a.ts" })));
    expect(sent).toContain("About part0");
    expect(compacted(world)).toEqual([]);
    await world.begun(1);
    await world.release();
    const [open] = world.session.view.openCalls();
    await world.session.append(toolResult(open!.id, "short"));
    // Inside the turn, the policy would compact only from half as much again.
    expect(world.session.view.size().tokens).toBeLessThan(1.5 * FROM_TOKENS);
    expect(await world.exchange()).toContain("part 9 of it was tested twice");
    expect(compacted(world)).toEqual(["prepared"]);
    expect(world.emitted("compaction-progressed").some(({ phase }) => phase === "waiting")).toBe(false);
    expect(world.session.history.decision().proposals[0]?.because).toContain("is ready");
  });

  test("waits for a compaction that the window requires", async () => {
    const when: Policy["compact"]["when"] = ({ size }) =>
      size.tokens < FROM_TOKENS ? undefined : { level: "required", because: "the window is full" };
    const world = await openGated({ policy: { ...HURRIED, compact: { ...HURRIED.compact, when } } });
    await world.growTo(NEAR_TOKENS);
    await world.begun(1);
    const asked = world.ask(words("huge", 4_000));
    await soon(() => world.emitted("compaction-progressed").some(({ phase }) => phase === "waiting"));
    await world.release();
    await asked;
    expect(compacted(world)).toEqual(["prepared"]);
  });
});
