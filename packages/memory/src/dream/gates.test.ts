import { expect, test } from "vitest";
import { askGates, type GateQuestions, type GateSettings } from "./gates.ts";

const HOUR = 3_600_000;
const SETTINGS: GateSettings = {
  "dream.enabled": "on",
  "dream.hours": 24,
  "dream.scanMinutes": 10,
  "dream.sessions": 5,
};

interface Answers {
  readonly last?: number;
  readonly tried?: number;
  readonly failures?: number;
  readonly scan?: "touched" | "recent";
  readonly sessions?: number;
}

function questions(answers: Answers = {}) {
  const asked: string[] = [];
  const ask: GateQuestions = {
    async earlier() {
      asked.push("last");
      return {
        failures: answers.failures ?? 0,
        ...(answers.last === undefined ? {} : { lastDoneAtMs: answers.last }),
        ...(answers.tried === undefined ? {} : { lastTriedAtMs: answers.tried }),
      };
    },
    async touchScan() {
      asked.push("scan");
      return answers.scan ?? "touched";
    },
    async sessionsSince() {
      asked.push("sessions");
      return answers.sessions ?? 5;
    },
  };
  return { ask, asked };
}

test.each([
  ["enabled", { ...SETTINGS, "dream.enabled": "off" as const }, {}, []],
  ["hours", SETTINGS, { last: 80 * HOUR }, ["last"]],
  ["hours", SETTINGS, { last: 10 * HOUR, tried: 80 * HOUR, failures: 1 }, ["last"]],
  ["breaker", SETTINGS, { tried: 50 * HOUR, failures: 3 }, ["last"]],
  ["scan", SETTINGS, { scan: "recent" as const }, ["last", "scan"]],
  ["sessions", SETTINGS, { sessions: 4 }, ["last", "scan", "sessions"]],
])("at the gate %s nothing behind it is asked", async (gate, settings, answers, expected) => {
  const { ask, asked } = questions(answers);
  expect(await askGates(settings, 100 * HOUR, ask)).toMatchObject({ kind: "closed", gate });
  expect(asked).toEqual(expected);
});

test("open: long ago, never, or at a time that is yet to come because the clock was set back", async () => {
  for (const last of [76 * HOUR, undefined, 200 * HOUR]) {
    const { ask } = questions(last === undefined ? {} : { last });
    expect(await askGates(SETTINGS, 100 * HOUR, ask)).toEqual({ kind: "open" });
  }
});

test("a run that failed waits its hours, and after three in a row a week; one that was held waits, too", async () => {
  const atHour = async (hour: number, answers: Answers) => askGates(SETTINGS, hour * HOUR, questions(answers).ask);
  const closed = (gate: string) => ({ kind: "closed", gate });
  expect(await atHour(1_023, { tried: 1_000 * HOUR, failures: 1 })).toMatchObject(closed("hours"));
  expect(await atHour(1_024, { tried: 1_000 * HOUR, failures: 2 })).toEqual({ kind: "open" });
  expect(await atHour(1_167, { tried: 1_000 * HOUR, failures: 3 })).toMatchObject(closed("breaker"));
  expect(await atHour(1_168, { tried: 1_000 * HOUR, failures: 3 })).toEqual({ kind: "open" });
  // Held: no failure, and a try all the same.
  expect(await atHour(1_001, { tried: 1_000 * HOUR })).toMatchObject(closed("hours"));
});
