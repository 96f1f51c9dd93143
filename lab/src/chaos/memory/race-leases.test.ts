import { expect, test } from "vitest";
import { countDoubleOwners, readTestimonies, type Testimony } from "./lease-witness.ts";
import { raceLeases } from "./race-leases.ts";

const write = (generation: number, process: number): Testimony[] =>
  (["begin", "end"] as const).map((what) => ({ generation, process, what }));

test("writes one after the other, by generation, are those of one holder at a time", () => {
  const testimonies = [...write(1, 0), ...write(1, 0), ...write(2, 3), ...write(5, 0)];
  expect(countDoubleOwners(testimonies)).toBe(0);
  const text = testimonies.map((testimony) => `${JSON.stringify(testimony)}\n`).join("");
  expect(readTestimonies(text)).toEqual(testimonies);
});

test("a late write, a write within another, and a generation with two processes are each found", () => {
  expect(countDoubleOwners([...write(1, 0), ...write(2, 1), ...write(1, 0)])).toBe(2);
  const [begin, end] = write(1, 0) as [Testimony, Testimony];
  const [otherBegin, otherEnd] = write(2, 1) as [Testimony, Testimony];
  expect(countDoubleOwners([begin, otherBegin, otherEnd, end])).toBeGreaterThan(0);
  expect(countDoubleOwners([...write(1, 0), ...write(1, 1)])).toBeGreaterThan(0);
});

test("a few rounds, with a winner in each", async () => {
  const found = await raceLeases({ rounds: 3, processes: 4, say: () => {} });
  expect(found).toMatchObject({ lease_rounds: 3, double_owners: 0, lease_rounds_without_owner: 0 });
  expect(found.lease_reclaimed_gone + found.lease_reclaimed_silent).toBeGreaterThanOrEqual(3);
});
