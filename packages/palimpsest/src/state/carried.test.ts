import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ReadEntry } from "../log/entry.ts";
import type { AgentPayload } from "../log/payload-turn.ts";
import {
  type AgentInFlight,
  agentsText,
  type BreakerEvent,
  type BreakerState,
  breakerAfter,
  type CarriedState,
  CLOSED,
  classifyStep,
  ECONOMIC_BREAKER,
  EMPTY_CARRIED_STATE,
  foldAgent,
  foldCarriedState,
  mayTry,
  retryAtMs,
  type Seen,
} from "./carried.ts";

function refusedWith(limits: readonly (number | undefined)[], before = EMPTY_CARRIED_STATE): CarriedState {
  return limits.reduce<CarriedState>((carriedState, limitTokens, index) => {
    const payload = limitTokens === undefined ? {} : { limitTokens };
    return foldCarriedState(
      carriedState,
      { kind: "overflow", sequence: index + 1, payload } as unknown as ReadEntry,
      0,
    );
  }, before);
}

test("keeps the smallest limit that refusals name, in any order", () => {
  expect(refusedWith([100_000, 200_000]).limitTokens).toBe(100_000);
  expect(refusedWith([200_000, 100_000]).limitTokens).toBe(100_000);
  expect(refusedWith([100_000, undefined]).limitTokens).toBe(100_000);
  expect(refusedWith([undefined]).limitTokens).toBeUndefined();
  expect(refusedWith([1, 2, 3]).overflows).toBe(3);
});

test("counts the calls of a failed attempt until the next user message", () => {
  const attempt = (sequence: number, more: object): ReadEntry => ({
    kind: "attempt",
    sequence,
    payload: { trigger: "auto", reason: "economic", failure: "api-error", why: "529", ...more },
  });
  const after = foldCarriedState(EMPTY_CARRIED_STATE, attempt(1, { calls: 8 }), 0);
  expect(after.calls).toBe(8);
  // An attempt without calls has no count.
  expect(foldCarriedState(after, attempt(2, {}), 0).calls).toBe(8);
  const message = { role: "user", origin: "human", blocks: [{ kind: "text", text: "Continue." }] } as const;
  expect(foldCarriedState(after, { kind: "message", sequence: 3, payload: message }, 0).calls).toBe(0);
});

describe("after a boundary", () => {
  const boundary = (sequence: number, standing: unknown): ReadEntry =>
    ({
      kind: "boundary",
      sequence,
      payload: { from: 1, to: sequence - 1, with: [], outline: [], state: { standing } },
    }) as unknown as ReadEntry;
  const fold = (entries: readonly ReadEntry[], before = EMPTY_CARRIED_STATE): CarriedState =>
    entries.reduce<CarriedState>((carriedState, entry) => foldCarriedState(carriedState, entry, 0), before);
  const pinned = { kind: "pin", sequence: 2, payload: { text: "No floats for money." } } as const;
  const heard = {
    kind: "message",
    sequence: 3,
    payload: { role: "user", origin: "human", blocks: [{ kind: "text", text: "Go on." }] },
  } as const;
  const before = { ...fold([pinned, heard]), said: [3], limitTokens: 90_000, notes: { entry: 1, coveredTo: 1 } };

  test("keeps the carried state, and counts further compactions", () => {
    const stored: unknown = JSON.parse(JSON.stringify(before));
    const after = fold([boundary(4, stored)]);
    expect(after).toMatchObject({
      pins: [{ entry: 2, text: "No floats for money." }],
      said: [3],
      notes: { entry: 1 },
      limitTokens: 90_000,
      userMessages: 1,
      turn: before.turn,
      chain: { boundary: 4, boundaries: 1, turns: 0 },
    });
    const later = fold([{ ...heard, sequence: 5 }], after);
    expect(later.chain).toEqual({ boundary: 4, boundaries: 1, turns: 1 });
    expect(fold([boundary(6, later)]).chain).toEqual({ boundary: 6, boundaries: 2, turns: 0 });
  });
});

test("keeps a limit only for its model", () => {
  const configured = (before: CarriedState, model: string): CarriedState => {
    const payload = { provider: "p", model };
    return foldCarriedState(before, { kind: "configuration", sequence: 9, payload } as unknown as ReadEntry, 0);
  };
  const refused = refusedWith([100_000], configured(EMPTY_CARRIED_STATE, "m"));
  expect(refused).toMatchObject({ limitTokens: 100_000, model: "p/m" });
  expect(configured(refused, "m").limitTokens).toBe(100_000);
  expect(configured(refused, "n")).not.toHaveProperty("limitTokens");
});

