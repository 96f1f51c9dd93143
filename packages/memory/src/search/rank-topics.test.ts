import { expect, test } from "vitest";
import { type Candidate, clearTopics, rankTopics } from "./rank-topics.ts";
import type { Unit } from "./read-query.ts";

const DAY_MS = 24 * 60 * 60_000;
const NOW_MS = 1_000 * DAY_MS;

/** Topics that have the word, by id; those with a minus have it in the body only. */
const unit = (word: string, weight: number, ...having: readonly number[]): Unit => ({
  word,
  weight,
  share: 1,
  topics: new Map(having.map((id) => [Math.abs(id), 1])),
  inTitle: new Set(having.filter((id) => id > 0)),
});
const topic = (id: number, parts: Partial<Candidate> = {}): Candidate => ({
  id,
  slug: `t${id}`,
  updatedAtMs: NOW_MS,
  titleSays: 4,
  ...parts,
});
const slugs = (units: readonly Unit[], topics: readonly Candidate[]) =>
  rankTopics(units, topics, NOW_MS).map(({ slug }) => slug);

test("a word in the title counts more than one in the body, and more in a short title", () => {
  const topics = [topic(1), topic(2), topic(3, { titleSays: 2 })];
  expect(slugs([unit("lidar", 1, -1, 2, 3)], topics)).toEqual(["t3", "t2", "t1"]);
});

test("a query that says much more is less surely about the topic", () => {
  const [alone] = rankTopics([unit("lidar", 1, -1)], [topic(1)], NOW_MS);
  const [among] = rankTopics([unit("lidar", 1, -1), unit("invoice", 1), unit("refund", 1)], [topic(1)], NOW_MS);
  expect(among!.score).toBeLessThan(alone!.score / 1.5);
});

test("of two that say the same, the newer one comes first, and the score stays what it is", () => {
  const units = [unit("deploy", 1, 1, 2), unit("window", 1, 1, 2)];
  const ranked = rankTopics(units, [topic(1, { updatedAtMs: NOW_MS - 400 * DAY_MS }), topic(2)], NOW_MS);
  expect(ranked.map(({ slug }) => slug)).toEqual(["t2", "t1"]);
  expect(ranked[0]!.score).toBe(ranked[1]!.score);
});

test("age does not outweigh what fits clearly better", () => {
  const units = [unit("deploy", 1, 1, 2), unit("window", 1, 1)];
  expect(slugs(units, [topic(1, { updatedAtMs: 0 }), topic(2)])[0]).toBe("t1");
});

test("says why: the words that were found, what says most first", () => {
  const [found] = rankTopics([unit("payouts", 0.4, -1), unit("reach", 0.2), unit("dana", 1, 1)], [topic(1)], NOW_MS);
  expect(found?.why).toEqual(["dana", "payouts"]);
});

test("only what is clear, and not far behind the best, is shown", () => {
  const ranked = [1.6, 0.8, 0.7].map((score, index) => ({ slug: `t${index}`, score, why: [] }));
  expect(clearTopics(ranked).map(({ score }) => score)).toEqual([1.6, 0.8]);
  expect(clearTopics(ranked.slice(1))).toEqual([]);
  expect(clearTopics([])).toEqual([]);
});

test("a query that names nothing fits nothing", () => {
  expect(rankTopics([], [topic(1)], NOW_MS)[0]?.score).toBe(0);
});
