import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EMPTY_LEDGER } from "../cost/ledger.ts";
import { USUAL_COSTS } from "../cost/prices.ts";
import type { Block } from "../log/block.ts";
import { resolveSettings } from "../settings/resolve.ts";
import { EMPTY_CARRIED_STATE } from "../state/carried.ts";
import type { CompactionPoint } from "../state/ports.ts";
import { type Item, toItem } from "../view/view.ts";
import { emptyNotes, type Notes } from "./notes.ts";
import { NOTES_TEMPLATE } from "./template.ts";
import {
  coldChance,
  FIXED_UPDATES,
  isUpdateDue,
  type NotesCompactionQuestion,
  notesPolicy,
  notesSituation,
  PAYING_UPDATES,
  planNotesCompaction,
  type SituationSources,
  type UpdatePolicy,
  type UpdateSituation,
  updatePrice,
} from "./when.ts";

describe("isUpdateDue", () => {
  const SITUATION: UpdateSituation = {
    sizeTokens: 120_000,
    cachedTokens: 119_500,
    conversationTokens: 100_000,
    uncoveredTokens: 100_000,
    notesTokens: 0,
    keptTokens: 10_000,
    toolCallsSinceUpdate: 10,
    turn: "open",
    thresholdTokens: 167_000,
    coldStart: "folded",
    idleMs: 0,
    lifetimeMs: 300_000,
    costs: USUAL_COSTS,
  };
  const paying = (more: Partial<UpdateSituation>) => isUpdateDue({ ...SITUATION, ...more }, PAYING_UPDATES);
  const fixed = (more: Partial<UpdateSituation>) => isUpdateDue({ ...SITUATION, ...more }, FIXED_UPDATES);

  describe("with the fixed policy", () => {
    test.each([
      ["a short conversation", { conversationTokens: 9_999, uncoveredTokens: 9_999 }, "not-due"],
      ["the first time", { conversationTokens: 10_000, uncoveredTokens: 10_000 }, "due"],
      ["too little since", { uncoveredTokens: 4_999 }, "not-due"],
      ["enough since, and calls", { uncoveredTokens: 5_000, toolCallsSinceUpdate: 3 }, "due"],
      ["enough since, few calls", { uncoveredTokens: 5_000, toolCallsSinceUpdate: 2 }, "not-due"],
      ["enough since, a pause", { uncoveredTokens: 5_000, toolCallsSinceUpdate: 0, turn: "closed" }, "due"],
      ["calls without tokens", { uncoveredTokens: 100, toolCallsSinceUpdate: 50, turn: "closed" }, "not-due"],
    ] as const)("%s", (_, more, kind) => {
      expect(fixed(more).kind).toBe(kind);
    });
  });

  describe("with the paying policy", () => {
    test("is not due while the work continues, however much is new", () => {
      expect(paying({})).toEqual({ kind: "not-due", reason: expect.stringContaining("compaction is far") });
    });

    test("is due shortly before the cache expires", () => {
      expect(paying({ idleMs: 239_000 }).kind).toBe("not-due");
      expect(paying({ idleMs: 241_000 })).toMatchObject({ kind: "due", occasion: "cache-ends" });
      expect(paying({ idleMs: 241_000, lifetimeMs: 3_600_000 }).kind).toBe("not-due");
      expect(paying({ idleMs: 3_000_000, lifetimeMs: 3_600_000 })).toMatchObject({ kind: "due" });
    });

    test("is never due with a cold prompt", () => {
      expect(paying({ idleMs: 300_000 })).toEqual({ kind: "not-due", reason: "the prompt is cold" });
      expect(paying({ cachedTokens: 0, turn: "closed" }).reason).toBe("the prompt is cold");
    });

    test("is not due if a cold start is cheap or sends the whole conversation", () => {
      const small = { sizeTokens: 35_000, cachedTokens: 34_000, conversationTokens: 15_000, uncoveredTokens: 15_000 };
      expect(paying({ ...small, idleMs: 250_000 }).reason).toMatch(
        /about to expire: .* costs as much as \d+ .* saves \d+/,
      );
      expect(paying({ ...small, idleMs: 250_000 }).kind).toBe("not-due");
      expect(paying({ coldStart: "whole", idleMs: 250_000 }).kind).toBe("not-due");
    });

    test("is due near a compaction, unless the notes are fresh", () => {
      const near = { sizeTokens: 158_000, cachedTokens: 157_000, conversationTokens: 138_000 };
      expect(paying({ ...near, uncoveredTokens: 138_000 })).toMatchObject({ kind: "due", occasion: "compaction-near" });
      expect(paying({ ...near, uncoveredTokens: 90_000, notesTokens: 3_000 }).kind).toBe("due");
      expect(paying({ ...near, uncoveredTokens: 12_000, notesTokens: 3_000 }).kind).toBe("not-due");
      expect(paying({ ...near, uncoveredTokens: 138_000, thresholdTokens: undefined }).kind).toBe("not-due");
    });

    test("is due at the end of a turn only if the next message causes a compaction", () => {
      const ended = { turn: "closed" as const, thresholdTokens: 150_000 };
      expect(paying({ ...ended, betweenTurnsTokens: 125_000 }).kind).toBe("not-due");
      expect(paying({ ...ended, betweenTurnsTokens: 120_000 })).toMatchObject({
        kind: "due",
        occasion: "compaction-near",
      });
      expect(paying({ ...ended, betweenTurnsTokens: 120_000, turn: "open" }).kind).toBe("not-due");
      expect(paying({ ...ended, thresholdTokens: 130_000, turn: "open" }).kind).toBe("due");
    });

    test("is never due if it costs more than it saves", () => {
      const dear = { ...USUAL_COSTS, output: 100 };
      expect(paying({ idleMs: 250_000, costs: dear }).kind).toBe("not-due");
    });

    test("is never due with a cold prompt, and never costs more than the conversation or its summary", () => {
      const tokens = fc.integer({ min: 0, max: 300_000 });
      const situation = fc.record({
        cachedTokens: tokens,
        conversationTokens: tokens,
        uncoveredTokens: tokens,
        thresholdTokens: tokens,
        notesTokens: fc.integer({ min: 0, max: 12_000 }),
        turn: fc.constantFrom("open" as const, "closed" as const),
        idleMs: fc.integer({ min: 0, max: 400_000 }),
        costs: fc.record({
          read: fc.double({ min: 0.01, max: 1, noNaN: true }),
          write: fc.double({ min: 1, max: 2, noNaN: true }),
          input: fc.constant(1),
          output: fc.double({ min: 1, max: 20, noNaN: true }),
        }),
      });
      let due = 0;
      fc.assert(
        fc.property(situation, (random) => {
          const now = { ...SITUATION, ...random, sizeTokens: random.conversationTokens + 20_000 };
          if (isUpdateDue(now, PAYING_UPDATES).kind === "not-due") return;
          due++;
          const { sizeTokens, cachedTokens, conversationTokens, idleMs, lifetimeMs, costs } = now;
          expect(idleMs).toBeLessThan(lifetimeMs);
          expect(cachedTokens).toBeGreaterThan(0);
          const cached = Math.min(cachedTokens, sizeTokens);
          const summary = cached * costs.read + (sizeTokens - cached + 800) * costs.input + 4_100 * costs.output;
          expect(updatePrice(now, costs)).toBeLessThanOrEqual(Math.max(conversationTokens * costs.write, summary));
        }),
        { numRuns: 1_000 },
      );
      expect(due).toBeGreaterThan(50);
    });

    test("has the recorded probability of a cold start", () => {
      const [fiveMinutes, hour] = [300_000, 3_600_000];
      expect(coldChance(0, fiveMinutes, "closed")).toBeCloseTo(487 / 1_847, 2);
      expect(coldChance(0, hour, "closed")).toBeCloseTo(113 / 1_847, 2);
      expect(coldChance(0, fiveMinutes, "open")).toBeCloseTo(184 / 18_481, 3);
      expect(coldChance(0, hour, "open")).toBeCloseTo(16 / 18_481, 3);
      expect(coldChance(fiveMinutes, fiveMinutes, "closed")).toBe(1);
    });
  });

  /**
   * A session like the recorded ones: about 800 tokens for each request, sometimes many more; turns of 11 requests; a
   * quarter of the pauses are long.
   */
  function bill(policy: UpdatePolicy | "none", requests: number) {
    const costs = USUAL_COSTS;
    const random = randomNumbers(7);
    const [around, threshold, kept, output] = [20_000, 167_000, 10_000, 500];
    let [conversation, uncovered, notes, calls, cached] = [5_000, 5_000, 0, 0, 0];
    const spent = { session: 0, updates: 0, count: 0, summaries: 0, cold: 0 };
    const situation = (turn: "open" | "closed", idleMs: number): UpdateSituation => ({
      sizeTokens: around + conversation,
      cachedTokens: cached,
      conversationTokens: conversation,
      uncoveredTokens: uncovered,
      notesTokens: notes,
      keptTokens: kept,
      toolCallsSinceUpdate: calls,
      turn,
      thresholdTokens: threshold,
      coldStart: policy === "none" ? "whole" : "folded",
      idleMs,
      lifetimeMs: 300_000,
      costs,
    });
    const maybeUpdate = (now: UpdateSituation): void => {
      if (policy === "none" || isUpdateDue(now, policy).kind === "not-due") return;
      spent.updates += updatePrice(now, costs);
      spent.count++;
      notes = Math.min(4_000, notes + 800 + 0.02 * uncovered);
      [uncovered, calls] = [0, 0];
    };
    const fold = (): void => {
      conversation = notes + Math.max(uncovered, kept);
      cached = Math.min(cached, around);
    };

    for (let request = 1; request <= requests; request++) {
      if (around + conversation >= threshold) {
        if (notes > 0 && around + notes + uncovered < threshold) fold();
        else {
          spent.session += (around + conversation) * costs.read + 4_100 * costs.output;
          spent.summaries++;
          [conversation, uncovered] = [4_100 + kept, 4_100 + kept];
          cached = around;
        }
      }
      const size = around + conversation;
      spent.session += cached * costs.read + (size - cached) * costs.write + output * costs.output;
      cached = size;
      conversation += output;
      uncovered += output;
      const turn = request % 11 === 0 ? "closed" : "open";
      if (turn === "open") calls++;
      maybeUpdate(situation(turn, 0));
      const chance = random();
      const gapMs = turn === "open" ? (chance < 0.01 ? 600_000 : 10_000) : chance < 0.26 ? 900_000 : 60_000;
      if (gapMs >= 250_000) maybeUpdate(situation(turn, 250_000));
      if (gapMs >= 300_000) {
        spent.cold++;
        cached = 0;
        if (notes > 0 && notes + Math.max(uncovered, kept) < conversation / 2) fold();
      }
      const growth = random() < 0.05 ? 5_000 : 100 + 300 * random();
      conversation += growth;
      uncovered += growth;
    }
    return { ...spent, total: spent.session + spent.updates };
  }

  /** Yields the same numbers every time. */
  function randomNumbers(seed: number): () => number {
    let state = seed;
    return () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
  }

  describe("a session of 2,000 requests", () => {
    const [without, byGrowth, whenItPays] = [
      bill("none", 2_000),
      bill(FIXED_UPDATES, 2_000),
      bill(PAYING_UPDATES, 2_000),
    ];

    test("makes an update about every sixth request with the fixed policy, for 15 to 17% of the price", () => {
      expect(2_000 / byGrowth.count).toBeGreaterThan(5);
      expect(2_000 / byGrowth.count).toBeLessThan(7);
      expect(byGrowth.updates / without.total).toBeGreaterThan(0.12);
      expect(byGrowth.updates / without.total).toBeLessThan(0.2);
    });

    test("costs at most a fifth of that with the paying policy, and less than a session without notes", () => {
      expect(whenItPays.updates).toBeLessThan(byGrowth.updates / 5);
      expect(whenItPays.total).toBeLessThan(without.total);
      expect(whenItPays.total).toBeLessThan(byGrowth.total);
      expect(whenItPays.summaries).toBe(0);
    });
  });
});