describe("breakers", () => {
  const MINUTE_MS = 60_000;
  const START: Seen = { nowMs: 1_000_000, userMessages: 5, viewChangedAt: 40 };
  const seen = (more: Partial<Seen> = {}): Seen => ({ ...START, ...more });
  const after = (events: readonly BreakerEvent[], state: BreakerState = CLOSED): BreakerState =>
    events.reduce((before, event) => breakerAfter(before, event), state);
  const failed = (at: Seen = START): BreakerEvent => ({ kind: "failed", seen: at });
  const OPEN = after([failed(), failed(), failed()]);

  describe("the window breaker", () => {
    test("opens after three failures in a row", () => {
      expect(mayTry(after([failed(), failed()]), START)).toBe(true);
      expect(OPEN).toEqual({ kind: "open", failures: 3, at: START });
      expect(mayTry(OPEN, START)).toBe(false);
    });

    test("closes on success, and ignores aborted attempts", () => {
      expect(after([failed(), failed(), { kind: "succeeded" }, failed(), failed()]).kind).toBe("closed");
      expect(after([failed(), { kind: "aborted" }, failed()])).toEqual({ kind: "closed", failures: 2 });
      expect(after([{ kind: "started", seen: START }, { kind: "succeeded" }], OPEN)).toEqual(CLOSED);
    });

    test("allows an attempt after ten minutes, or for a new user message with a changed view", () => {
      expect(mayTry(OPEN, seen({ nowMs: START.nowMs + 10 * MINUTE_MS - 1 }))).toBe(false);
      expect(mayTry(OPEN, seen({ nowMs: START.nowMs + 10 * MINUTE_MS }))).toBe(true);
      expect(mayTry(OPEN, seen({ userMessages: 6 }))).toBe(false);
      expect(mayTry(OPEN, seen({ viewChangedAt: 41 }))).toBe(false);
      expect(mayTry(OPEN, seen({ userMessages: 6, viewChangedAt: 41 }))).toBe(true);
      expect(mayTry(OPEN, seen({ nowMs: 0 }))).toBe(true);
    });

    test("allows no second attempt for ten minutes while one runs or after its process died, and opens again on failure", () => {
      const later = seen({ nowMs: START.nowMs + 11 * MINUTE_MS });
      const trying = breakerAfter(OPEN, { kind: "started", seen: later });
      expect(trying.kind).toBe("half-open");
      expect(mayTry(trying, seen({ nowMs: later.nowMs + 1 }))).toBe(false);
      expect(mayTry(trying, seen({ nowMs: later.nowMs + 10 * MINUTE_MS }))).toBe(true);
      expect(breakerAfter(trying, failed(later))).toEqual({ kind: "open", failures: 4, at: later });
      expect(mayTry(breakerAfter(trying, { kind: "aborted" }), later)).toBe(true);
    });

    test("opens at the first failure of an economic compaction, and waits longer each time, despite user messages", () => {
      let state: BreakerState = CLOSED;
      let nowMs = START.nowMs;
      const waits: number[] = [];
      for (let failures = 1; failures <= 7; failures++) {
        state = breakerAfter(state, failed(seen({ nowMs })), ECONOMIC_BREAKER);
        const retryMs = retryAtMs(state, ECONOMIC_BREAKER)!;
        waits.push((retryMs - nowMs) / MINUTE_MS);
        const spoken = { userMessages: 5 + failures, viewChangedAt: 40 + failures };
        expect(mayTry(state, seen({ ...spoken, nowMs: retryMs - 1 }), ECONOMIC_BREAKER)).toBe(false);
        expect(mayTry(state, seen({ nowMs: retryMs }), ECONOMIC_BREAKER)).toBe(true);
        nowMs = retryMs;
      }
      expect(waits).toEqual([10, 20, 40, 80, 160, 160, 160]);
      expect(retryAtMs(CLOSED, ECONOMIC_BREAKER)).toBeUndefined();
    });

    test("allows at most three attempts plus one for every ten minutes, with or without resumes", () => {
      fc.assert(
        fc.property(fc.array(fc.nat(5 * MINUTE_MS), { minLength: 1, maxLength: 200 }), (waits) => {
          let state: BreakerState = CLOSED;
          let nowMs = 0;
          let tries = 0;
          for (const wait of waits) {
            nowMs += wait;
            state = JSON.parse(JSON.stringify(state)) as BreakerState;
            if (!mayTry(state, seen({ nowMs }))) continue;
            tries++;
            state = after([{ kind: "started", seen: seen({ nowMs }) }, failed(seen({ nowMs }))], state);
          }
          expect(tries).toBeLessThanOrEqual(3 + Math.floor(nowMs / (10 * MINUTE_MS)));
        }),
      );
    });
  });
});

