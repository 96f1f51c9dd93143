import { expect, test } from "vitest";
import { aiSdkDoor } from "./ai-sdk.ts";
import { driveDoor } from "./drive-door.ts";

/** With the oldest releases of the frameworks, what is different shows soon. */
const turns = process.env["PEERS"] === "oldest" ? 60 : 200;

test.each([aiSdkDoor])(
  `${turns} turns through $name: nothing is refused, and the prefix is kept but for decisions`,
  async (door) => {
    const figures = await driveDoor(door, { turns, windowTokens: 24_000, compared: "not" });
    expect(figures).toMatchObject({ refused: 0, prefix_kept_pct: 100, restarts: Math.floor(turns / 40) });
    expect(figures.edits).toBeGreaterThanOrEqual(2);
    expect(figures.compactions).toBeGreaterThanOrEqual(3);
    expect(figures.lines_to_adopt).toBeLessThanOrEqual(10);
  },
);
