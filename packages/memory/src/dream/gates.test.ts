import { expect, test } from "vitest";
import { askGates, type GateOptions, type GateQuestions } from "./gates.ts";

const HOUR = 3_600_000;
const AT: Pick<GateOptions, "enabled" | "nowMs"> = { enabled: "on", nowMs: 100 * HOUR };

interface Answers {
  readonly last?: number;
  readonly tried?: number;
  readonly failures?: number;
  readonly scan?: "touched" | "recent";
  readonly sessions?: number;
}

function questions(answers: Answers = {}) {
  const asked: string[] = [];
  const everyMsOfScans: number[] = [];
  const ask: GateQuestions = {
    async earlier() {
      asked.push("last");
      return {
        failures: answers.failures ?? 0,
        ...(answers.last === undefined ? {} : { lastDoneAtMs: answers.last }),
        ...(answers.tried === undefined ? {} : { lastTriedAtMs: answers.tried }),
      };
    },
    async touchScan(everyMs) {
      asked.push("scan");
      everyMsOfScans.push(everyMs);
      return answers.scan ?? "touched";
    },
    async sessionsSince() {
      asked.push("sessions");
      return answers.sessions ?? 5;
    },
  };
  return { ask, asked, everyMsOfScans };
}

test.each([
  ["enabled", { enabled: "off" as const }, {}, []],
  ["hours", {}, { last: 80 * HOUR }, ["last"]],
  ["hours", {}, { last: 10 * HOUR, tried: 80 * HOUR, failures: 1 }, ["last"]],
  ["breaker", {}, { tried: 50 * HOUR, failures: 3 }, ["last"]],
  ["scan", {}, { scan: "recent" as const }, ["last", "scan"]],
  ["sessions", {}, { sessions: 4 }, ["last", "scan", "sessions"]],
  ["hours", { waitHours: 48 }, { last: 60 * HOUR }, ["last"]],
  ["sessions", { minSessions: 6 }, { sessions: 5 }, ["last", "scan", "sessions"]],
])("a closed gate %s asks no later question, with the options %j", async (gate, options, answers, expected) => {
  const { ask, asked } = questions(answers);
  expect(await askGates({ ...AT, ...options, ask })).toMatchObject({ kind: "closed", gate });
  expect(asked).toEqual(expected);
});

test("open: long ago, never, or at a time that is yet to come because the clock was set back", async () => {
  for (const last of [76 * HOUR, undefined, 200 * HOUR]) {
    const { ask } = questions(last === undefined ? {} : { last });
    expect(await askGates({ ...AT, ask })).toEqual({ kind: "open" });
  }
});

test("a run that failed waits its hours, and after three in a row a week; one that was held waits, too", async () => {
  const atHour = async (hour: number, answers: Answers) =>
    askGates({ ...AT, nowMs: hour * HOUR, ask: questions(answers).ask });
  const closed = (gate: string) => ({ kind: "closed", gate });
  expect(await atHour(1_023, { tried: 1_000 * HOUR, failures: 1 })).toMatchObject(closed("hours"));
  expect(await atHour(1_024, { tried: 1_000 * HOUR, failures: 2 })).toEqual({ kind: "open" });
  expect(await atHour(1_167, { tried: 1_000 * HOUR, failures: 3 })).toMatchObject(closed("breaker"));
  expect(await atHour(1_168, { tried: 1_000 * HOUR, failures: 3 })).toEqual({ kind: "open" });
  // Held: no failure, and a try all the same.
  expect(await atHour(1_001, { tried: 1_000 * HOUR })).toMatchObject(closed("hours"));
});

test("scans at most every ten minutes by default, and as often as its option says", async () => {
  const { ask, everyMsOfScans } = questions();
  await askGates({ ...AT, ask });
  await askGates({ ...AT, ask, scanMinutes: 0 });
  expect(everyMsOfScans).toEqual([600_000, 0]);
});

test("refuses a threshold that is not a number in its range", async () => {
  const { ask } = questions();
  await expect(askGates({ ...AT, ask, waitHours: -1 })).rejects.toThrow(
    "askGates({ waitHours }) is -1; it must be a number, at least 0.",
  );
  await expect(askGates({ ...AT, ask, minSessions: 1.5 })).rejects.toThrow("it must be a whole number, at least 0.");
});
