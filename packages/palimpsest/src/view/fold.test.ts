import { describe, expect, test } from "vitest";
import type { ReadEntry } from "../log/entry.ts";
import type { MessagePayload, PayloadKind, Payloads } from "../log/payload.ts";
import { estimateTokens, learn, startCalibration } from "../size/calibration.ts";
import { foldEntry } from "./fold.ts";
import { createView, outline, sizeTokens, type View } from "./view.ts";

/** A view with the payloads folded in, numbered from one. */
function viewOf(...payloads: readonly { [Kind in PayloadKind]: readonly [Kind, Payloads[Kind]] }[PayloadKind][]): View {
  const view = createView(startCalibration());
  payloads.forEach(([kind, payload], index) => {
    foldEntry(view, { kind, sequence: index + 1, payload } as ReadEntry);
  });
  return view;
}

const configured = [
  "configuration",
  { provider: "p", model: "m", system: { value: "Be brief." }, tools: { value: [] }, parameters: {}, cause: "opened" },
] as const;
const says = (text: string, more: Partial<MessagePayload> = {}) =>
  ["message", { role: "user", blocks: [{ kind: "text", text }], origin: "human", ...more }] as const;
const answers = (text: string, request: number, responseId = "r") =>
  [
    "message",
    { role: "assistant", blocks: [{ kind: "text", text }], origin: "model", responseId, answers: request },
  ] as const;
const request = ["request", { maxTokens: 100, estimatedTokens: 0 }] as const;
const used = (inputTokens: number, answered: number, responseId = "r") =>
  [
    "usage",
    {
      responseId,
      model: "m",
      answers: answered,
      freshTokens: inputTokens,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 10,
    },
  ] as const;
const summary = { role: "user", blocks: [{ kind: "text", text: "Earlier." }], origin: "summary" } as const;
const replaced = (from: number, to: number) => ["replace", { from, to, with: [summary], reason: "test" }] as const;
const compacted = (from: number, to: number, more: { readonly answers?: number } = {}) => {
  const state = { configuration: 1, calibration: undefined, ledger: undefined, standing: undefined };
  return ["boundary", { from, to, with: [summary], reason: "test", outline: [], state, ...more }] as const;
};
const shown = ({ items }: View): unknown[] =>
  items.map((item) =>
    item.kind === "seal" ? "seal" : item.blocks.map((block) => (block as { text: string }).text).join(),
  );
const thinkingIn = ({ items }: View): unknown[] =>
  items.flatMap((item) => (item.kind === "message" ? [item.thinking] : []));
const long = "word ".repeat(1_000);

describe("items", () => {
  test("contain messages in order and the ends of requests, without messages for the user only", () => {
    const view = viewOf(configured, says("a"), says("working", { audience: "user" }), request, answers("b", 4));
    expect(shown(view)).toEqual(["a", "seal", "b"]);
  });

  test("show the replacement of a range, without the requests in the range", () => {
    const view = viewOf(configured, says("a"), request, answers("b", 3), says("c"), request, says("d"), replaced(2, 5));
    expect(shown(view)).toEqual(["Earlier.", "seal", "d"]);
    expect(view.items[0]).toMatchObject({ from: 2, to: 5, by: 8 });
  });

  test("do not change if a replaced range is not shown", () => {
    expect(shown(viewOf(configured, says("a"), replaced(2, 2), replaced(90, 99)))).toEqual(["Earlier."]);
  });

  test("lose thinking after a change, and keep thinking before it", () => {
    const view = viewOf(configured, says("a"), says("b"), says("c"), replaced(3, 3), says("d"));
    expect(thinkingIn(view)).toEqual(["intact", "lost", "lost", "intact"]);
    const other = ["configuration", { ...configured[1], system: { value: "Be kind." }, tools: { heldBy: 1 } }] as const;
    const anew = viewOf(configured, says("a"), other, says("b"));
    expect(thinkingIn(anew)).toEqual(["lost", "intact"]);
    const restored = viewOf(configured, says("a"), says("b"), [
      "restore",
      { of: 9, from: 3, to: 3, reason: "test", was: "replace" },
    ]);
    expect(thinkingIn(restored)).toEqual(["intact", "lost"]);
  });

  test("lose thinking if the provider's own tools change, and for no other parameter", () => {
    const withParameters = (parameters: Record<string, unknown>) =>
      ["configuration", { ...configured[1], parameters, system: { heldBy: 1 }, tools: { heldBy: 1 } }] as const;
    const searching = withParameters({ tools: [{ type: "web_search" }] });
    const begun = [configured, searching, says("a")] as const;
    const warmer = withParameters({ tools: [{ type: "web_search" }], temperature: 1 });
    expect(thinkingIn(viewOf(...begun, warmer, says("b")))).toEqual(["intact", "intact"]);
    const fetching = withParameters({ tools: [{ type: "web_fetch" }] });
    expect(thinkingIn(viewOf(...begun, fetching, says("b")))).toEqual(["lost", "intact"]);
  });

  test("keep the thinking of an answer and its late pieces unless the view has changed since the request", () => {
    const asked = [configured, says("a"), request] as const;
    const inPieces = viewOf(...asked, answers("b", 3), says("c"), used(5_000, 3), answers("d", 3));
    expect(thinkingIn(inPieces)).toEqual(["intact", "intact", "intact", "intact"]);
    for (const changed of [replaced(2, 2), compacted(2, 3)])
      expect(thinkingIn(viewOf(...asked, changed, answers("b", 3))).at(-1)).toBe("lost");
    const inTheMiddle = viewOf(...asked, compacted(2, 3, { answers: 3 }), answers("b", 3));
    expect(thinkingIn(inTheMiddle).at(-1)).toBe("intact");
  });

  test("count the unchanged items at the front", () => {
    const view = viewOf(configured, says("a"), says("b"), says("c"));
    view.unchangedItems = 3;
    foldEntry(view, { kind: "replace", sequence: 5, payload: replaced(3, 3)[1] });
    expect(view.unchangedItems).toBe(1);
  });
});

