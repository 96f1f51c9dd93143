import { expect, test } from "vitest";
import { type Provenance, USER } from "../../log/provenance.ts";
import type { Json, LogMessage } from "../../policy/policy.ts";
import { createCollectors } from "./knowledge.ts";
import { rareLines } from "./rare-lines.ts";
import { logMessage, showParts } from "./testing.ts";

const MODEL: Provenance = { kind: "model" };
const BASH: Provenance = { kind: "tool", name: "bash" };
const part = rareLines({ maxTokens: 300, share: 0.1 });
const bytesOf = (state: Json): number => new TextEncoder().encode(JSON.stringify(state)).length;

/** A log of a service: lines of ten patterns with other numbers. */
const routine = (entry: number): string =>
  Array.from({ length: 80 }, (_, at) => `10:${at}:12 INFO queue ${at % 10}: order ${entry * at} is read again`).join(
    "\n",
  );

/** Sixty messages, with lines of others among the routine. */
function messages(others: Readonly<Record<number, string>> = {}): LogMessage[] {
  return Array.from({ length: 60 }, (_, index) => {
    const lines = routine(index + 1).split("\n");
    const other = others[index + 1];
    if (other !== undefined) lines.splice(40, 0, other);
    return logMessage(index + 1, lines.join("\n"), BASH);
  });
}

const RARE = {
  7: "Ottoline Brandvold signs off the harbor ledger.",
  19: "Über den Tresor entscheidet allein die Nachtschicht.",
  31: "| mossy gecko | violet | weekly |",
  44: "请在星期五之前更换港口的密钥",
};

function collect(all: readonly LogMessage[], from: Json = part.collect!.empty): Json {
  let state = structuredClone(from) as Json;
  for (const message of all) state = part.collect!.add(state, message);
  return state;
}

test("shows lines that stand alone among thousands of others, in any language, word for word and in the order of the log", async () => {
  const { texts, failures } = await showParts([part], { messages: messages(RARE) });
  expect(failures).toEqual([]);
  const own = texts.filter(({ provenance }) => provenance.kind === "tool");
  expect(own.map(({ heading, provenance }) => [heading, provenance])).toEqual([
    ["Lines that would be hard to get again, word for word:", BASH],
  ]);
  const lines = own[0]!.text.split("\n").map((line) => line.slice("- ".length));
  expect(lines.filter((line) => !line.includes("INFO"))).toEqual(Object.values(RARE));
});

test("keeps the source of each line, and never shows the user's words, which have parts of their own", async () => {
  const all = [
    ...messages({ 7: RARE[7] }),
    logMessage(61, `It is read again. ${RARE[19]} The order is read again.`, MODEL),
    logMessage(62, "Casimir Okonjo has the spare key.", USER),
    logMessage(63, RARE[31], { kind: "agent", name: "scout" }),
  ];
  const { texts } = await showParts([part], { messages: all, userMessages: [] });
  const sourceOf = (line: string) =>
    texts.filter(({ text }) => text.includes(line)).map(({ provenance }) => provenance);
  expect(sourceOf(RARE[7])).toEqual([BASH]);
  expect(sourceOf(RARE[19])).toEqual([MODEL]);
  expect(sourceOf(RARE[31])).toEqual([{ kind: "agent", name: "scout" }]);
  expect(sourceOf("Casimir Okonjo")).toEqual([]);
});

test("shows no line that the view shows anyway, and one of several lines that differ in numbers only", async () => {
  const all = messages({ ...RARE, 50: "The mooring at pier 7 holds.", 51: "The mooring at pier 8 holds." });
  const { all: shown } = await showParts([part], { messages: all, keptText: `We know: ${RARE[7]}` });
  expect(shown).not.toContain(RARE[7]);
  expect(shown.split("The mooring at pier")).toHaveLength(2);
});

test("a state that was stored in between gives the same lines", () => {
  const all = messages(RARE);
  const stored = JSON.parse(JSON.stringify(collect(all.slice(0, 33)))) as Json;
  expect(collect(all.slice(33), stored)).toEqual(collect(all));
});

test("a line that a tool repeats moves to its newest place, and stays the model's if the model said it", () => {
  const state = collect([
    ...messages(),
    logMessage(61, RARE[19], MODEL),
    logMessage(62, `${routine(62)}\n${RARE[19]}`, BASH),
  ]) as { readonly lines: Readonly<Record<string, readonly unknown[]>> };
  const line = state.lines[`-${RARE[19]}`]!;
  expect([line[0], line.at(-1)]).toEqual([62, MODEL]);
});

const HOSTILE: readonly (readonly [what: string, text: (entry: number) => string])[] = [
  [
    "long lines in Chinese",
    (entry) => Array.from({ length: 400 }, (_, at) => `${"漢字仮名".repeat(55)}${entry}字${at}`).join("\n"),
  ],
  [
    "control characters",
    (entry) => Array.from({ length: 400 }, (_, at) => "\u0001".repeat(200) + entry + at).join("\n"),
  ],
  ["halves of emoji", (entry) => `${"\ud83d".repeat(30)}${entry}\n`.repeat(1_000)],
  ["names with a meaning", (entry) => `__proto__\nconstructor\n12345678\nhasOwnProperty\nround ${entry}`],
  ["one line without end", () => "A".repeat(100_000)],
  ["spaces without end", () => `.${" ".repeat(99_990)}x`],
  ["capitals and digits", () => "aB1".repeat(33_000)],
  [
    "new words without end",
    (entry) =>
      Array.from(
        { length: 3_000 },
        (_, at) => `w${(entry * 3_001 + at).toString(36).replaceAll(/\d/g, "q")} is new here`,
      ).join("\n"),
  ],
];

test.each(HOSTILE)("the state of a session of %s stays below its limit", (_, textOf) => {
  const all = Array.from({ length: 200 }, (_, at) => logMessage(at + 1, textOf(at + 1), at % 3 === 0 ? MODEL : BASH));
  const collectors = createCollectors([part], {});
  for (const message of all) collectors.take(message, "all");
  const { rareLines: collected } = collectors.state();
  expect(collectors.failures).toEqual([]);
  expect(bytesOf(collected!.state as Json)).toBeLessThan(part.collect!.maxBytes);
});

test("old lines make room for better ones, and a session that goes on for long keeps its best", async () => {
  const all = Array.from({ length: 3_000 }, (_, index) => {
    const lines = routine(index + 1)
      .split("\n")
      .slice(0, 20);
    return logMessage(index + 1, [...lines, index === 40 ? RARE[19] : ""].join("\n"), BASH);
  });
  const { all: shown } = await showParts([part], { messages: all });
  expect(shown).toContain(RARE[19]);
});
