import { expect, test } from "vitest";
import type { Json, LogMessage, Material } from "../../policy/policy.ts";
import { matching } from "./matching.ts";
import { problemOf } from "./safe-pattern.ts";
import { showParts } from "./testing.ts";

const message = (entry: number, text: string, kind: "user" | "model" | "tool" | "host" = "user"): LogMessage => ({
  entry,
  text,
  provenance: kind === "tool" ? { kind, name: "find" } : { kind },
  tokens: 1,
  tool: undefined,
  media: [],
});

function found(part: ReturnType<typeof matching>, messages: readonly LogMessage[]): readonly string[] {
  let state: Json = part.collect!.empty;
  for (const one of messages) state = part.collect!.add(state, one);
  const items = part.plan({ collected: state } as Material);
  return items.map(({ from }) => (from.kind === "text" ? from.text : ""));
}

test("matching remembers each text with the line in which the user last named it, the user's texts first", () => {
  const part = matching(/ORD-\d{4}/, { name: "orders" });
  const messages = [
    message(1, "Where is ORD-4711?\nAnd ORD-4712?"),
    message(2, "ORD-4711 is on its way, ORD-5000 is not.", "model"),
    message(3, "ORD-9999 stands in a note of the host.", "host"),
  ];
  expect(found(part, messages)).toEqual([
    "ORD-4712: And ORD-4712?",
    "ORD-4711: Where is ORD-4711?",
    "ORD-5000: ORD-4711 is on its way, ORD-5000 is not.",
  ]);
});

test("matching forgets the texts that were mentioned longest ago beyond the limit", () => {
  const part = matching(/n\d+/, { most: 2 });
  expect(found(part, [message(1, "n1"), message(2, "n2"), message(3, "n1 n3")])).toEqual(["n3: n1 n3", "n1 n3"]);
});

test("matching keeps every text that the user named when tools return more texts than there is room for", async () => {
  const named = Array.from({ length: 100 }, (_, index) => `ORD-${10_000 + index}`);
  const messages = [
    ...named.map((order, index) => message(2 * index + 1, `Where is ${order}?`)),
    ...named.map((_, index) => message(2 * index + 2, `ORD-${20_000 + index}, ORD-${30_000 + index}`, "tool")),
  ].sort((a, b) => a.entry - b.entry);
  const part = { ...matching(/ORD-\d{5}/, { name: "orders", most: 150 }), budget: { maxTokens: 1_000, share: 1 } };
  const { all, failures } = await showParts([part], { messages, userMessages: [] });
  expect(failures).toEqual([]);
  expect(named.filter((order) => !all.includes(order))).toEqual([]);
});

test("matching finds a text anywhere in a long line, and shows the words around it", () => {
  const [shown, ...others] = found(matching(/ORD-\d+/), [
    message(1, `${"Well, you see. ".repeat(5_000)}It is ORD-1, and no other.${" Yes.".repeat(500)}`),
  ]);
  expect(others).toEqual([]);
  expect(shown).toMatch(/^ORD-1: .*It is ORD-1, and no other\. Yes\./);
  expect(shown!.length).toBeLessThan(220);
});

test("matching shows older texts without their lines before it leaves out a text", async () => {
  const orders = Array.from({ length: 40 }, (_, index) => `ORD-${1_000 + index}`);
  const messages = orders.map((order, index) =>
    message(index + 1, `${"The kettle leaks. ".repeat(20)}It is ${order}.`),
  );
  const part = { ...matching(/ORD-\d{4}/, { name: "orders" }), budget: { maxTokens: 600, share: 1 } };
  const { all, failures, records } = await showParts([part], { messages, userMessages: [] });
  expect(failures).toEqual([]);
  expect(orders.filter((order) => !all.includes(order))).toEqual([]);
  expect(all).toContain("The kettle leaks. It is ORD-1039.");
  expect(all).toContain("\nORD-1000");
  expect(records.find(({ name }) => name === "orders")).toMatchObject({
    items: 40,
    why: "there was room for 600 tokens",
  });
});

test("matching cuts a text that is longer than 400 characters", () => {
  const [shown] = found(matching(/\d+/), [message(1, "1".repeat(100_000))]);
  expect(shown!.length).toBeLessThanOrEqual(602);
});

test.each([
  ["(a+)+b", "without limit"],
  ["(a|a)*b", "without limit"],
  ["(\\w*)*", "without limit"],
  ["\\d*\\d*\\d*x", "write a limit, such as \\d*{1,20}".replace("\\d*{", "\\d{")],
  ["\\w+@\\w+", "\\w{1,20}"],
  ["\\d+\\b", "\\d{1,20}"],
  ["(a?){30}a{30}", "in several ways"],
  ["(?:ab|cd){5}x", "in several ways"],
  ["\\w{1,60}x", "steps"],
  ["\\d{300,}", "steps"],
  ["(a)\\1", "refers back"],
  ["(?<n>a)\\k<n>", "refers back"],
  ["(?<=x)y", "looks behind"],
])("matching refuses %s, and says how to write the pattern", (source, hint) => {
  expect(() => matching(new RegExp(source))).toThrow(hint);
});

const SAFE = [
  ...["ORD-\\d+", "\\bORD-\\d{4,8}\\b", "[A-Z]{2}\\d+", "https?:\\/\\/[^\\s)\\]]{4,300}", "(foo|bar)-\\d+", "[(+]\\d+"],
  ...["\\w{1,10}@[a-z.]+", "RMA-\\d{6}|ORD-\\d+", "\\p{Lu}{2,4}-\\d+", "(?:v?\\d{1,3}\\.){2}\\d+", "\\w{1,16}x"],
];

test("matching accepts patterns that are fast on any text", () => {
  const refused = SAFE.filter(
    (source) => problemOf(new RegExp(source, source.includes("\\p") ? "u" : "")) !== undefined,
  );
  // The group may match with v and without.
  expect(refused).toEqual(["(?:v?\\d{1,3}\\.){2}\\d+"]);
});

test("matching handles 3 MB of hostile text in less than a second of CPU time", () => {
  const lines = (line: string): readonly LogMessage[] => {
    const text = `${line.repeat(400).slice(0, 400)}\n`.repeat(250);
    return Array.from({ length: 30 }, (_, index) => message(index + 1, text));
  };
  const hostile: readonly (readonly [RegExp, string])[] = [
    [/\w{1,16}x/, "a"],
    [/\w{1,3}-\w{1,3}x/, "a-"],
    [/\d{1,3}\d{1,4}x/, "1"],
    [/https?:\/\/[^\s)\]]{4,300}/, "http:/"],
    [/ORD-\d+/, "ORD-"],
  ];
  for (const [pattern, line] of hostile) {
    const part = matching(pattern);
    const before = process.threadCpuUsage();
    found(part, lines(line));
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1e6, String(pattern)).toBeLessThan(1);
  }
  const one = matching(/ORD-\d+/);
  const before = process.threadCpuUsage();
  found(one, [message(1, "ORD-1 ".repeat(500_000))]);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(1);
});
