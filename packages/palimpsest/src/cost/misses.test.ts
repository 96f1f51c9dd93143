import { describe, expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import type { CacheDiagnosis, CacheEffects, CacheFacts, Cause } from "../log/cause.ts";
import type { ReadEntry } from "../log/entry.ts";
import type { PayloadKind, Payloads } from "../log/payload.ts";
import { NO_FEATURES, startCalibration } from "../size/calibration.ts";
import { foldEntry } from "../view/fold.ts";
import { type Configuration, createView } from "../view/view.ts";
import { foldLedger } from "./fold.ts";
import { EMPTY_LEDGER } from "./ledger.ts";
import {
  checkDiagnosis,
  compareConfigurations,
  describeRequest,
  findDrop,
  isExpected,
  type NextRequest,
  nameCauses,
} from "./misses.ts";

const left = (cacheReadTokens: number, cacheWriteTokens = 0) => ({ cacheReadTokens, cacheWriteTokens });
const FIVE_MINUTES_MS = 300_000;

test.each<[string, ReturnType<typeof left>, number, number | undefined]>([
  ["findDrop finds no break if nothing was lost", left(50_000), 50_000, undefined],
  ["findDrop finds no break if more was read than before", left(50_000), 60_000, undefined],
  ["findDrop finds no break after a drop of 2,000 tokens", left(10_000), 8_000, undefined],
  ["findDrop finds a break after a drop of more than 2,000 tokens", left(10_000), 7_999, 2_001],
  ["findDrop finds no break after a drop of 5% of a large prompt", left(100_000), 95_000, undefined],
  ["findDrop finds a break after a drop of more than 5% of a large prompt", left(100_000), 94_999, 5_001],
  ["findDrop counts tokens that the previous request wrote", left(0, 50_000), 0, 50_000],
  ["findDrop finds no break if the cache was empty", left(0), 0, undefined],
])("%s", (_, before, cacheReadTokens, dropped) => {
  expect(findDrop(before, { cacheReadTokens })).toBe(dropped);
});

test("orders causes by their place in the prompt", () => {
  const changes = [
    { cause: "replace", from: 40 },
    { cause: "images" },
    { cause: "rewind", from: 12 },
    { cause: "tools" },
  ] as const;
  const named = nameCauses({ changes, pauseMs: FIVE_MINUTES_MS, lifetimeMs: FIVE_MINUTES_MS });
  expect(named).toEqual(["pause", "tools", "images", "rewind", "replace"]);
  const inMessages = [
    { cause: "restore", from: 12 },
    { cause: "replace", from: 9 },
    { cause: "rewind", from: 12 },
  ] as const;
  expect(nameCauses({ changes: inMessages, lifetimeMs: FIVE_MINUTES_MS })).toEqual(["replace", "rewind", "restore"]);
});

test("names a pause from the lifetime on, and the server without any other cause", () => {
  const after = (pauseMs?: number) =>
    nameCauses({ changes: [], lifetimeMs: FIVE_MINUTES_MS, ...(pauseMs === undefined ? {} : { pauseMs }) });
  expect(after(FIVE_MINUTES_MS)).toEqual(["pause"]);
  expect(after(FIVE_MINUTES_MS - 1)).toEqual(["server"]);
  expect(after()).toEqual(["server"]);
});

test("expects decisions only, and no pause or server", () => {
  expect(isExpected(["model", "replace"])).toBe(true);
  expect(isExpected(["pause", "replace"])).toBe(false);
  expect(isExpected(["server"])).toBe(false);
});

const text = (words: string): Block => ({ kind: "text", text: words });
const image: Block = { kind: "image", source: { kind: "url", url: "https://example.org/a.png" } };
const thinking: Block = { kind: "thinking", provider: "p", text: "hm", signature: "s" };

/** A view and a ledger that are written together; every request is described before it is written. */
function write() {
  const view = createView(startCalibration());
  let ledger = EMPTY_LEDGER;
  let sequence = 0;
  let before: NextRequest["before"];
  const facts: CacheFacts[] = [];
  const rules: { -readonly [Rule in keyof NextRequest]?: NextRequest[Rule] } = {};
  const add = <Kind extends PayloadKind>(kind: Kind, payload: Payloads[Kind]): number => {
    const read = { kind, sequence: ++sequence, payload } as ReadEntry;
    foldEntry(view, read);
    ledger = foldLedger(ledger, read, sequence * 1_000);
    return sequence;
  };
  const written = {
    add,
    rules,
    say: (...blocks: Block[]): number => add("message", { role: "user", blocks, origin: "human" }),
    configure: (more: Partial<Payloads["configuration"]> = {}): number =>
      add("configuration", {
        provider: "p",
        model: "m",
        parameters: {},
        cause: "test",
        system: { value: "Be brief." },
        tools: { value: [] },
        ...more,
      }),
    describe(): CacheFacts {
      const effects = { parameters: {}, images: "messages" } as const;
      return describeRequest({
        view,
        ledger,
        configuration: view.configuration!,
        before,
        lifetimeMs: 1,
        effects,
        thinking: "bound",
        ...rules,
      });
    },
    ask(...answer: Block[]): void {
      const cache = written.describe();
      facts.push(cache);
      const request = add("request", { maxTokens: 1, estimatedTokens: 1, cache });
      before = view.configuration;
      add("message", { role: "assistant", blocks: answer, origin: "model", answers: request, responseId: "r" });
      const used = { freshTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 9_000, outputTokens: 1 };
      add("usage", { responseId: "r", model: "m", answers: request, ...used });
    },
    causes: (): unknown[] => (written.describe().changes ?? []).map(({ cause }) => cause),
  };
  written.configure();
  return written;
}

describe("describeRequest", () => {
  test("compares the first request with nothing, and finds no change if the conversation only grows", () => {
    const log = write();
    log.say(text("one"));
    expect(log.describe()).toEqual({ configuration: 1, images: "none", lifetimeMs: 1 });
    log.ask(text("two"));
    log.say(text("three"));
    expect(log.describe()).toEqual({ configuration: 1, images: "none", lifetimeMs: 1, comparedWith: 3 });
  });

  test("compares the configuration by value, however often it changed", () => {
    const log = write();
    log.say(text("one"));
    log.ask(text("two"));
    log.configure({ system: { value: "Be kind." } });
    expect(log.causes()).toEqual(["system"]);
    log.configure();
    expect(log.causes()).toEqual([]);
  });

  test("finds a change if thinking that was bound to the configuration was lost in between", () => {
    const log = write();
    log.say(text("one"));
    log.ask(thinking, text("two"));
    log.say(text("three"));
    log.ask(text("four"));
    log.configure({ system: { value: "Be kind." }, tools: { heldBy: 1 } });
    log.configure({ tools: { heldBy: 1 } });
    expect(log.describe().changes).toMatchObject([{ cause: "system", from: 4, what: ["bound thinking left out"] }]);
    log.rules.thinking = "free";
    expect(log.causes()).toEqual([]);
  });

  test("places decisions at the first entry that they change, and ignores content that was never sent", () => {
    const log = write();
    const one = log.say(text("one"));
    const two = log.say(text("word ".repeat(2_000)));
    log.ask(text("answer ".repeat(2_000)));
    const three = log.say(text("three"));
    log.add("replace", { from: three, to: three, with: [], reason: "unsent" });
    expect(log.causes()).toEqual([]);
    log.add("replace", { from: two, to: two, with: [], reason: "cleared" });
    const { changes, keptTokens } = log.describe();
    expect(changes).toMatchObject([{ cause: "replace", from: two, what: ["cleared"] }]);
    expect(keptTokens).toBeLessThan(100);
    log.add("restore", { of: 1, from: one, to: one, reason: "back", was: "replace" });
    expect(log.causes()).toEqual(["restore", "replace"]);
  });

  test("finds the first image and the removal of the last image, and ignores others", () => {
    const log = write();
    const first = log.say(text("one"), image);
    expect(log.describe().images).toBe("some");
    log.ask(text("two"));
    expect(log.describe()).toEqual({ configuration: 1, images: "some", lifetimeMs: 1, comparedWith: 3 });
    log.say(image);
    expect(log.causes()).toEqual([]);
    log.ask(text("three"));
    log.add("replace", { from: first, to: first + 100, with: [], reason: "images left out" });
    expect(log.causes()).toEqual(["images", "replace"]);
    // By the newest of the decisions, if there are several.
    const restored = log.add("restore", { of: 1, from: first, to: first, reason: "back", was: "replace" });
    expect(log.describe().changes).toContainEqual({ cause: "images", at: restored });
    const other = write();
    other.say(text("one"));
    other.ask(text("two"));
    const at = other.say(image);
    expect(other.describe().changes).toEqual([{ cause: "images", at }]);
    other.rules.effects = { parameters: {}, images: "nothing" };
    expect(other.causes()).toEqual([]);
  });

  test("counts an image of an unanswered request, without an entry", () => {
    const log = write();
    log.say(text("one"));
    log.ask(text("two"));
    log.say(image);
    log.add("request", { maxTokens: 1, estimatedTokens: 1, cache: log.describe() });
    log.say(text("three"));
    expect(log.describe().changes).toEqual([{ cause: "images", at: 0 }]);
  });

  test("finds the loss of thinking before a new user message, if the provider drops it", () => {
    const log = write();
    log.rules.earlierThinking = "stripped";
    log.say(text("one"));
    log.ask(thinking, { kind: "tool_call", id: "1", name: "look", input: {} });
    log.say({ kind: "tool_result", callId: "1", content: "a tree", status: "ok" });
    log.ask(text("two"));
    expect(log.causes()).toEqual([]);
    const at = log.say(text("three"));
    expect(log.describe().changes).toEqual([{ cause: "earlier-thinking", at, from: 4 }]);
    log.ask(text("four"));
    log.say(text("five"));
    expect(log.causes()).toEqual([]);
  });

  test("finds changed provider edits, and ignores a growing number of turns", () => {
    const log = write();
    const results = { aboveTokens: 9, minimumTokens: 1, keepNewest: 3, keptTools: [], inputsOf: [] };
    log.rules.asked = { edits: { results, thinking: { from: 1, turns: 1 } } };
    log.say(text("one"));
    log.ask(text("two"));
    expect(log.describe().edits).toBe(log.rules.asked.edits);
    log.rules.asked = { edits: { results, thinking: { from: 1, turns: 2 } } };
    expect(log.causes()).toEqual([]);
    log.rules.asked = { edits: { results, thinking: { from: 4, turns: 1 } } };
    expect(log.causes()).toEqual(["provider-edits"]);
    log.rules.asked = { edits: { results: { ...results, keepNewest: 5 }, thinking: { from: 1, turns: 2 } } };
    expect(log.causes()).toEqual(["provider-edits"]);
    log.rules.asked = {};
    expect(log.causes()).toEqual(["provider-edits"]);
  });

  test("puts a new lifetime last, and keeps all tokens", () => {
    const log = write();
    log.say(text("one"));
    log.ask(text("two"));
    log.rules.lifetimeMs = 2;
    expect(log.describe()).toMatchObject({ changes: [{ cause: "cache-ttl" }] });
    expect(log.describe().keptTokens).toBeUndefined();
  });
});

const tool = (name: string, description = "") => ({ name, description, inputSchema: { type: "object" } });
const before: Configuration = {
  entry: 1,
  systemHeldBy: 1,
  toolsHeldBy: 1,
  provider: "p",
  model: "m",
  system: "Be brief.",
  tools: [tool("a"), tool("b"), tool("c")],
  parameters: { effort: "low", stop: ["."] },
  features: NO_FEATURES,
};
const effects: CacheEffects = { parameters: { effort: "effort", stop: "nothing" }, images: "nothing" };
const changes = (now: Partial<Configuration>) =>
  compareConfigurations(before, { ...before, entry: 9, toolsHeldBy: 9, ...now }, effects).map(({ cause, what = [] }) =>
    [cause, ...what].join(": "),
  );

describe("compareConfigurations", () => {
  test("finds no difference between equal configurations in different entries", () => {
    expect(changes({ systemHeldBy: 9 })).toEqual([]);
  });

  test.each<[string, Partial<Configuration>, string[]]>([
    ["model", { model: "n" }, ["model"]],
    ["provider", { provider: "q" }, ["provider"]],
    ["system", { system: "Be kind." }, ["system"]],
    ["an added tool", { tools: [...before.tools, tool("d")] }, ["tools: added d"]],
    ["a removed tool", { tools: before.tools.slice(1) }, ["tools: removed a"]],
    ["a changed tool", { tools: before.tools.with(1, tool("b", "new")) }, ["tools: changed b"]],
    ["another order", { tools: before.tools.toReversed() }, ["tools: reordered"]],
    ["a known setting", { parameters: { effort: "high" } }, ["effort: effort"]],
    ["a setting without effect", { parameters: { effort: "low", stop: [] } }, []],
    ["an unknown setting", { parameters: { ...before.parameters, novelty: 1 } }, ["parameters: novelty"]],
    ["tools of the service", { parameters: { ...before.parameters, tools: [{}] } }, ["tools: tools"]],
    [
      "a setting with an odd name",
      { parameters: { ...before.parameters, constructor: 1 } },
      ["parameters: constructor"],
    ],
  ])("finds a difference: %s", (_, now, expected) => {
    expect(changes(now)).toEqual(expected);
  });

  test("names all differences", () => {
    expect(changes({ model: "n", system: "", tools: [], parameters: {} })).toEqual([
      "model",
      "tools: removed a: removed b: removed c",
      "system",
      "effort: effort",
    ]);
  });
});

test.each<[Cause[], CacheDiagnosis["reason"], "agrees" | "differs" | undefined]>([
  [["model"], "model", "agrees"],
  [["tools", "replace"], "tools", "agrees"],
  [["pause", "system"], "system", "agrees"],
  [["replace"], "messages", "agrees"],
  [["effort"], "parameters", "agrees"],
  [["parameters"], "messages", "agrees"],
  [["earlier-thinking"], "messages", "agrees"],
  [["pause"], "nowhere", "agrees"],
  [["server"], "messages", "differs"],
  [["replace"], "tools", "differs"],
  [["replace"], "unknown", undefined],
])("checkDiagnosis compares %j with the reason %s: %s", (causes, reason, verdict) => {
  expect(checkDiagnosis(causes, { reason })).toBe(verdict);
});