describe("the size", () => {
  test("is estimated before the first report, including the system prompt", () => {
    const view = viewOf(configured, says(long));
    expect(sizeTokens(view)).toBeGreaterThan(estimateTokens(view.calibration, view.since));
    expect(sizeTokens(view)).toBeGreaterThan(sizeTokens(viewOf(configured, says("a"))));
  });

  test("is the reported input and output, with an estimate of later items", () => {
    const reported = viewOf(configured, says(long), request, answers("b", 3), used(5_000, 3));
    expect(sizeTokens(reported)).toBe(5_010);
    const more = viewOf(configured, says(long), request, answers("b", 3), used(5_000, 3), says(long));
    expect(sizeTokens(more)).toBeGreaterThan(5_500);
  });

  test("counts items between the pieces of a response as new", () => {
    const view = viewOf(configured, says("a"), request, answers("b", 3), says(long), answers("c", 3), used(5_000, 3));
    expect(sizeTokens(view)).toBeGreaterThan(5_500);
    const without = viewOf(configured, says("a"), request, answers("b", 3), answers("c", 3), used(5_000, 3));
    expect(sizeTokens(without)).toBe(5_010);
  });

  test("does not grow by a late piece of a reported response", () => {
    const view = viewOf(configured, says("a"), request, answers("b", 3), used(5_000, 3), answers(long, 3));
    expect(sizeTokens(view)).toBe(5_010);
  });

  test("shrinks after a decision, until the next report", () => {
    const before = viewOf(configured, says(long), request, answers("b", 3), used(5_000, 3));
    const after = viewOf(configured, says(long), request, answers("b", 3), used(5_000, 3), replaced(2, 2));
    expect(sizeTokens(after)).toBeLessThan(sizeTokens(before) - 500);
    const again = viewOf(
      ...([configured, says(long), request, answers("b", 3), used(5_000, 3), replaced(2, 2)] as const),
      ...([says("c"), request, answers("d", 8, "s"), used(300, 8, "s")] as const),
    );
    expect(sizeTokens(again)).toBe(310);
  });

  test("ignores a report about a request whose beginning has changed", () => {
    const view = viewOf(configured, says("a"), request, replaced(2, 2), answers("b", 3), used(5_000, 3));
    expect(sizeTokens(view)).toBeLessThan(1_000);
  });

  test("after a compaction, uses only the report on the answer during which the provider compacted the conversation", () => {
    const begun = [configured, says(long), request] as const;
    const ofNoRequest = ["usage", { ...used(5_000, 3)[1], answers: undefined }] as const;
    const within = viewOf(...begun, compacted(2, 3, { answers: 3 }), answers("b", 3), used(5_000, 3));
    expect(sizeTokens(within)).toBe(5_010);
    const after = viewOf(...begun, compacted(2, 3), answers("b", 3), ofNoRequest as never);
    expect(sizeTokens(after)).toBeLessThan(100);
  });

  test("is estimated again after a compaction", () => {
    const view = viewOf(configured, says(long), request, answers("b", 3), used(50_000, 3), compacted(2, 4));
    expect(sizeTokens(view)).toBeLessThan(100);
  });

  test("is estimated again after a decision is undone", () => {
    const reported = [configured, says("a"), request, answers("b", 3), used(5_000, 3)] as const;
    const view = viewOf(...reported, ["restore", { of: 9, from: 2, to: 2, reason: "test", was: "replace" }]);
    expect(sizeTokens(view)).toBe(sizeTokens(viewOf(configured, says("a"), request, answers("b", 3))));
  });

  test("learns the whole length from a refusal that names it", () => {
    const asked = [configured, says(long), request] as const;
    const { awaited, calibration } = viewOf(...asked);
    const refused = viewOf(...asked, ["overflow", { request: 3, inputTokens: 2_000 }]);
    expect(refused.calibration).toEqual(learn(calibration, { features: awaited!.since, tokens: 2_000 }));
    expect(sizeTokens(refused)).toBe(2_000);
  });

  test("learns from reports unless the view has changed in between", () => {
    const rounds = [configured, says("a"), request, answers("b", 3), used(100, 3), says(long), request] as const;
    const taught = viewOf(...rounds, answers("d", 7, "s"), used(4_000, 7, "s"));
    expect(taught.calibration).not.toEqual(startCalibration());
    const changed = [...rounds.slice(0, 6), replaced(2, 2), request] as const;
    expect(viewOf(...changed, answers("d", 8, "s"), used(4_000, 8, "s")).calibration).toEqual(startCalibration());
  });
});