describe("agents", () => {
  const started = (id: string, goal = `goal of ${id}`): AgentPayload => ({
    id,
    step: "started",
    way: "background",
    goal,
    session: `session of ${id}`,
  });
  const ended = (id: string): AgentPayload => ({ id, step: "ended", outcome: "done", told: "next-entry" });
  const countTokens = (text: string): number => text.length;
  const fold = (steps: readonly AgentPayload[]): readonly AgentInFlight[] =>
    steps.reduce((agents, step, index) => foldAgent(agents, step, index + 1), [] as readonly AgentInFlight[]);

  test("accepts one start of an agent and one end of each run, and names its result", () => {
    const agents = fold([started("a"), started("a"), ended("a"), ended("a"), { id: "a", step: "resumed" }, ended("a")]);
    expect(agents).toMatchObject([{ id: "a", status: "done", entry: 1, resultEntry: 7 }]);
    expect(classifyStep(agents, ended("a"))).toBe("known");
    expect(classifyStep(agents, ended("b"))).toBe("unknown");
  });

  test("knows the running agents and bounds the ended ones for any order of steps", () => {
    const step = fc
      .tuple(fc.nat(80).map(String), fc.constantFrom("started", "ended", "resumed"))
      .map(([id, kind]): AgentPayload => {
        return kind === "started" ? started(id) : kind === "ended" ? ended(id) : { id, step: "resumed" };
      });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const running = new Set<string>();
        const agents = steps.reduce(
          (before, next, index) => {
            if (classifyStep(before, next) === "entered") {
              if (next.step === "ended") running.delete(next.id);
              else running.add(next.id);
            }
            return foldAgent(before, next, index + 1);
          },
          [] as readonly AgentInFlight[],
        );
        const runs = agents.filter(({ status }) => status === "running").map(({ id }) => id);
        expect(new Set(runs)).toEqual(running);
        expect(runs).toHaveLength(running.size);
        expect(agents.length - runs.length).toBeLessThanOrEqual(50);
      }),
    );
  });

  describe("a teammate", () => {
    const hired: AgentPayload = { ...started("a"), step: "started", way: "teammate", plan: "required" } as AgentPayload;
    const idle: AgentPayload = { id: "a", step: "ended", outcome: "idle", told: "next-entry" };
    const planned = (state: "asked" | "approved" | "refused", key: string): AgentPayload => ({
      id: "a",
      step: "plan",
      state,
      key,
    });

    test("stays in the state while it is idle, and can be stopped once", () => {
      const others = Array.from({ length: 60 }, (_, at) => [started(`b${at}`), ended(`b${at}`)]).flat();
      const agents = fold([hired, idle, ...others]);
      expect(agents[0]).toMatchObject({ id: "a", status: "idle" });
      expect(agentsText(agents, { budgetTokens: 60, countTokens })).toContain("goal of a [idle");
      const stop: AgentPayload = { id: "a", step: "ended", outcome: "stopped", told: "by-call" };
      expect(classifyStep(agents, idle)).toBe("known");
      expect(classifyStep(agents, stop)).toBe("entered");
      expect(classifyStep(foldAgent(agents, stop, 200), stop)).not.toBe("entered");
    });

    test("gets one answer to its newest plan, and none without a plan", () => {
      const withPlan = fold([hired, planned("asked", "k1"), planned("refused", "k1"), planned("asked", "k2")]);
      expect(withPlan[0]).toMatchObject({ plan: "asked", planKey: "k2" });
      expect(agentsText(withPlan, { budgetTokens: 1_000, countTokens })).toContain("its plan k2 waits for your answer");
      expect(classifyStep(withPlan, planned("approved", "k1"))).toBe("known");
      const approved = foldAgent(withPlan, planned("approved", "k2"), 9);
      expect(approved[0]).toMatchObject({ plan: "approved", status: "running" });
      for (const state of ["asked", "refused"] as const)
        expect(classifyStep(approved, planned(state, "k2"))).toBe("known");
      expect(classifyStep(fold([started("a")]), planned("asked", "k1"))).toBe("known");
    });
  });

  describe("agentsText", () => {
    const agents = fold([started("a", "fix the\nparser"), started("b"), ended("b")]);
    test("has one line for each agent, running ones first", () => {
      expect(agentsText(agents, { budgetTokens: 1_000, countTokens })).toBe(
        "- a (background): fix the parser [running]\n- b (background): goal of b [done; its result is entry 4]",
      );
    });
    test("is shorter with less space, and drops running agents last", () => {
      const within = (budgetTokens: number): string => agentsText(agents, { budgetTokens, countTokens });
      expect(within(60)).toBe("- a (background): fix the parser [running]");
      expect(within(10)).toBe("a");
      expect(within(0)).toBe("1 agents are running.");
      expect(agentsText(fold([started("b"), ended("b")]), { budgetTokens: 0, countTokens })).toBe("");
    });
  });
});
