import fc from "fast-check";
import { expect, test } from "vitest";
import type { Dialog } from "../../extension/slash-command.ts";
import { plain, textOf } from "../../text/line.ts";
import type { Key } from "../prompt/editor.ts";
import type { Effect, ScreenEvent } from "../screen-event.ts";
import { type ScreenState, startState } from "../state.ts";
import { update } from "../update.ts";
import { viewLive } from "../views/view-live.ts";
import { depthOf } from "./dialog-state.ts";

const SIZES = [
  [80, 24],
  [140, 45],
] as const;

const SHORT: Dialog = {
  title: "Run it?",
  body: [plain("rm -rf build")],
  options: [
    { value: "once", label: "Yes", from: "all-seen" },
    {
      value: "always",
      label: "Always",
      asks: { title: "Where?", body: [], options: [{ value: "session", label: "Here" }] },
    },
    { value: "deny", label: "No" },
  ],
  words: "No, because",
};
const LONG: Dialog = {
  ...SHORT,
  body: [],
  exact: Array.from({ length: 100 }, (_, at) => ({ lead: plain("│ "), text: plain(`row ${at + 1}.`) })),
};

/** A screen that is drawn after every event, as the real one is, and whose clock is moved by hand. */
function open(dialog: Dialog, [columns, rows]: readonly [number, number] = SIZES[0]) {
  let state: ScreenState = startState({
    columns,
    rows,
    style: "full",
    nowMs: 0,
    history: { texts: [], pastes: [] },
    commands: [],
  });
  const effects: Effect[] = [];
  const frames: string[] = [];
  let nowMs = 0;
  let drawn = "";
  function emit(event: ScreenEvent): void {
    const next = update(state, event);
    state = next.state;
    effects.push(...next.effects);
    const [front] = state.dialogs;
    const name = front === undefined ? "" : `${front.id} ${depthOf(front)}`;
    frames.push(shown());
    if (front === undefined || name === drawn) return;
    drawn = name;
    emit({ kind: "dialog-drawn", id: front.id, depth: depthOf(front), atMs: nowMs });
  }
  const shown = (): string => viewLive(state).map(textOf).join("\n");
  const self = {
    emit,
    shown,
    frames,
    answers: () => effects.flatMap((effect) => (effect.kind === "answer" ? [effect.answer] : [])),
    effects: () => effects,
    prompt: () => state.editor.characters.join(""),
    wait(ms: number) {
      nowMs += ms;
      emit({ kind: "tick", nowMs });
    },
    /** Keys by their names; one letter is typed, several come at once. */
    press(...keys: readonly string[]) {
      for (const name of keys) {
        const text = name.length === 1 ? name : "";
        const key: Key = { name: text === "" ? (name as Key["name"]) : "text", text, held: "nothing" };
        emit({ kind: "key", key, atMs: nowMs });
      }
    },
    state: () => state,
  };
  emit({ kind: "asked", id: 1, dialog });
  return self;
}

test("keys typed before the dialog has stood for 400 ms are no answer, and stay in the prompt", () => {
  const screen = open(SHORT);
  screen.wait(399);
  screen.press("1", "2", "x");
  expect(screen.answers()).toEqual([]);
  expect(screen.prompt()).toBe("12x");
  expect(screen.shown()).toContain("kept in the prompt: 12x");
  expect(screen.shown()).toContain("what you type still goes to the prompt");
  screen.wait(400);
  expect(screen.shown()).toContain("enter confirms");
  screen.press("1", "return");
  expect(screen.answers()).toEqual([{ kind: "chosen", values: ["once"] }]);
  expect(screen.prompt()).toBe("12x");
});

test("a return typed as the dialog opens sends what is in the prompt, and answers nothing", () => {
  const screen = open(SHORT);
  screen.press("h", "i", "return");
  expect(screen.effects()).toEqual([{ kind: "submit", text: "hi" }]);
});

test("somebody who goes on typing is not taken to answer, however long it takes", () => {
  const screen = open(SHORT);
  for (const letter of "the 3 files in 1 folder") {
    screen.wait(300);
    screen.press(letter);
  }
  screen.press("return");
  expect(screen.answers()).toEqual([]);
  expect(screen.effects()).toEqual([{ kind: "submit", text: "the 3 files in 1 folder" }]);
});

test("a paste is never an answer, with brackets or without", () => {
  const screen = open(SHORT);
  screen.wait(500);
  screen.emit({ kind: "pasted", text: "1\r\n", atMs: 500 });
  screen.wait(500);
  for (const key of [
    { name: "text", text: "1", held: "nothing", came: "together" },
    { name: "return", text: "", held: "nothing", came: "together" },
  ] as const)
    screen.emit({ kind: "key", key, atMs: 1_000 });
  expect(screen.answers()).toEqual([]);
  expect(screen.prompt()).toBe("11");
  // In the field for own words it is text.
  screen.wait(500);
  screen.press("4");
  screen.emit({ kind: "pasted", text: "not\nnow", atMs: 1_500 });
  expect(screen.shown()).toContain("❯ 4. No, because: not now");
  expect(screen.answers()).toEqual([]);
});

test("digits select and enter confirms; letters are own words; escape leaves", () => {
  const digits = open(SHORT);
  digits.wait(500);
  digits.press("3");
  expect(digits.answers()).toEqual([]);
  expect(digits.shown()).toContain("❯ 3. No");
  digits.press("return");
  expect(digits.answers()).toEqual([{ kind: "chosen", values: ["deny"] }]);
  const words = open(SHORT);
  words.wait(500);
  words.press("n", "o", "1", "return");
  expect(words.answers()).toEqual([{ kind: "words", text: "no1" }]);
  const left = open(SHORT);
  left.wait(500);
  left.press("escape");
  expect(left.answers()).toEqual([{ kind: "left" }]);
});

