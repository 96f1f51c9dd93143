import { describe, expect, test } from "vitest";
import type { Door, DoorAgent } from "./door.ts";
import { DOORS } from "./doors.ts";
import { holdsAtDoors } from "./doors-floor.ts";
import { driveDoor } from "./drive-door.ts";
import { ownLoopDoor } from "./own-loop.ts";

/** What is different about the oldest release behind a door shows soon. The newest have a floor in the gate, and here the whole, slow way. */
const turns = process.env["PEERS"] === "oldest" ? 45 : 200;
const isDriven = process.env["PEERS"] === "oldest" || process.env["PALIMPSEST_SLOW"] !== undefined;
const lengths = isDriven ? DOORS.map((door) => ({ door, name: door.name, turns })) : [];

test.each(lengths)(
  "$turns turns through $name: nothing is refused, and the prefix is kept but for decisions",
  async ({ door, turns }) => {
    const figures = await driveDoor(door, { turns, windowTokens: 24_000, compared: "not" });
    expect(figures).toMatchObject({ refused: 0, prefix_kept_pct: 100, restarts: Math.floor((turns - 1) / 40) });
    expect(figures.edits).toBeGreaterThanOrEqual(1);
    expect(figures.compactions).toBeGreaterThanOrEqual(3);
    expect(figures.lines_to_adopt).toBeLessThanOrEqual(10);
  },
);

describe("what a door skips is noticed", () => {
  const plan = { turns: 45, windowTokens: 24_000, compared: "not" } as const;

  test("edits", async () => {
    const open: Door["open"] = async (place) => ({ ...(await ownLoopDoor.open(place)), removeTurns: () => {} });
    await expect(driveDoor({ ...ownLoopDoor, open }, plan)).rejects.toThrow(
      "1 edits, and the session went back 0 times",
    );
  });

  test("restarts", async () => {
    let agent: DoorAgent | undefined;
    const open: Door["open"] = async (place) => {
      agent ??= { ...(await ownLoopDoor.open(place)), close: async () => {} };
      return agent;
    };
    await expect(driveDoor({ ...ownLoopDoor, open }, plan)).rejects.toThrow("1 restarts, and 0 times opened again");
  });

  test("all that the rule asks for", () => {
    const good = { refused: 0, prefix_kept_pct: 99.9, compactions: 3, restarts: 1, edits: 1, lines_to_adopt: 10 };
    const six = (one: object) => ({ doors: { ...Object.fromEntries([..."abcde"].map((name) => [name, good])), one } });
    expect(holdsAtDoors(six(good))).toBe(true);
    expect(holdsAtDoors({ doors: {} })).toBe(false);
    expect(holdsAtDoors({ doors: { one: good } })).toBe(false);
    const worse = [
      { refused: 1 },
      { prefix_kept_pct: 99.8 },
      { compactions: 2 },
      { restarts: 0 },
      { edits: 0 },
      { lines_to_adopt: 11 },
    ];
    for (const one of worse) expect(holdsAtDoors(six({ ...good, ...one }))).toBe(false);
  });
});
