import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type IndexedTopic, openTopicIndex } from "./topic-index.ts";

const NOW_MS = Date.UTC(2025, 6, 1);
const OPTIONS = { limit: 5, nowMs: NOW_MS };

const topic = (slug: string, name: string, description = "", body = ""): IndexedTopic => ({
  slug,
  name,
  description,
  body,
  type: "project",
  updatedAtMs: NOW_MS,
  version: `${slug}-1`,
});

const TOPICS: readonly IndexedTopic[] = [
  topic("lidar", "Lidar drops out in dusty aisles", "SICK units report zero returns near the shredder in hall 3."),
  topic(
    "migrations",
    "Schema changes are deployed in two steps",
    "Flyway files never mix both steps.",
    "See schema_history.",
  ),
  topic("verbindung", "Datenbankverbindungen sind begrenzt", "Höchstens 40 Verbindungen je Praxis."),
  topic(
    "freeze",
    "No releases before the fair",
    "From 2025-11-17 to 2025-12-02 only hotfixes go out.",
    "Priya approves them.",
  ),
  topic("dana", "Dana works from 06:00 to 14:00", "Dana Okafor signs off early.", "She owns the payouts."),
  topic("retry", "Retries use a budget", "RetryBudget.maxAttempts is read from src/net/retry-policy.ts."),
  topic("coupon", "优惠券叠加规则", "店铺券和平台券可以叠加,同类券只能用一张。"),
  topic("rollback", "How a rollback is done", "Revert the tag and run the job again."),
];

function filled(topics: readonly IndexedTopic[] = TOPICS) {
  const database = new DatabaseSync(":memory:");
  const index = openTopicIndex(database);
  for (const one of topics) index.put(one);
  return { database, index };
}

describe("finds a topic by", () => {
  const { index } = filled();
  test.each([
    ["words it has", "lidar in dusty aisles", "lidar"],
    ["other forms of them", "deploying a schema change", "migrations"],
    ["a word of the same family", "how do we handle schema migrations with flyway", "migrations"],
    ["a word that means the same", "laser scanner sees nothing near the shredder", "lidar"],
    ["a name", "when can I reach Dana?", "dana"],
    ["an identifier", "what is RetryBudget.maxAttempts", "retry"],
    ["an identifier written in another way", "set retry_budget to 3", "retry"],
    ["a file", "look at retry-policy.ts", "retry"],
    ["the beginning of a German compound", "Ist der Zugang zur Datenbank begrenzt?", "verbindung"],
    ["pairs of characters", "两张平台券可以叠加吗", "coupon"],
    ["a word of another language", "优惠券", "coupon"],
  ])("%s", (_, query, slug) => {
    expect(index.search(query, OPTIONS)[0]?.slug).toBe(slug);
  });

  test("says why", () => {
    expect(index.search("dusty lidar", OPTIONS)[0]?.why.toSorted()).toEqual(["dusty", "lidar"]);
  });
});

describe("finds nothing", () => {
  const { index } = filled();
  test.each([
    "add a dark theme to the settings page",
    "why does the build take so long on my laptop",
    "write a function that sorts a list of names",
    "please fix the tests",
    "and now?",
    "帮我写一个排序函数",
    "Wie heißt der neue Kollege?",
    "",
    "???",
  ])("for %j", (query) => {
    expect(index.search(query, OPTIONS)).toEqual([]);
  });

  test("in an empty index", () => {
    expect(filled([]).index.search("lidar in dusty aisles", OPTIONS)).toEqual([]);
  });
});

test("a possible fit is shown to whoever judges by himself", () => {
  const { index } = filled();
  const query = "is there a shop in hall 3 that sells cables for the new printer";
  expect(index.search(query, OPTIONS)).toEqual([]);
  expect(index.search(query, { ...OPTIONS, bar: "possible" }).map(({ slug }) => slug)).toContain("lidar");
});

test("a query of any text is answered, and nothing in it is syntax", () => {
  const { index } = filled();
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), (query) => {
      for (const { slug, score } of index.search(query, { ...OPTIONS, bar: "possible" })) {
        expect(TOPICS.some((one) => one.slug === slug)).toBe(true);
        expect(score).toBeGreaterThanOrEqual(0);
      }
    }),
  );
  expect(index.search('lidar" OR name:"aisles NEAR(dusty) *', OPTIONS)[0]?.slug).toBe("lidar");
});

test("a topic that is put again is found by its new words only", () => {
  const { index } = filled([topic("hall-3", "Lidar drops out in dusty aisles")]);
  index.put({ ...topic("hall-3", "Radar replaced the old scanner"), version: "2" });
  expect(index.search("what about the dusty aisles", OPTIONS)).toEqual([]);
  expect(index.search("radar", OPTIONS).map(({ slug }) => slug)).toEqual(["hall-3"]);
  expect(index.versions()).toEqual(new Map([["hall-3", "2"]]));
});

test("what is removed leaves no trace", () => {
  const words = (database: DatabaseSync) => ({
    texts: database.prepare("SELECT title, body FROM topic_text ORDER BY title").all(),
    topics: database.prepare("SELECT slug, type, version, title_says FROM topic ORDER BY slug").all(),
  });
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...TOPICS.map(({ slug }) => slug)), { maxLength: 12 }),
      fc.string({ unit: "grapheme" }),
      (removed, text) => {
        const { database, index } = filled([...TOPICS, topic("extra", text, text, text)]);
        for (const slug of [...removed, "extra"]) index.remove(slug);
        const kept = TOPICS.filter(({ slug }) => !removed.includes(slug));
        expect(words(database)).toEqual(words(filled(kept).database));
      },
    ),
    { numRuns: 10 },
  );
});

test("a change belongs to the caller's transaction", () => {
  const { database, index } = filled();
  database.exec("BEGIN IMMEDIATE");
  index.remove("lidar");
  index.put(topic("radar", "Radar"));
  database.exec("ROLLBACK");
  expect([...index.versions().keys()].toSorted()).toEqual(TOPICS.map(({ slug }) => slug).toSorted());
  expect(index.search("lidar in dusty aisles", OPTIONS)[0]?.slug).toBe("lidar");
});

test("is kept in the file, and made anew when its version is another", () => {
  const { database } = filled();
  expect(openTopicIndex(database).versions().size).toBe(TOPICS.length);
  database.exec("UPDATE topic_index SET version = version + 1");
  const anew = openTopicIndex(database);
  expect(anew.versions().size).toBe(0);
  anew.put(TOPICS[0]!);
  expect(anew.search("lidar in dusty aisles", OPTIONS)).toHaveLength(1);
});

test("as many as are wanted", () => {
  const many = Array.from({ length: 9 }, (_, number) => topic(`t${number}`, `Lidar number ${number}`));
  expect(filled(many).index.search("lidar", { ...OPTIONS, limit: 3 })).toHaveLength(3);
});
