import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Candidate, decide } from "./decide.ts";

const candidate = (more: Partial<Candidate> = {}): Candidate => ({
  kind: "clear",
  admissible: "if-it-pays",
  because: "stale",
  cost: 100,
  gain: 300,
  horizonRequests: 20,
  ...more,
});

describe("decide", () => {
  test("takes what gains most, and says so in figures", () => {
    const compact = candidate({ kind: "compact", because: "it pays", cost: 90_000, gain: 120_000 });
    expect(decide([candidate(), compact])).toEqual({
      kind: "take",
      candidate: compact,
      reason: "compact: it pays: costs 90,000 units, saves 120,000 units within 20 requests",
    });
  });

  test("says dollars where the unit has a price", () => {
    const { reason } = decide([candidate({ cost: 5_000, gain: 20_000, usdPerUnit: 1e-6 })]);
    expect(reason).toBe("clear: stale: costs $0.0050, saves $0.0200 within 20 requests");
  });

  test("nothing is the cheapest where nothing pays, and each is told why not", () => {
    const decision = decide([
      candidate({ cost: 300 }),
      candidate({ kind: "compact", admissible: "no", because: "inside a turn" }),
    ]);
    expect(decision).toEqual({
      kind: "nothing",
      reason:
        "no clear: it does not pay: costs 300 units, saves 300 units within 20 requests; no compact: inside a turn",
    });
    expect(decide([])).toEqual({ kind: "nothing", reason: "nothing to decide" });
  });

  test("what is required goes before what pays, and the milder of two equals goes first", () => {
    const required = candidate({ kind: "compact", admissible: "required", cost: 900, gain: 0 });
    expect(decide([candidate(), required])).toMatchObject({ candidate: required });
    const equal = candidate({ kind: "compact" });
    expect(decide([candidate(), equal])).toMatchObject({ candidate: { kind: "clear" } });
  });

  const anyCandidate: fc.Arbitrary<Candidate> = fc.record({
    kind: fc.constantFrom("clear" as const, "compact" as const, "keep-warm" as const),
    admissible: fc.constantFrom("if-it-pays" as const, "required" as const, "no" as const),
    because: fc.constant("so"),
    cost: fc.integer({ min: 0, max: 1_000 }),
    gain: fc.integer({ min: 0, max: 1_000 }),
    horizonRequests: fc.integer({ min: 1, max: 100 }),
  });

  test("never takes what is not admissible, nor anything that costs more than another it could take", () => {
    fc.assert(
      fc.property(fc.array(anyCandidate, { maxLength: 6 }), (candidates) => {
        const decision = decide(candidates);
        const open = candidates.filter((one) => one.admissible === "required");
        const free = candidates.filter((one) => one.admissible === "if-it-pays" && one.gain > one.cost);
        const rivals = open.length > 0 ? open : free;
        if (decision.kind === "nothing") {
          expect(rivals).toEqual([]);
          return;
        }
        const net = ({ cost, gain }: Candidate): number => cost - gain;
        expect(rivals).toContain(decision.candidate);
        expect(net(decision.candidate)).toBe(Math.min(...rivals.map(net)));
      }),
    );
  });
});