describe("notesSituation", () => {
  const { settings } = resolveSettings({});
  const common = { approval: "automatic", profile: "balanced" } as const;

  /** A conversation of 95,000 tokens in a large window, while the model is at work. */
  function situationWith(compaction: CompactionPoint) {
    const call = { kind: "message", from: 2, to: 2, blocks: [{ kind: "tool_call" }] };
    const previous = { atMs: 0, lifetimeMs: 3_600_000, cacheReadTokens: 90_000, cacheWriteTokens: 5_000 };
    return notesSituation({
      snapshot: { items: [call], carriedState: EMPTY_CARRIED_STATE, tokensOf: () => 80_000, sizeTokens: 95_000 },
      ledger: { ...EMPTY_LEDGER, sources: { main: { previous } } },
      prices: undefined,
      compaction,
      settings,
      notesTokens: 0,
      nowMs: 1_000,
    } as unknown as SituationSources)!;
  }

  test.each<[string, CompactionPoint, number | undefined, string]>([
    ["economic", { policy: "economic", atTokens: 100_000, ...common }, 100_000, "due"],
    [
      "within a turn",
      { policy: "economic", atTokens: 90_000, withinTurnAtTokens: 150_000, ...common },
      150_000,
      "not-due",
    ],
    ["window", { policy: "window", atTokens: 967_000, ...common }, 967_000, "not-due"],
    ["off", { policy: "off", profile: "balanced" }, undefined, "not-due"],
  ])("measures the distance to the actual point of compaction: %s", (_, point, thresholdTokens, kind) => {
    const situation = situationWith(point);
    expect(situation.thresholdTokens).toBe(thresholdTokens);
    expect(isUpdateDue(situation, notesPolicy(settings)).kind).toBe(kind);
  });
});

