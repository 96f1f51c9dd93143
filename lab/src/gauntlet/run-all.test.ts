import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Contestant } from "./contestant.ts";
import { runAll } from "./run-all.ts";

test("what only counts runs several at a time, and the course alone", async () => {
  const running: string[] = [];
  const most: Record<string, number> = { VR: 0, FCL: 0 };
  const told: string[] = [];
  const figures = await runAll(
    ["a", "b", "c", "d"].map((name) => ({ name }) as Contestant),
    {
      size: "quick",
      axes: "VFCRL",
      atOnce: 3,
      run: async ({ name }, { axes = "" }) => {
        running.push(name);
        most[axes] = Math.max(most[axes] ?? 0, running.length);
        await sleep(5);
        running.splice(running.indexOf(name), 1);
        return { version: `${name} ${axes}`, [axes === "VR" ? "V" : "L"]: axes };
      },
      onFigures: ({ name }, { version }) => told.push(`${name}: ${version}`),
    },
  );
  expect(most).toEqual({ VR: 3, FCL: 1 });
  expect(told).toHaveLength(8);
  expect(figures["d"]).toEqual({ version: "d FCL", V: "VR", L: "FCL" });
});