describe("content that the provider left out", () => {
  const edits = {
    results: { aboveTokens: 1, minimumTokens: 1, keepNewest: 1, keptTools: ["ask"], inputsOf: [] },
    thinking: "all",
  } as const;
  const asking = [
    "request",
    { maxTokens: 100, estimatedTokens: 0, cache: { configuration: 1, images: "none", lifetimeMs: 1, edits } },
  ] as const;
  const left = (inputTokens: number, answered: number) =>
    [
      "usage",
      { ...used(inputTokens, answered)[1], appliedEdits: { results: 2, thinkingTurns: 0, tokens: 700 } },
    ] as const;

  test("is not part of the size, and does not calibrate", () => {
    const begun = [configured, says(long), asking, answers("ok", 3), used(1_100, 3), says("more"), asking] as const;
    const view = viewOf(...begun, answers("ok", 7), left(420, 7));
    expect(sizeTokens(view)).toBe(430);
    expect(view.leftOut).toEqual({ results: 2, tokens: 700, keptTools: ["ask"], askedBy: "engine" });
    expect(view.calibration).toEqual(viewOf(...begun).calibration);
  });

  test("returns to the size with a request without edits, unless the caller's parameters ask for them", () => {
    const ours = viewOf(configured, says(long), asking, answers("ok", 3), left(420, 3), request);
    expect([sizeTokens(ours), ours.leftOut]).toEqual([1_130, undefined]);
    const theirs = viewOf(configured, says(long), request, answers("ok", 3), left(420, 3), request);
    expect([sizeTokens(theirs), theirs.leftOut?.askedBy]).toEqual([430, "caller"]);
  });
});

test("returns deleted results to the size with a request that does not delete them", () => {
  const cache = { configuration: 1, images: "none", lifetimeMs: 1 } as const;
  const deleting = ["request", { ...request[1], cache: { ...cache, deleted: [{ entry: 2, callId: "1" }] } }] as const;
  const reported = ["usage", { ...used(420, 3)[1], deletedTokens: 300 }] as const;
  const deleted = [configured, says(long), deleting, answers("ok", 3), reported] as const;
  expect(sizeTokens(viewOf(...deleted, request))).toBe(430 + 300);
  expect(sizeTokens(viewOf(...deleted, deleting))).toBe(430);
});

describe("outline", () => {
  test("lists entry ranges, and the decisions that replaced ranges", () => {
    const view = viewOf(configured, says("a"), says("b"), says("c"), says("d"), replaced(3, 3), says("e"));
    expect(outline(view)).toEqual([
      { from: 2, to: 2 },
      { from: 3, to: 3, by: 6, thinking: "lost" },
      { from: 4, to: 5, thinking: "lost" },
      { from: 7, to: 7 },
    ]);
  });

  test("ends a range at hidden entries and at another branch", () => {
    const hidden = viewOf(configured, says("a"), says("b"), says("c"), [
      "replace",
      { from: 3, to: 3, with: [], reason: "test" },
    ]);
    expect(outline(hidden)).toEqual([
      { from: 2, to: 2 },
      { from: 3, to: 3, by: 5 },
      { from: 4, to: 4, thinking: "lost" },
    ]);
  });

  test("forgets hidden entries within a range that is replaced later", () => {
    const said = Array.from({ length: 50 }, (_, index) => says(`${index}`));
    const hidden = said.map((_, index) => {
      const at = index + 2;
      return ["replace", { from: at, to: at, with: [], reason: "test" }] as const;
    });
    const view = viewOf(configured, ...said, says("kept"), ...hidden.slice(1), replaced(2, 51), says("new"));
    expect(outline(view)).toEqual([
      { from: 2, to: 51, by: 102, thinking: "lost" },
      { from: 52, to: 52, thinking: "lost" },
      { from: 103, to: 103 },
    ]);
    expect(view.breaks.length).toBeLessThan(3);
  });
});

test("resets the calibration for another model, and keeps it through other changes", () => {
  const learned = { ...startCalibration(), observations: 7 } as View["calibration"];
  const view = viewOf(configured, says("a"));
  const change = (sequence: number, fields: object): void =>
    void foldEntry(view, { kind: "configuration", sequence, payload: { ...configured[1], ...fields } } as ReadEntry);
  view.calibration = learned;
  change(3, { system: { value: "Be long." } });
  expect(view.calibration).toEqual(learned);
  change(4, { model: "another" });
  expect(view.calibration).toEqual(startCalibration());
});