describe("planNotesCompaction", () => {
  const countTokens = (text: string): number => Math.ceil(text.length / 4);
  const NOTES: Notes = { sections: NOTES_TEMPLATE.map((section) => ({ ...section, content: "something" })) };

  const text = (words: string): Block => ({ kind: "text", text: words });
  const call = (id: string): Block => ({ kind: "tool_call", id, name: "shell", input: {} });
  const result = (callId: string): Block => ({ kind: "tool_result", callId, content: "done", status: "ok" });

  const user = (from: number, ...blocks: readonly Block[]): Item =>
    toItem({ from, to: from, role: "user", blocks, origin: blocks[0]?.kind === "tool_result" ? "tool" : "human" });
  const model = (from: number, responseId: string | undefined, ...blocks: readonly Block[]): Item =>
    toItem({
      from,
      to: from,
      role: "assistant",
      blocks,
      origin: "model",
      ...(responseId === undefined ? {} : { responseId }),
    });
  const summaryOf = ({ to, by }: { to: number; by: number }): Item =>
    toItem({ from: 1, to, by, role: "user", blocks: [text("summary")], origin: "summary" });
  const seal = (from: number): Item => ({ kind: "seal", from, to: from, maxTokens: 1_000 });

  /** Every message has 1,000 tokens by default. */
  function plan(items: readonly Item[], more: Partial<NotesCompactionQuestion> = {}) {
    return planNotesCompaction({
      items,
      notes: NOTES,
      notesEntry: 500,
      recall: "offered",
      coveredTo: items.at(-1)!.to,
      thresholdTokens: 100_000,
      tokensOf: ({ kind }) => (kind === "seal" ? 0 : 1_000),
      countTokens,
      ...more,
    });
  }
  const words = (count: number): Item[] => Array.from({ length: count }, (_, at) => user(at + 1, text("hello")));

  describe("kept messages", () => {
    test("include all messages that the notes do not cover", () => {
      expect(plan(words(90), { coveredTo: 20 })).toMatchObject({ kind: "keep", from: 21, keptTokens: 70_000 });
    });

    test("include covered messages up to the minimum of tokens and of messages with text", () => {
      expect(plan(words(60))).toMatchObject({ kind: "keep", from: 51, keptTokens: 10_000 });
      expect(plan(words(60), { minimumTextMessages: 12 })).toMatchObject({ from: 49 });
      const results = Array.from({ length: 30 }, (_, at) => user(at + 61, result(`late-${at}`)));
      expect(plan([...words(60), ...results])).toMatchObject({ from: 56, keptTokens: 35_000 });
    });

    test("include no covered message that would exceed the maximum", () => {
      const results = Array.from({ length: 80 }, (_, at) => user(at + 61, result(`late-${at}`)));
      expect(plan([...words(60), ...results])).toMatchObject({ from: 101, keptTokens: 40_000 });
      const big = (item: Item): number => (item.from === 57 ? 39_000 : 1_000);
      expect(plan(words(60), { tokensOf: big })).toMatchObject({ from: 58, keptTokens: 3_000 });
    });

    test("include nothing before the newest boundary", () => {
      const items = [summaryOf({ to: 55, by: 70 }), ...words(60).slice(55)];
      expect(plan(items, { newestBoundary: 70 })).toMatchObject({ kind: "keep", from: 56 });
    });

    test("stay the same in a second compaction before the next update", () => {
      const items = [...words(60), seal(61), ...words(80).slice(61)];
      const planned = plan(items, { coveredTo: 60 });
      expect(planned).toMatchObject({ kind: "keep", from: 62, foldedTo: 60 });
      const later = Array.from({ length: 30 }, (_, at) => user(at + 82, text("more")));
      const again = plan([summaryOf({ to: 60, by: 81 }), ...items.slice(60), ...later], {
        coveredTo: 60,
        newestBoundary: 81,
      });
      expect(again).toMatchObject({ kind: "keep", from: 62, foldedTo: 60 });
    });

    test("include a call with its result, and all pieces of a response", () => {
      const items = [
        ...words(50),
        ...[
          model(51, "a", text("I look")),
          model(52, "a", call("x")),
          model(53, "a", call("y")),
          user(54, result("x")),
        ],
        ...[user(55, result("y")), seal(56), model(57, "b", text("so it is"))],
      ];
      const one = { minimumTokens: 2_000, minimumTextMessages: 1 };
      expect(plan(items, one)).toMatchObject({ from: 51 });
      expect(plan(items, { ...one, minimumTokens: 1_000 })).toMatchObject({ from: 57 });
    });

    test("keep pairs by position if an id is used repeatedly", () => {
      const round = (at: number): Item[] => [model(at, `r${at}`, call("0")), user(at + 1, result("0")), seal(at + 2)];
      // The first call has no result, so its id does not belong to the results after the next request.
      const items = [model(1, "r1", call("0")), seal(2), ...round(3), ...round(6), ...round(9)];
      const few = { minimumTokens: 1_000, minimumTextMessages: 0 };
      expect(plan(items, few)).toMatchObject({ from: 9 });
      const unsealed = items.filter(({ kind, from }) => kind === "message" && from > 2);
      expect(plan(unsealed, few)).toMatchObject({ from: 9 });
    });

    test("follow the notes as the summary, which name the entry with the full notes", () => {
      const long: Notes = {
        sections: NOTES.sections.map((one) => ({ ...one, content: "line of notes\n".repeat(900) })),
      };
      const planned = plan(words(60), { notes: long });
      expect(planned.kind === "keep" && planned.summary).toMatch(/^# Session title\nline of notes\n/);
      expect(planned.kind === "keep" && planned.summary).toContain("Recall entry 500");
      const unread = plan(words(60), { notes: long, recall: "missing" });
      expect(unread.kind === "keep" && unread.summary).not.toContain("Recall");
      expect(planned.kind === "keep" && planned.resultTokens).toBeLessThanOrEqual(10_000 + 10 * 2_020);
    });
  });

  describe("declined", () => {
    test.each<[string, readonly Item[], Partial<NotesCompactionQuestion>, string]>([
      ["bare notes", words(60), { notes: emptyNotes(NOTES_TEMPLATE) }, "the notes are empty"],
      ["a last covered message that is gone", words(60), { coveredTo: 61 }, "entry 61"],
      ["too much that is not covered", words(150), { coveredTo: 20 }, "130000 of them in kept messages"],
      ["too much around it", words(60), { aroundTokens: 90_000 }, "compaction is due at 100000"],
      ["a conversation that is all kept", words(8), {}, "no messages to compact"],
    ])("%s", (_, items, more, reason) => {
      const planned = plan(items, more);
      expect(planned.kind === "declined" && planned.reason).toContain(reason);
    });

    test("a boundary that covers more than the notes", () => {
      const summaryFrom = (from: number): Item =>
        toItem({ from, to: 55, by: 70, role: "user", blocks: [text("summary")], origin: "summary" });
      const [head, tail] = [words(60).slice(0, 5), words(60).slice(55)];
      const together = plan([summaryFrom(1), ...tail], { coveredTo: 40, newestBoundary: 70 });
      expect(together.kind === "declined" && together.reason).toContain("not in the view");
      const separate = plan([...head, summaryFrom(6), ...tail], { coveredTo: 5, newestBoundary: 70 });
      expect(separate.kind === "declined" && separate.reason).toContain("covers more than the notes");
      expect(plan([...head, summaryFrom(6), ...tail], { coveredTo: 55, newestBoundary: 70 })).toMatchObject({
        from: 56,
      });
    });
  });

  /** A session with known pairs, although the ids do not always identify them. */
  const round = fc.record({
    pieces: fc.array(fc.array(fc.constantFrom("text", "x", "y", "z"), { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 3,
    }),
    named: fc.boolean(),
    answered: fc.infiniteStream(fc.constantFrom("now", "now", "now", "later", "never")),
    between: fc.constantFrom("nothing", "reminder", "user"),
    sealed: fc.boolean(),
  });

  interface Built {
    readonly items: Item[];
    /** Indices that must not be separated. */
    readonly ties: (readonly [number, number])[];
  }

  function build(rounds: readonly (typeof round extends fc.Arbitrary<infer Round> ? Round : never)[]): Built {
    const items: Item[] = [user(1, text("the task"))];
    const ties: (readonly [number, number])[] = [];
    const late: string[] = [];
    const add = (item: (from: number) => Item): number => items.push(item(items.length + 1)) - 1;
    for (const [index, { pieces, named, answered, between, sealed }] of rounds.entries()) {
      const calls: { id: string; at: number }[] = [];
      const indices = pieces.map((kinds) => {
        const at = add((from) =>
          model(
            from,
            named ? `response-${index}` : undefined,
            ...kinds.map((kind) => (kind === "text" ? text("so") : call(kind))),
          ),
        );
        for (const id of kinds) if (id !== "text") calls.push({ id, at });
        return at;
      });
      for (const at of indices) ties.push([indices[0]!, at]);
      if (between === "reminder")
        add((from) =>
          toItem({ from, to: from, role: "user", blocks: [text("mind")], origin: "host", attachment: "a" }),
        );
      // Results answer the calls of one id in order.
      const open = new Set<string>();
      for (const { id, at } of calls) {
        const when = open.has(id) ? "never" : answered.next().value!;
        if (when === "now") ties.push([at, add((from) => user(from, result(id)))]);
        else open.add(id);
        if (when === "later") late.push(id);
      }
      if (between === "user") add((from) => user(from, text("and this")));
      if (sealed || open.size > 0) add(seal);
      const id = late.shift();
      if (id !== undefined && index % 2 === 1) {
        add((from) => user(from, result(id)));
        add(seal);
      }
    }
    return { items, ties };
  }

  test("keeps pairs and responses together, keeps uncovered messages, and stays below the threshold, for any session", () => {
    let kept = 0;
    fc.assert(
      fc.property(
        fc.array(round, { minLength: 1, maxLength: 25 }).map(build),
        fc.nat(),
        fc.integer({ min: 0, max: 20_000 }),
        fc.integer({ min: 0, max: 6 }),
        fc.integer({ min: 5_000, max: 60_000 }),
        ({ items, ties }, covered, minimumTokens, minimumTextMessages, thresholdTokens) => {
          const coveredTo = items[covered % items.length]!.to;
          const planned = plan(items, { coveredTo, minimumTokens, minimumTextMessages, thresholdTokens });
          if (planned.kind === "declined") return;
          kept++;
          const cut = items.findIndex(({ from }) => from === planned.from);
          for (const [one, other] of ties) expect(one < cut).toBe(other < cut);
          expect(items.slice(0, cut).filter(({ kind, to }) => kind === "message" && to > coveredTo)).toEqual([]);
          expect(items[cut]!.kind).toBe("message");
          expect(planned.resultTokens).toBeLessThan(thresholdTokens);
        },
      ),
      { numRuns: 1_000 },
    );
    // The property is checked only if a compaction was planned.
    expect(kept).toBeGreaterThan(100);
  });
});
