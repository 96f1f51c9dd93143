import { expect, test } from "vitest";
import { breakerAfter, CLOSED, ECONOMIC_BREAKER } from "../../stages/compact/breaker.ts";
import { type CarriedState, EMPTY_CARRIED_STATE } from "../../stages/compact/carried-state.ts";
import { ANNOUNCED, type Attendance, type Hold, holdOf, isAnnounced } from "./hold-compaction.ts";

const NOW_MS = 1_000_000;

function carried({ announced, ...more }: Partial<CarriedState> & { readonly announced?: number } = {}): CarriedState {
  const marks = announced === undefined ? {} : { [ANNOUNCED]: announced };
  return { ...EMPTY_CARRIED_STATE, marks, ...more };
}

const holding = (carriedState: CarriedState, attendance: Attendance): Hold | undefined =>
  holdOf({ carriedState, attendance, nowMs: NOW_MS });

test.each<[string, Attendance["kind"], number, Parameters<typeof carried>[0], "held" | "free"]>([
  ["a new session", "attended", 0, {}, "free"],
  ["a resumed one whose user was not told", "attended", 10, { spokenAt: 12 }, "held"],
  ["one told of it in an earlier process", "attended", 10, { announced: 10, spokenAt: 12 }, "held"],
  ["one told of it, whose user was silent since", "attended", 10, { announced: 11, spokenAt: 11 }, "held"],
  ["one told of it, whose user has spoken since", "attended", 10, { announced: 11, spokenAt: 12 }, "free"],
  ["one where nobody is, never told of", "unattended", 10, { spokenAt: 12 }, "held"],
  ["one where nobody is, told of once", "unattended", 10, { announced: 3 }, "free"],
])("a compaction that saves money in %s", (_, kind, openedAt, state, expected) => {
  const hold = holding(carried(state), { kind, openedAt });
  expect(hold).toEqual(expected === "held" ? { by: "opened" } : undefined);
});

test("what was taken back or failed holds it, and each reason is named once", () => {
  const attended: Attendance = { kind: "attended", openedAt: 0 };
  const takenBack = [{ from: 2, to: 19, at: 20 }];
  const restored = holding(carried({ takenBack }), attended);
  expect(restored).toEqual({ by: "restored", since: 20 });
  // Told before it was taken back: not of this.
  expect(isAnnounced(restored!, carried({ announced: 15 }), 10)).toBe(false);
  expect(isAnnounced(restored!, carried({ announced: 21 }), 30)).toBe(true);
  expect(isAnnounced({ by: "opened" }, carried({ announced: 15 }), 10)).toBe(true);
  expect(isAnnounced({ by: "opened" }, carried({ announced: 21 }), 30)).toBe(false);

  const seen = { nowMs: NOW_MS - 1, userMessages: 0, viewChangedAt: 0 };
  const economicBreaker = breakerAfter(CLOSED, { kind: "failed", seen }, ECONOMIC_BREAKER);
  expect(holding(carried({ economicBreaker }), attended)).toEqual({ by: "failed", retryAtMs: NOW_MS - 1 + 600_000 });
});
