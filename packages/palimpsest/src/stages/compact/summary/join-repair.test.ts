import { expect, test } from "vitest";
import { joinRepair, UNVERIFIED } from "./join-repair.ts";

const section = (number: number, words = `Part ${number}, in enough words to be a section.`): string =>
  `## ${number}. Title\n${words}`;
const without = (...missing: readonly number[]): string =>
  [
    "Summary:",
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9].filter((number) => !missing.includes(number)).map((one) => section(one)),
  ].join("\n\n");
const LIMITS = {
  countTokens: (text: string): number => Math.ceil(text.length / 4),
  maximumTokens: 4_000,
  sourceTokens: 8_000,
  isKnownPath: (path: string): boolean => path === "src/load.ts",
};

function join(text: string, missing: readonly object[], answer: string | undefined, stop = "end") {
  const repairable = { kind: "repairable", text, missing, prompt: "" } as never;
  const given = answer === undefined ? undefined : ({ text: answer, stop, calls: 0 } as never);
  return joinRepair({ ...LIMITS, repairable, answer: given });
}
const wants = (number: number) => ({ kind: "section", number });

test("the sections that were asked for are taken, in their place, and no others", () => {
  const answer = `<summary>\n${section(4, "The repaired four.")}\r\n${section(5, "Nobody asked for five.")}\n</summary>`;
  const joined = join(without(4), [wants(4)], answer);
  expect(joined.kind).toBe("fine");
  const text = joined.kind === "fine" ? joined.text : "";
  expect(text).toMatch(/^Summary:\n## 1\./);
  expect(text).toMatch(/Part 3,[\s\S]*The repaired four\.[\s\S]*Part 5,/);
  expect(text).not.toContain("Nobody asked");
});

test.each([
  ["no answer", undefined, "end"],
  ["one without the section", section(5), "end"],
  ["one that was cut off again", section(4, "Half of"), "length"],
])("a section that is missing still makes the summary unusable: %s", (_, answer, stop) => {
  expect(join(without(4), [wants(4)], answer, stop)).toMatchObject({ kind: "refused", reason: "sections-missing" });
});

test("a path that the log does not have is put right, if the log has the other, and marked if not", () => {
  const text = without().replace("Part 3,", "Part 3 is in `src/laod.ts`,");
  const missing = [{ kind: "path", path: "src/laod.ts" }];
  const settled = (answer: string | undefined) => {
    const joined = join(text, missing, answer);
    return joined.kind === "fine" ? joined.text : joined.reason;
  };
  expect(settled("path: src/laod.ts => src/load.ts")).toContain("is in `src/load.ts`");
  expect(settled("- path: `src/laod.ts` => `src/load.ts`")).not.toContain(UNVERIFIED);
  for (const answer of ["path: src/laod.ts => src/other.ts", "path: src/laod.ts => nothing", undefined]) {
    expect(settled(answer)).toContain("src/laod.ts");
    expect(settled(answer)).toContain(UNVERIFIED);
  }
});
