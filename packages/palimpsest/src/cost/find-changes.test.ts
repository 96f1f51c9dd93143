import { describe, expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import type { CacheFacts } from "../log/cause.ts";
import type { ReadEntry } from "../log/draft.ts";
import type { PayloadKind, Payloads } from "../log/payload.ts";
import { startCalibration } from "../size/calibration.ts";
import { foldEntry } from "../view/fold.ts";
import { createView } from "../view/view.ts";
import { foldLedger } from "./fold.ts";
import { EMPTY_LEDGER } from "./ledger.ts";
import { describeRequest, type NextRequest } from "./misses.ts";

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

describe("what a request is compared with", () => {
  test("the first is compared with nothing, and one that only grows has not changed", () => {
    const log = write();
    log.say(text("one"));
    expect(log.describe()).toEqual({ configuration: 1, images: "none", lifetimeMs: 1 });
    log.ask(text("two"));
    log.say(text("three"));
    expect(log.describe()).toEqual({ configuration: 1, images: "none", lifetimeMs: 1, comparedWith: 3 });
  });

  test("the configuration counts as it is, not how often it changed", () => {
    const log = write();
    log.say(text("one"));
    log.ask(text("two"));
    log.configure({ system: { value: "Be kind." } });
    expect(log.causes()).toEqual(["system"]);
    log.configure();
    expect(log.causes()).toEqual([]);
  });

  test("unless thinking that was bound to it is lost on the way", () => {
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

  test("decisions count from the first entry that they show in another way; what was never sent moves nothing", () => {
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

  test("the first image counts, and the last one gone; those between do not", () => {
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

  test("an image that stood in a request without an answer counts still, at no entry of its own", () => {
    const log = write();
    log.say(text("one"));
    log.ask(text("two"));
    log.say(image);
    log.add("request", { maxTokens: 1, estimatedTokens: 1, cache: log.describe() });
    log.say(text("three"));
    expect(log.describe().changes).toEqual([{ cause: "images", at: 0 }]);
  });

  test("thinking before the user's new words counts where the provider forgets it", () => {
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

  test("other edits of the provider count; a number of turns that grows with the session is no other", () => {
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

  test("another lifetime counts last, and keeps everything", () => {
    const log = write();
    log.say(text("one"));
    log.ask(text("two"));
    log.rules.lifetimeMs = 2;
    expect(log.describe()).toMatchObject({ changes: [{ cause: "cache-ttl" }] });
    expect(log.describe().keptTokens).toBeUndefined();
  });
});
