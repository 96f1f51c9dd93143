import { expect, test } from "vitest";
import { askGates, type GateQuestions, type GateSettings } from "./gates.ts";

const HOUR = 3_600_000;
const SETTINGS: GateSettings = {
  ...{ "dream.enabled": "on", "dream.hours": 24, "dream.scanMinutes": 10, "dream.sessions": 5 },
};

function questions(answers: { last?: number; scan?: "touched" | "recent"; sessions?: number } = {}) {
  const asked: string[] = [];
  const ask: GateQuestions = {
    async lastDoneAtMs() {
      asked.push("last");
      return answers.last;
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
