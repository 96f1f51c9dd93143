import fc from "fast-check";
import { expect, test } from "vitest";
import { textOf } from "../text/line.ts";
import { lineWidth } from "../text/width.ts";
import type { Key } from "./prompt/editor.ts";
import type { ScreenEvent } from "./screen-event.ts";
import { type ScreenState, startState } from "./state.ts";
import { update } from "./update.ts";
import { viewItem } from "./views/view-item.ts";
import { viewLive } from "./views/view-live.ts";

const START = startState({
  columns: 80,
  rows: 24,
  style: "full",
  nowMs: 0,
  history: { texts: ["earlier"], pastes: [] },
  commands: [
    { name: "model", about: "switch the model" },
    { name: "mode", about: "what is allowed" },
  ],
});

const key = (name: Key["name"], held: Key["held"] = "nothing", text = ""): ScreenEvent => ({
  kind: "key",
  key: { name, held, text },
  atMs: 0,
});
const typed = (text: string): ScreenEvent => key("text", "nothing", text);

function after(events: readonly ScreenEvent[], state: ScreenState = START) {
  let effects: ReturnType<typeof update>["effects"] = [];
  for (const event of events) ({ state, effects } = update(state, event));
  return { state, effects };
}

test("a word that is a whole command means that command, though another begins with it", () => {
  expect(after([typed("/mode"), key("return")]).effects).toEqual([{ kind: "submit", text: "/mode" }]);
  expect(after([typed("/mod"), key("down"), key("return")]).effects).toEqual([{ kind: "submit", text: "/model" }]);
});

test("a backslash at the end goes on in a new line, and escape stops only what runs", () => {
  const { state, effects } = after([typed("one\\"), key("return"), typed("two"), key("return")]);
  expect(effects).toEqual([{ kind: "submit", text: "one\ntwo" }]);
  expect(after([key("escape")], state).effects).toEqual([]);
  expect(after([key("escape"), key("escape")], state).effects).toEqual([{ kind: "submit", text: "/rewind" }]);
  expect(after([{ kind: "turn-started", said: [] }, key("escape")], state).effects).toEqual([{ kind: "stop" }]);
});

test("pastes stand as a word, which the history keeps, and single names as typed text", () => {
  const pasted = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");
  const { state, effects } = after([typed("see "), { kind: "pasted", text: pasted, atMs: 0 }, key("return")]);
  expect(effects).toEqual([{ kind: "submit", text: "see [paste 1: 40 lines]" }]);
  expect(state.pastes).toEqual([{ word: "[paste 1: 40 lines]", text: pasted }]);
  const text = (events: readonly ScreenEvent[]): string => after(events).state.editor.characters.join("");
  expect(text([{ kind: "pasted", text: "a.ts", atMs: 0 }])).toBe("a.ts");
  expect(text([{ kind: "pasted", text: "see @~/.aws/credentials", atMs: 0 }])).toMatch(/^\[paste 1: /);
  const together: Key = { name: "text", text: "one\ntwo", held: "nothing", came: "together" };
  expect(text([{ kind: "key", key: together, atMs: 0 }])).toBe("[paste 1: 2 lines]");
  expect(after([key("up")], state).state.editor.characters.join("")).toBe("see [paste 1: 40 lines]");
});

test("whatever is streamed in whatever pieces is printed once, in order, and nothing else", () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z \n]{0,30}$/), { maxLength: 30 }), (pieces) => {
      const events: readonly ScreenEvent[] = [
        { kind: "turn-started", said: [] },
        ...pieces.map((text): ScreenEvent => ({ kind: "query", event: { kind: "text", text } })),
        { kind: "turn-over" },
      ];
      const { state } = after(events);
      const printed = state.items.flatMap((item) => viewItem(item, state)).map(textOf);
      const words = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean);
      expect(words(printed.join("\n").replaceAll("●", ""))).toEqual(words(pieces.join("")));
    }),
  );
});

test("no row is wider than the terminal and there are never as many as it has, whatever is typed and streamed", () => {
  const event: fc.Arbitrary<ScreenEvent> = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 60 }).map(typed),
    fc.string({ maxLength: 300 }).map((text): ScreenEvent => ({ kind: "pasted", text, atMs: 0 })),
    fc
      .string({ unit: "grapheme", maxLength: 300 })
      .map((text): ScreenEvent => ({ kind: "query", event: { kind: "text", text } })),
    fc.constantFrom<ScreenEvent>(
      ...[key("return"), key("up"), key("left"), key("backspace"), key("escape"), key("tab"), key("text", "ctrl", "w")],
      { kind: "turn-started", said: [] },
      { kind: "turn-over" },
      { kind: "queue", queued: [{ id: 1, text: "a message that waits ".repeat(9) }] },
      {
        kind: "asked",
        id: 1,
        dialog: { title: "Well?", body: [], options: [{ value: "y", label: "Yes" }], words: "No" },
      },
    ),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 25 }), fc.integer({ min: 30, max: 150 }), (events, columns) => {
      const { state } = after(events, { ...START, columns });
      const rows = viewLive(state);
      expect(rows.length).toBeLessThan(state.rows);
      for (const row of rows) expect(lineWidth(row)).toBeLessThanOrEqual(columns);
      for (const item of state.items) {
        for (const row of viewItem(item, state)) expect(lineWidth(row)).toBeLessThanOrEqual(columns);
      }
    }),
  );
});

