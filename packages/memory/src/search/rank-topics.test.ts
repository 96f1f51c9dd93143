import { expect, test } from "vitest";
import { type Candidate, clearTopics, rankTopics } from "./rank-topics.ts";
import type { Unit } from "./read-query.ts";

const DAY_MS = 24 * 60 * 60_000;
const NOW_MS = 1_000 * DAY_MS;

const unit = (text: string, weight: number, matches: Record<string, number> = { [text]: 1 }): Unit => ({
  text,
  weight,
  matches: new Map(Object.entries(matches)),
  topics: 1,
});
const topic = (slug: string, parts: Partial<Candidate>): Candidate => ({
  slug,
  updatedAtMs: NOW_MS,
  name: [],
  description: [],
  body: [],
  ...parts,
});
const slugs = (units: readonly Unit[], topics: readonly Candidate[]) =>
  rankTopics(units, topics, NOW_MS).map(({ slug }) => slug);

test("what stands in the name counts most, what stands in the body least", () => {
  const topics = [
    topic("in-body", { name: ["lift"], body: ["lidar"] }),
    topic("in-description", { name: ["lift"], description: ["lidar"] }),
    topic("in-name", { name: ["lift", "lidar"] }),
  ];
  expect(slugs([unit("lidar", 4)], topics)).toEqual(["in-name", "in-description", "in-body"]);
});

test("a query that says much more is less surely about the topic", () => {
  const topics = [topic("lidar", { name: ["lidar", "dust"] })];
  const [alone] = rankTopics([unit("lidar", 4)], topics, NOW_MS);
  const [among] = rankTopics([unit("lidar", 4), unit("invoice", 4, {}), unit("refund", 4, {})], topics, NOW_MS);
  expect(among!.score).toBeLessThan(alone!.score / 1.5);
});

test("of two that say the same, the newer one comes first, and the score stays what it is", () => {
  const words = { name: ["deploy", "window"], description: ["friday"] };
  const ranked = rankTopics(
    [unit("deploy", 3), unit("window", 3)],
    [topic("old", { ...words, updatedAtMs: NOW_MS - 400 * DAY_MS }), topic("new", words)],
    NOW_MS,
  );
  expect(ranked.map(({ slug }) => slug)).toEqual(["new", "old"]);
  expect(ranked[0]!.score).toBe(ranked[1]!.score);
});

test("age does not outweigh what fits clearly better", () => {
  const old = topic("old", { name: ["deploy", "window"], updatedAtMs: 0 });
  expect(slugs([unit("deploy", 3), unit("window", 3)], [topic("new", { name: ["deploy"] }), old])[0]).toBe("old");
});

test("says why: the words that were found, what says most first", () => {
  const [found] = rankTopics(
    [unit("Dana", 5, { dana: 1 }), unit("reach", 1, {}), unit("payouts", 2, { payout: 0.95 })],
    [topic("dana", { name: ["dana"], body: ["payout"] })],
    NOW_MS,
  );
  expect(found?.why).toEqual(["Dana", "payouts"]);
});

test("only what is clear, and not far behind the best, is shown", () => {
  const ranked = [1.6, 0.8, 0.7].map((score, index) => ({ slug: `t${index}`, score, why: [] }));
  expect(clearTopics(ranked).map(({ score }) => score)).toEqual([1.6, 0.8]);
  expect(clearTopics(ranked.slice(1))).toEqual([]);
  expect(clearTopics([])).toEqual([]);
});

test("a query that names nothing fits nothing", () => {
  expect(rankTopics([], [topic("a", { name: ["lidar"] })], NOW_MS)[0]?.score).toBe(0);
});
