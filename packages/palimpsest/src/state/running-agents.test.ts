import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentPayload } from "../log/payload-turn.ts";
import { type AgentInFlight, agentsText, classifyStep, foldAgent } from "./carried.ts";

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

test("an agent starts once, ends once each time it runs, and its result is named", () => {
  const agents = fold([started("a"), started("a"), ended("a"), ended("a"), { id: "a", step: "resumed" }, ended("a")]);
  expect(agents).toMatchObject([{ id: "a", status: "done", entry: 1, resultEntry: 7 }]);
  expect(classifyStep(agents, ended("a"))).toBe("known");
  expect(classifyStep(agents, ended("b"))).toBe("unknown");
});

test("for any order of steps, who runs is known, and what has ended is bounded", () => {
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

  test("that is idle is remembered with those that run, and can be stopped once", () => {
    const others = Array.from({ length: 60 }, (_, at) => [started(`b${at}`), ended(`b${at}`)]).flat();
    const agents = fold([hired, idle, ...others]);
    expect(agents[0]).toMatchObject({ id: "a", status: "idle" });
    expect(agentsText(agents, { budgetTokens: 60, countTokens })).toContain("goal of a [idle");
    const stop: AgentPayload = { id: "a", step: "ended", outcome: "stopped", told: "by-call" };
    expect(classifyStep(agents, idle)).toBe("known");
    expect(classifyStep(agents, stop)).toBe("entered");
    expect(classifyStep(foldAgent(agents, stop, 200), stop)).not.toBe("entered");
  });

  test("has its newest plan answered, once; one without a plan has none", () => {
    const asked = fold([hired, planned("asked", "k1"), planned("refused", "k1"), planned("asked", "k2")]);
    expect(asked[0]).toMatchObject({ plan: "asked", planKey: "k2" });
    expect(agentsText(asked, { budgetTokens: 1_000, countTokens })).toContain("its plan k2 waits for your answer");
    expect(classifyStep(asked, planned("approved", "k1"))).toBe("known");
    const approved = foldAgent(asked, planned("approved", "k2"), 9);
    expect(approved[0]).toMatchObject({ plan: "approved", status: "running" });
    for (const state of ["asked", "refused"] as const)
      expect(classifyStep(approved, planned(state, "k2"))).toBe("known");
    expect(classifyStep(fold([started("a")]), planned("asked", "k1"))).toBe("known");
  });
});

describe("what is told of them", () => {
  const agents = fold([started("a", "fix the\nparser"), started("b"), ended("b")]);
  test("is one line each, those that run first", () => {
    expect(agentsText(agents, { budgetTokens: 1_000, countTokens })).toBe(
      "- a (background): fix the parser [running]\n- b (background): goal of b [done; its result is entry 4]",
    );
  });
  test("is less where there is less room, and those that run are there to the last", () => {
    const within = (budgetTokens: number): string => agentsText(agents, { budgetTokens, countTokens });
    expect(within(60)).toBe("- a (background): fix the parser [running]");
    expect(within(10)).toBe("a");
    expect(within(0)).toBe("1 agents are running.");
    expect(agentsText(fold([started("b"), ended("b")]), { budgetTokens: 0, countTokens })).toBe("");
  });
});
