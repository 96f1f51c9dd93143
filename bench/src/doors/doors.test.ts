import { expect, test } from "vitest";
import { DOORS } from "./doors.ts";
import { driveDoor } from "./drive-door.ts";

/** What is different about a door, or about the oldest release behind it, shows soon; the whole way is slow. */
const turns = process.env["PALIMPSEST_SLOW"] === undefined || process.env["PEERS"] === "oldest" ? 60 : 200;
const lengths = DOORS.map((door) => ({ door, name: door.name, turns }));

test.each(lengths)(
  "$turns turns through $name: nothing is refused, and the prefix is kept but for decisions",
  async ({ door, turns }) => {
    const figures = await driveDoor(door, { turns, windowTokens: 24_000, compared: "not" });
    expect(figures).toMatchObject({ refused: 0, prefix_kept_pct: 100, restarts: Math.floor(turns / 40) });
    expect(figures.edits).toBeGreaterThanOrEqual(2);
    expect(figures.compactions).toBeGreaterThanOrEqual(3);
    expect(figures.lines_to_adopt).toBeLessThanOrEqual(10);
  },
);
