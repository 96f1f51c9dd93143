import fc from "fast-check";
import { expect, test } from "vitest";
import { elementsOf, memberOf, membersOf, parseRange } from "./scan-json.ts";

const of = (text: string): Buffer => Buffer.from(text);

test("every member of any object is found where it stands", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue()),
      fc.constantFrom(0, 2),
      (object, indent) => {
        const bytes = of(JSON.stringify(object, null, indent));
        const members = membersOf(bytes, 0)!;
        expect(members.map(({ key }) => key)).toEqual(Object.keys(object));
        const read = Object.fromEntries(members.map((member) => [member.key, parseRange(bytes, member)]));
        expect(read).toEqual(JSON.parse(JSON.stringify(object)));
      },
    ),
  );
});

test("every element of any list is found where it stands", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (list) => {
      const bytes = of(JSON.stringify(list));
      expect(elementsOf(bytes, 0)!.map((range) => parseRange(bytes, range))).toEqual(JSON.parse(JSON.stringify(list)));
    }),
  );
});

test.each(["", "{", '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":"x}', '{"a":[1}', "{1:2}", "[1,2", "nothing"])(
  "%s is nothing whole",
  (text) => {
    expect(text.startsWith("[") ? elementsOf(of(text), 0) : membersOf(of(text), 0)).toBeUndefined();
  },
);

test("quotes and backslashes in strings end nothing", () => {
  const value = { a: 'x\\" } ] \\', b: "\\\\", c: '"' };
  const bytes = of(JSON.stringify(value));
  expect(membersOf(bytes, 0)!.map((member) => parseRange(bytes, member))).toEqual(Object.values(value));
});

test("a name that stands twice is none", () => {
  expect(memberOf(membersOf(of('{"a":1,"a":2,"b":3}'), 0)!, "a")).toBeUndefined();
});
