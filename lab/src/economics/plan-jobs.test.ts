import { expect, test } from "vitest";
import { type EconomicsPlan, planCells, planJobs } from "./plan-jobs.ts";

const PLAN: EconomicsPlan = {
  conditions: ["200K/0.1/5m", "200K/0.1/1h", "200K/0.05/5m", "1M/0.1/5m"],
  policies: ["balanced"],
  parts: ["careful"],
  rules: ["append-only"],
  libraries: [],
  foresight: "left-out",
};

test("the engine is run for each price and lifetime, parts of it for the first of each window, rules once a window", () => {
  const jobs = planJobs(PLAN);
  const of = (kind: string, name: string) =>
    jobs.filter((job) => job.kind === kind && ("policy" in job ? job.policy : "rule" in job ? job.rule : "") === name);
  expect(of("engine", "balanced")).toHaveLength(4);
  expect(of("engine", "careful")).toHaveLength(2);
  expect(of("rule", "append-only")).toHaveLength(2);
  expect(jobs.filter(({ kind }) => kind === "facts")).toHaveLength(1);
});

test("every policy under every condition has its run", () => {
  const cells = planCells(PLAN);
  expect(cells.filter(({ policy }) => policy === "append-only").map(({ condition }) => condition.name)).toEqual(
    PLAN.conditions,
  );
  expect(cells.find(({ condition }) => condition.name === "200K/0.1/1h")).toMatchObject({ run: "1h" });
});

test("strategies that know the future are run for each window and lifetime", () => {
  const jobs = planJobs({ ...PLAN, foresight: "searched" }).filter(({ kind }) => kind === "foresight");
  expect(jobs).toHaveLength(3);
});
