import { describe, expect, test } from "vitest";
import { termsOf } from "./terms.ts";
import { type Embedder, type Findable, TopicSearch } from "./topic-search.ts";

const findable = (slug: string, text: string, version = "1"): Findable => ({ slug, text, version });

async function searchOver(texts: Readonly<Record<string, string>>, embedder?: Embedder): Promise<TopicSearch> {
  const search = new TopicSearch(embedder);
  await search.put(Object.entries(texts).map(([slug, text]) => findable(slug, text)));
  return search;
}
const slugs = async (search: TopicSearch, query: string) => (await search.find(query, 10)).map(({ slug }) => slug);

describe("terms", () => {
  test("are words and pieces of three characters where spaces separate words", () => {
    expect(termsOf("Häuser, API")).toEqual(["hauser", "~hau", "~aus", "~use", "~ser", "api"]);
  });

  test("are characters and pairs in scripts without spaces", () => {
    expect(termsOf("包管理")).toEqual(["包", "管", "理", "包管", "管理"]);
    expect(termsOf("한국어")).toEqual(["한", "국", "어", "한국", "국어"]);
  });

  test("are the same for another case, width or accent", () => {
    expect(termsOf("ＰＮＰＭ")).toEqual(termsOf("pnpm"));
    expect(termsOf("Ёлка")).toEqual(termsOf("елка"));
    expect(termsOf("café")).toEqual(termsOf("CAFE"));
  });
});

describe("a search", () => {
  test.each([
    ["English", "Victor gave up smoking.", "Why doesn't Victor smoke any more?"],
    ["German", "Merk dir: die Datenbanken liegen in Frankfurt.", "Wo liegt die Datenbank?"],
    ["French", "Les déploiements se font le jeudi.", "Quand est le déploiement ?"],
    ["Russian", "По четвергам мы выпускаем релизы.", "Когда релиз?"],
    ["Chinese", "这个项目里一律用pnpm。", "项目用什么包管理?"],
    ["Thai", "ใช้ pnpm เสมอในโปรเจกต์นี้", "โปรเจกต์นี้ใช้อะไร"],
  ])("finds another form of a word in %s", async (_, text, query) => {
    const search = await searchOver({ right: text, other: "Lunch is at noon.", third: "Обед в полдень. 午餐在中午。" });
    expect((await slugs(search, query))[0]).toBe("right");
  });

  test("finds nothing if no term is shared", async () => {
    expect(await slugs(await searchOver({ a: "Lunch is at noon." }), "pnpm")).toEqual([]);
  });

  test("knows new versions, and forgets topics that are gone", async () => {
    const search = await searchOver({ a: "Use pnpm.", b: "Use tabs." });
    expect(search.outdated([findable("a", "", "2")])).toEqual(["a"]);
    expect(await slugs(search, "tabs")).toEqual([]);
    await search.put([findable("a", "Use bun.", "2")]);
    expect(search.outdated([findable("a", "", "2")])).toEqual([]);
    expect([await slugs(search, "pnpm"), await slugs(search, "bun")]).toEqual([[], ["a"]]);
  });

  test("takes time that grows with the length of the text, not faster", () => {
    const text = `${"aé漢한 ".repeat(50_000)}${"x".repeat(50_000)}`;
    expect(termsOf(text).length).toBeLessThan(5 * text.length);
  });
});

describe("with an embedder", () => {
  const MEANING: Readonly<Record<string, number>> = { food: 1, lunch: 1, hungry: 1 };
  const embed = async (texts: readonly string[]) =>
    texts.map((text) => [text.split(/\W+/).some((word) => MEANING[word.toLowerCase()] === 1) ? 1 : 0, 0.1]);

  test("finds a topic by meaning that shares no word", async () => {
    const search = await searchOver({ a: "Lunch is at noon.", b: "Use tabs." }, { name: "words", embed });
    expect((await slugs(search, "I am hungry"))[0]).toBe("a");
  });

  test("lets the words decide if the weight of meaning is 0", async () => {
    const search = await searchOver({ a: "Lunch is at noon.", b: "I am here." }, { name: "words", embed, weight: 0 });
    expect((await slugs(search, "hungry here"))[0]).toBe("b");
  });

  test("finds by words while the embedder fails, and computes the vectors later", async () => {
    let fails = true;
    const failing: Embedder = {
      name: "x",
      embed: async (texts) => (fails ? Promise.reject(new Error("off")) : embed(texts)),
    };
    const search = await searchOver({ a: "Lunch is at noon." }, failing);
    expect([await slugs(search, "noon"), await slugs(search, "hungry")]).toEqual([["a"], []]);
    fails = false;
    expect(search.outdated([findable("a", "")])).toEqual(["a"]);
    await search.put([findable("a", "Lunch is at noon.")]);
    expect(await slugs(search, "hungry")).toEqual(["a"]);
  });
});