test("a notice waits for the end of a paragraph, a list, a table or code, and comes at the latest with the end of the answer", () => {
  const text = (said: string): ScreenEvent => ({ kind: "query", event: { kind: "text", text: said } });
  const noticed: ScreenEvent = { kind: "noticed", items: [{ kind: "lines", lines: [[{ text: "NOTICE" }]] }] };
  const printed = (events: readonly ScreenEvent[]): readonly string[] => {
    const { state } = after([{ kind: "turn-started", said: [] }, ...events]);
    return state.items.flatMap((item) => viewItem(item, state)).map((line) => textOf(line).trim());
  };
  expect(printed([text("One\n"), noticed, text("two\n\nthree\n")])).toEqual([
    "",
    "● One",
    "two",
    "",
    "NOTICE",
    "",
    "three",
  ]);
  expect(printed([text("```\na\n"), noticed, text("\nb\n")])).not.toContain("NOTICE");
  expect(printed([text("```\na\n"), noticed, text("\nb\n```\n"), { kind: "turn-over" }]).at(-1)).toBe("NOTICE");
  expect(printed([text("|a|b|\n|-|-|\n|1|2|\n"), noticed, text("|3|4|"), { kind: "turn-over" }]).slice(-3)).toEqual([
    "1 │ 2",
    "3 │ 4",
    "NOTICE",
  ]);
  expect(printed([noticed, text("One\n")])).toEqual(["NOTICE", "", "● One"]);
});

test("a message that waits is chosen with Up, edited, withdrawn and moved, and Escape leaves the list", () => {
  const queued = [
    { id: 1, text: "one" },
    { id: 2, text: "two" },
  ];
  const { state } = after([{ kind: "turn-started", said: [] }, { kind: "queue", queued }, key("up")]);
  expect(state.queueAt).toBe(2);
  expect(viewLive(state).map(textOf).join("\n")).toContain("❯ queued: two");
  expect(after([key("return")], state).effects).toEqual([{ kind: "withdraw", id: 2, to: "prompt" }]);
  expect(after([key("up"), key("delete")], state).effects).toEqual([{ kind: "withdraw", id: 1, to: "nowhere" }]);
  expect(after([key("up", "meta")], state).effects).toEqual([{ kind: "move-queued", id: 2, by: -1 }]);
  expect(after([key("escape")], state)).toMatchObject({ effects: [], state: { queued } });
  expect(after([key("escape")], state).state.queueAt).toBeUndefined();
  expect(after([typed("x")], state).state.editor.characters).toEqual(["x"]);
  // What was taken meanwhile is no longer chosen.
  expect(after([{ kind: "queue", queued: queued.slice(0, 1) }], state).state.queueAt).toBeUndefined();
});

test("ctrl-r finds earlier messages, the newest first", () => {
  const history = { texts: ["fix the limit", "run the tests", "fix the docs"], pastes: [] };
  const start = startState({ columns: 80, rows: 24, style: "full", nowMs: 0, history, commands: [] });
  const find = key("text", "ctrl", "r");
  const text = (state: ScreenState): string => state.editor.characters.join("");
  const found = after([find, typed("fix")], start).state;
  expect(viewLive(found).map(textOf).join("\n")).toMatch(/search: fix[\s\S]*fix the docs/);
  expect(text(after([key("return")], found).state)).toBe("fix the docs");
  expect(text(after([find, key("return")], found).state)).toBe("fix the limit");
  expect(text(after([find, find, key("return")], found).state)).toBe("fix the limit");
  expect(text(after([typed("ed"), key("escape")], found).state)).toBe("");
  expect(
    viewLive(after([typed("ed")], found).state)
      .map(textOf)
      .join("\n"),
  ).toContain("nothing fits");
  // A second return sends it.
  expect(after([key("return"), key("return")], found).effects).toEqual([{ kind: "submit", text: "fix the docs" }]);
});

test("the menu of commands finds letters in their order, and scrolls through all of them", () => {
  const commands = ["compact", "context", "cost", "clear", "config", "doctor", "help", "hooks", "mcp", "memory"].map(
    (name) => ({ name, about: `about ${name}` }),
  );
  const start = { ...START, commands };
  const shown = (state: ScreenState): string => viewLive(state).map(textOf).join("\n");
  const open = after([typed("/")], start).state;
  expect(shown(open)).toMatch(/❯ \/compact[\s\S]*1-8 of 10/);
  const last = after([key("up")], open).state;
  expect(shown(last)).toMatch(/❯ \/memory[\s\S]*3-10 of 10/);
  expect(after([typed("mry"), key("return")], open).effects).toEqual([{ kind: "submit", text: "/memory" }]);
});

test("while a hook runs, its name is shown, and a hook of one call does not hide that of another", () => {
  const shown = (state: ScreenState): string => viewLive(state).map(textOf).join("\n");
  const hook = (state: "started" | "ended"): ScreenEvent => ({ kind: "hook", name: "PreToolUse: check", state });
  const both = after([{ kind: "turn-started", said: [] }, hook("started"), hook("started")]).state;
  expect(shown(both)).toContain("Hook PreToolUse: check, and 1 more");
  const one = after([hook("ended")], both).state;
  expect(shown(one)).toContain("Hook PreToolUse: check…");
  expect(shown(after([hook("ended")], one).state)).toContain("Waiting for the model…");
});

test("a request that waits for its turn says what it waits for, and how long", () => {
  const waiting = {
    kind: "request-waiting",
    waitMs: 2_500,
    message: "The limit of 60 requests a minute is used up",
  } as const;
  const { state } = after([
    { kind: "turn-started", said: [] },
    { kind: "query", event: waiting },
  ]);
  const shown = viewLive({ ...state, columns: 120 })
    .map(textOf)
    .join("\n");
  expect(shown).toContain("The limit of 60 requests a minute is used up. Its turn comes in 3 s");
});