test("an option that asks again counts only once the second question has stood and was answered; escape goes back", () => {
  const screen = open(SHORT);
  screen.wait(500);
  screen.press("2", "return");
  expect(screen.shown()).toContain("Where?");
  screen.press("return");
  expect(screen.answers()).toEqual([]);
  screen.wait(500);
  screen.press("escape");
  expect(screen.shown()).toContain("Run it?");
  screen.press("return");
  expect(screen.shown()).toContain("Run it?");
  screen.wait(500);
  screen.press("return");
  screen.wait(500);
  screen.press("return");
  expect(screen.answers()).toEqual([{ kind: "chosen", values: ["session"] }]);
});

test("a question that waits behind another has to stand, too", () => {
  const screen = open(SHORT);
  screen.emit({ kind: "asked", id: 2, dialog: SHORT });
  screen.wait(500);
  screen.press("3", "return", "1", "return");
  expect(screen.answers()).toEqual([{ kind: "chosen", values: ["deny"] }]);
  screen.wait(500);
  screen.press("1", "return");
  expect(screen.answers()).toHaveLength(2);
});

test("a clock that is set back makes the question stand anew, and not for ever", () => {
  const screen = open(SHORT);
  screen.wait(-9_000);
  screen.press("1");
  expect(screen.prompt()).toBe("1");
  screen.wait(400);
  screen.press("1", "return");
  expect(screen.answers()).toHaveLength(1);
});

test.each(SIZES)(
  "what is longer than a screen of %i x %i scrolls, and yes is offered once its end was seen",
  (...size) => {
    const screen = open(LONG, size);
    screen.wait(500);
    const visible = (screen.shown().match(/row \d+\./g) ?? []).length;
    expect(screen.shown()).toContain(`lines 1-${visible} of 100`);
    expect(screen.shown()).toContain("❯ 1. Yes  not yet: see the end first");
    screen.press("return", "1", "return");
    expect(screen.answers()).toEqual([]);

    screen.press("page-down");
    expect(screen.shown()).toContain(`lines ${visible}-${2 * visible - 1} of 100`);
    screen.press("down", "up", "home");
    expect(screen.shown()).toContain(`lines 1-${visible} of 100`);
    screen.press("end");
    expect(screen.shown()).toContain(`lines ${101 - visible}-100 of 100`);
    expect(screen.shown()).toContain("row 100.");
    expect(screen.shown()).not.toContain("not yet");
    // Once seen, it stays so.
    screen.press("home", "return");
    expect(screen.answers()).toEqual([{ kind: "chosen", values: ["once"] }]);
  },
);

test("no may be said at any time; down reads to the end, and then goes through the answers", () => {
  const denied = open(LONG);
  denied.wait(500);
  denied.press("3", "return");
  expect(denied.answers()).toEqual([{ kind: "chosen", values: ["deny"] }]);
  const read = open(LONG);
  read.wait(500);
  read.press(...Array.from({ length: 100 }, () => "down"));
  expect(read.shown()).toContain("❯ 4. No, because");
});

test("a smaller window takes back what was not seen, and keeps what was", () => {
  const wide = Array.from({ length: 12 }, (_, at) => plain(`${at} ${"word ".repeat(25)}`));
  const unseen = open({ ...SHORT, body: wide }, [140, 24]);
  unseen.emit({ kind: "resized", columns: 60, rows: 20 });
  unseen.wait(500);
  unseen.press("1", "return");
  expect(unseen.answers()).toEqual([]);
  const seen = open({ ...SHORT, body: wide }, [140, 24]);
  seen.wait(500);
  seen.emit({ kind: "resized", columns: 60, rows: 20 });
  expect(seen.shown()).toContain("lines 1-");
  seen.press("1", "return");
  expect(seen.answers()).toHaveLength(1);
});

test("whatever is pressed at whatever size, yes means that the last line was on the screen", () => {
  const event = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        "down",
        "up",
        "page-down",
        "page-up",
        "home",
        "end",
        "tab",
        "1",
        "2",
        "return",
        "return",
      ),
    },
    { weight: 2, arbitrary: fc.constant("wait") },
    { weight: 1, arbitrary: fc.tuple(fc.integer({ min: 20, max: 150 }), fc.integer({ min: 3, max: 50 })) },
  );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 90 }), fc.array(event, { maxLength: 40 }), (length, events) => {
      const exact = [...LONG.exact!.slice(0, length), { lead: plain("│ "), text: plain("PLANTED") }];
      const screen = open({ ...LONG, exact });
      for (const one of events) {
        if (one === "wait") screen.wait(450);
        else if (typeof one === "string") screen.press(one);
        else screen.emit({ kind: "resized", columns: one[0], rows: one[1] });
        const { rows, columns } = screen.state();
        expect(screen.shown().split("\n").length).toBeLessThan(Math.max(2, rows));
        expect(columns).toBeGreaterThan(0);
        const said = screen.answers().some((answer) => answer.kind === "chosen" && answer.values[0] === "once");
        if (said) expect(screen.frames.some((frame) => frame.includes("PLANTED"))).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

test("keys that come before the second question was drawn are not for it", () => {
  const screen = open(SHORT);
  screen.wait(500);
  const keys = ["text", "return", "return"] as const;
  const last = keys.reduce(
    ({ state }, name) =>
      update(state, { kind: "key", key: { name, text: name === "text" ? "2" : "", held: "nothing" }, atMs: 500 }),
    { state: screen.state(), effects: [] } as ReturnType<typeof update>,
  );
  expect(last.state.dialogs[0]?.title).toBe("Where?");
  expect(last.effects).toEqual([]);
});
