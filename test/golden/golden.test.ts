import { readFileSync } from "node:fs";
import { fromLine } from "palimpsest/store-parts";
import { describe, expect, test } from "vitest";
import { allTexts } from "./all-texts.ts";
import { type Digests, differences } from "./compare-digests.ts";
import { exactText } from "./exact-text.ts";
import { writeGoldenLogs } from "./golden-log.ts";
import { digestsOf, goldenTexts, readLogs, SERVICES, type Texts } from "./golden-texts.ts";

const logs = readLogs();
const COMMAND = "node --conditions=palimpsest-source --no-warnings test/golden/digest-golden.ts";

function check(name: string, texts: Texts): void {
  const expected = JSON.parse(readFileSync(`test/golden/${name}`, "utf8")) as Digests;
  const changed = differences(expected, digestsOf(texts));
  const help = `To read a text here and on the commit before, run: ${COMMAND} --print NAME`;
  expect(changed, `${changed.length} texts that are sent have changed. ${help}`).toEqual([]);
}

test("the golden logs hold every kind of entry", () => {
  const source = readFileSync("packages/palimpsest/src/log/payload.ts", "utf8");
  const table = /PAYLOAD_VERSIONS.*?= \{(.*?)\}/s.exec(source)![1]!;
  const kinds = [...table.matchAll(/(\w+): \d+/g)].map(([, kind]) => kind!);
  const held = [...logs.session, ...logs.fork].map((line) => fromLine(line)!.kind.split(":")[0]!);
  expect(kinds.length).toBeGreaterThan(20);
  expect(new Set(held)).toEqual(new Set(kinds));
});

test("the golden session holds a stored result", () => {
  const stored = logs.session.filter((line) => line.includes('"stored":{"file":'));
  expect(stored).toHaveLength(1);
});

test("a session that is written again gives the golden logs byte for byte", async () => {
  const written = await writeGoldenLogs();
  expect(written.session).toEqual(logs.session);
  expect(written.fork).toEqual(logs.fork);
});

test("every text that is sent for the golden logs has its committed digest", async () => {
  check("digests.json", await allTexts(logs));
});

describe("the check", () => {
  test("fails if two keys of a request are swapped", async () => {
    const { anthropic } = SERVICES;
    const swapped = {
      ...anthropic!,
      sent(request: unknown) {
        const [first, second, ...rest] = Object.entries(request as object);
        return JSON.stringify(Object.fromEntries([second!, first!, ...rest]));
      },
    };
    const [right, wrong] = [
      await goldenTexts(logs, { anthropic: anthropic! }),
      await goldenTexts(logs, { anthropic: swapped }),
    ];
    const changed = differences(digestsOf(right), digestsOf(wrong));
    expect(changed).toHaveLength(right.size);
    expect(changed[0]).toMatch(/^anthropic at entry \d+: changed$/);
    // What the texts mean is the same: only their order tells them apart.
    for (const [name, text] of right) expect(JSON.parse(wrong.get(name)!)).toEqual(JSON.parse(text));
  });

  test("names texts that are new, gone or changed", () => {
    expect(differences({ same: "1", gone: "2", changed: "3" }, { same: "1", changed: "4", new: "5" })).toEqual([
      "gone: gone",
      "changed: changed",
      "new: new",
    ]);
  });
});

describe("an exact text", () => {
  test("keeps the order of keys", () => {
    expect(exactText({ a: 1, b: [2, { c: null }] })).toBe('{"a":1,"b":[2,{"c":null}]}');
    expect(exactText({ b: 1, a: 2 })).not.toBe(exactText({ a: 2, b: 1 }));
  });

  test("is that of JSON.stringify for plain data", () => {
    const data = { text: "\u{1F408} \ud800 \u2028", list: [true, null, 1e21, 0.1], nested: { "2": "b", "1": "a" } };
    expect(exactText(data)).toBe(JSON.stringify(data));
  });

  test("shows own keys that are undefined", () => {
    expect(exactText({ a: undefined })).toBe('{"a":undefined}');
    expect(exactText({})).toBe("{}");
  });

  test("shows the class of an object, bytes, addresses and circles", () => {
    class Message {
      readonly text = "Hi";
    }
    const circle: { self?: object } = {};
    circle.self = circle;
    expect(exactText(new Message())).toBe('<Message>{"text":"Hi"}');
    expect(exactText(new Uint8Array([1, 2]))).toBe("<Uint8Array AQI=>");
    expect(exactText(new URL("https://example.com/a"))).toBe('<URL "https://example.com/a">');
    expect(exactText(circle)).toBe('{"self":<1 up>}');
  });
});
