import { expect, test } from "vitest";
import { createNeedCheck, type Shown } from "./need-check.ts";
import { needsOf, textOf } from "./needs.ts";
import { sampleRecording } from "./testing/sample-recording.ts";

const recording = await sampleRecording({ rounds: 30 });
const needs = needsOf(recording);
const all = (): Shown[] => recording.items.map(({ index }) => ({ kind: "items", items: [index] }));

test("an edit needs the line it replaces, where it was last seen", () => {
  const edit = recording.rounds[1]!;
  const line = needs[1]!.find(({ of }) => of.kind === "line")!;
  const seen = recording.items[line.shownBy.at(-1)!]!;
  expect(seen.origin).toBe("tool");
  expect(textOf(seen)).toContain(line.of.kind === "line" ? line.of.line : "-");
  expect(line.shownBy.every((item) => item < edit.response.index)).toBe(true);
});

test("only what was shown before a response meets its needs, however often it is shown later", () => {
  const facts = needs.flatMap((some, round) =>
    some
      .filter(({ of }) => of.kind === "fact")
      .map(({ shownBy }) => ({ shownBy, before: recording.rounds[round]!.response.index })),
  );
  expect(facts.length).toBeGreaterThan(20);
  for (const { shownBy, before } of facts) expect(Math.max(...shownBy)).toBeLessThan(before);
});

test("what nobody has shown before is no need", () => {
  const facts = needs[2]!.flatMap(({ of }) => (of.kind === "fact" ? [of.fact] : []));
  expect(facts).not.toContain("command mise run test module_2");
});

test("in a conversation that only grows, every need is met", () => {
  const check = createNeedCheck();
  for (const of of needs) expect(check.missing(of, all())).toEqual([]);
  expect(check.counts.needs).toBeGreaterThan(20);
  expect(check.counts.met).toBe(check.counts.needs);
});

test("what is gone has to be fetched from where it was last seen, unless other words have it", () => {
  const [need] = needs[1]!.filter(({ of }) => of.kind === "line");
  const source = need!.shownBy.at(-1)!;
  const without = all().filter((shown) => shown.kind === "items" && !need!.shownBy.includes(shown.items[0]!));
  const check = createNeedCheck();
  expect(check.missing([need!], without)).toEqual([source]);
  const words = { kind: "words", text: `It said: ${textOf(recording.items[source]!)}` } as const;
  expect(check.missing([need!], [...without, words])).toEqual([]);
  expect(check.counts).toEqual({ needs: 2, met: 1, strict: 1, lines: 2, linesMet: 1, refetches: 1 });
});

test("strictly, a name is not enough: the item or a line of it has to be in view", () => {
  const need = needs.flat().find(({ of }) => of.kind === "fact" && of.fact.startsWith("name limitOf"))!;
  const name = need.of.kind === "fact" ? need.of.fact.slice("name ".length) : "";
  const strictlyMet = (text: string): readonly number[] => {
    const check = createNeedCheck();
    check.missing([need], [{ kind: "words", text }]);
    return [check.counts.met, check.counts.strict];
  };
  expect(strictlyMet(`The function ${name} was changed.`)).toEqual([1, 0]);
  expect(strictlyMet(`   12\t${need.linesShown()[0]}`)).toEqual([1, 1]);
  expect(strictlyMet("Nothing of it.")).toEqual([0, 0]);
});
