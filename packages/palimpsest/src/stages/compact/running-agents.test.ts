import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentPayload } from "../../log/agent-payload.ts";
import { type AgentInFlight, agentsText, classifyStep, foldAgent } from "./running-agents.ts";

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
