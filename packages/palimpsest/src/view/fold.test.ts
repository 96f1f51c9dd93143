import { describe, expect, test } from "vitest";
import type { ReadEntry } from "../log/draft.ts";
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

describe("the items of a view", () => {
  test("are what was said, in order, and where requests ended; what is for the user only is not among them", () => {
    const view = viewOf(configured, says("a"), says("working", { audience: "user" }), request, answers("b", 4));
    expect(shown(view)).toEqual(["a", "seal", "b"]);
  });

  test("a range that is replaced is shown as what stands for it, with the requests in it gone", () => {
    const view = viewOf(configured, says("a"), request, answers("b", 3), says("c"), request, says("d"), replaced(2, 5));
    expect(shown(view)).toEqual(["Earlier.", "seal", "d"]);
    expect(view.items[0]).toMatchObject({ from: 2, to: 5, by: 8 });
  });

  test("what is not shown cannot be replaced", () => {
    expect(shown(viewOf(configured, says("a"), replaced(2, 2), replaced(90, 99)))).toEqual(["Earlier."]);
  });

  test("thinking behind a change is lost, thinking before it is not", () => {
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

  test("thinking is bound to the tools that the provider runs, and to no other parameter", () => {
    const withParameters = (parameters: Record<string, unknown>) =>
      ["configuration", { ...configured[1], parameters, system: { heldBy: 1 }, tools: { heldBy: 1 } }] as const;
    const searching = withParameters({ tools: [{ type: "web_search" }] });
    const begun = [configured, searching, says("a")] as const;
    const warmer = withParameters({ tools: [{ type: "web_search" }], temperature: 1 });
    expect(thinkingIn(viewOf(...begun, warmer, says("b")))).toEqual(["intact", "intact"]);
    const fetching = withParameters({ tools: [{ type: "web_fetch" }] });
    expect(thinkingIn(viewOf(...begun, fetching, says("b")))).toEqual(["lost", "intact"]);
  });

  test("an answer keeps its thinking, also in late pieces, unless something has changed since its request", () => {
    const asked = [configured, says("a"), request] as const;
    const inPieces = viewOf(...asked, answers("b", 3), says("c"), used(5_000, 3), answers("d", 3));
    expect(thinkingIn(inPieces)).toEqual(["intact", "intact", "intact", "intact"]);
    for (const changed of [replaced(2, 2), compacted(2, 3)])
      expect(thinkingIn(viewOf(...asked, changed, answers("b", 3))).at(-1)).toBe("lost");
    const inTheMiddle = viewOf(...asked, compacted(2, 3, { answers: 3 }), answers("b", 3));
    expect(thinkingIn(inTheMiddle).at(-1)).toBe("intact");
  });

  test("unchangedItems says how far the view is what it was", () => {
    const view = viewOf(configured, says("a"), says("b"), says("c"));
    view.unchangedItems = 3;
    foldEntry(view, { kind: "replace", sequence: 5, payload: replaced(3, 3)[1] });
    expect(view.unchangedItems).toBe(1);
  });
});

describe("the size of a view", () => {
  test("is estimated as long as nothing was reported, system prompt included", () => {
    const view = viewOf(configured, says(long));
    expect(sizeTokens(view)).toBeGreaterThan(estimateTokens(view.calibration, view.since));
    expect(sizeTokens(view)).toBeGreaterThan(sizeTokens(viewOf(configured, says("a"))));
  });

  test("is what was reported, input and output, with an estimate of what came after", () => {
    const reported = viewOf(configured, says(long), request, answers("b", 3), used(5_000, 3));
    expect(sizeTokens(reported)).toBe(5_010);
    const more = viewOf(configured, says(long), request, answers("b", 3), used(5_000, 3), says(long));
    expect(sizeTokens(more)).toBeGreaterThan(5_500);
  });

  test("counts what lies between the pieces of a response as new", () => {
    const view = viewOf(configured, says("a"), request, answers("b", 3), says(long), answers("c", 3), used(5_000, 3));
    expect(sizeTokens(view)).toBeGreaterThan(5_500);
    const without = viewOf(configured, says("a"), request, answers("b", 3), answers("c", 3), used(5_000, 3));
    expect(sizeTokens(without)).toBe(5_010);
  });

  test("a late piece of a response that was reported adds nothing", () => {
    const view = viewOf(configured, says("a"), request, answers("b", 3), used(5_000, 3), answers(long, 3));
    expect(sizeTokens(view)).toBe(5_010);
  });

  test("shrinks by what a decision sheds, and is reported anew with the next response", () => {
    const before = viewOf(configured, says(long), request, answers("b", 3), used(5_000, 3));
    const after = viewOf(configured, says(long), request, answers("b", 3), used(5_000, 3), replaced(2, 2));
    expect(sizeTokens(after)).toBeLessThan(sizeTokens(before) - 500);
    const again = viewOf(
      ...([configured, says(long), request, answers("b", 3), used(5_000, 3), replaced(2, 2)] as const),
      ...([says("c"), request, answers("d", 8, "s"), used(300, 8, "s")] as const),
    );
    expect(sizeTokens(again)).toBe(310);
  });

  test("a report about a request that no longer begins as it did is not believed", () => {
    const view = viewOf(configured, says("a"), request, replaced(2, 2), answers("b", 3), used(5_000, 3));
    expect(sizeTokens(view)).toBeLessThan(1_000);
  });

  test("after a compaction, only a report of the answer that it fell into is believed", () => {
    const begun = [configured, says(long), request] as const;
    const ofNoRequest = ["usage", { ...used(5_000, 3)[1], answers: undefined }] as const;
    const within = viewOf(...begun, compacted(2, 3, { answers: 3 }), answers("b", 3), used(5_000, 3));
    expect(sizeTokens(within)).toBe(5_010);
    const after = viewOf(...begun, compacted(2, 3), answers("b", 3), ofNoRequest as never);
    expect(sizeTokens(after)).toBeLessThan(100);
  });

  test("is estimated again after a compaction, however much was reported before it", () => {
    const view = viewOf(configured, says(long), request, answers("b", 3), used(50_000, 3), compacted(2, 4));
    expect(sizeTokens(view)).toBeLessThan(100);
  });

  test("is estimated again once a decision is taken back", () => {
    const reported = [configured, says("a"), request, answers("b", 3), used(5_000, 3)] as const;
    const view = viewOf(...reported, ["restore", { of: 9, from: 2, to: 2, reason: "test", was: "replace" }]);
    expect(sizeTokens(view)).toBe(sizeTokens(viewOf(configured, says("a"), request, answers("b", 3))));
  });

  test("a refusal that names the length of the request teaches the estimator all of it", () => {
    const asked = [configured, says(long), request] as const;
    const { awaited, calibration } = viewOf(...asked);
    const refused = viewOf(...asked, ["overflow", { request: 3, inputTokens: 2_000 }]);
    expect(refused.calibration).toEqual(learn(calibration, { features: awaited!.since, tokens: 2_000 }));
    expect(sizeTokens(refused)).toBe(2_000);
  });

  test("reports teach the estimator, unless something has changed in between", () => {
    const rounds = [configured, says("a"), request, answers("b", 3), used(100, 3), says(long), request] as const;
    const taught = viewOf(...rounds, answers("d", 7, "s"), used(4_000, 7, "s"));
    expect(taught.calibration).not.toEqual(startCalibration());
    const changed = [...rounds.slice(0, 6), replaced(2, 2), request] as const;
    expect(viewOf(...changed, answers("d", 8, "s"), used(4_000, 8, "s")).calibration).toEqual(startCalibration());
  });
});

describe("what the provider has left out", () => {
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

  test("is not part of the size, and teaches the estimator nothing", () => {
    const begun = [configured, says(long), asking, answers("ok", 3), used(1_100, 3), says("more"), asking] as const;
    const view = viewOf(...begun, answers("ok", 7), left(420, 7));
    expect(sizeTokens(view)).toBe(430);
    expect(view.leftOut).toEqual({ results: 2, tokens: 700, keptTools: ["ask"], askedBy: "engine" });
    expect(view.calibration).toEqual(viewOf(...begun).calibration);
  });

  test("comes back with a request that does not ask for it, unless the caller's parameters do", () => {
    const ours = viewOf(configured, says(long), asking, answers("ok", 3), left(420, 3), request);
    expect([sizeTokens(ours), ours.leftOut]).toEqual([1_130, undefined]);
    const theirs = viewOf(configured, says(long), request, answers("ok", 3), left(420, 3), request);
    expect([sizeTokens(theirs), theirs.leftOut?.askedBy]).toEqual([430, "caller"]);
  });
});

test("deleted results come back with a request that does not delete them again", () => {
  const cache = { configuration: 1, images: "none", lifetimeMs: 1 } as const;
  const deleting = ["request", { ...request[1], cache: { ...cache, deleted: [{ entry: 2, callId: "1" }] } }] as const;
  const reported = ["usage", { ...used(420, 3)[1], deletedTokens: 300 }] as const;
  const deleted = [configured, says(long), deleting, answers("ok", 3), reported] as const;
  expect(sizeTokens(viewOf(...deleted, request))).toBe(430 + 300);
  expect(sizeTokens(viewOf(...deleted, deleting))).toBe(430);
});

describe("the outline of a view", () => {
  test("names runs of entries and the decisions that stand for others", () => {
    const view = viewOf(configured, says("a"), says("b"), says("c"), says("d"), replaced(3, 3), says("e"));
    expect(outline(view)).toEqual([
      { from: 2, to: 2 },
      { from: 3, to: 3, by: 6, thinking: "lost" },
      { from: 4, to: 5, thinking: "lost" },
      { from: 7, to: 7 },
    ]);
  });

  test("a run never spans what is hidden, or a branch that was left", () => {
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

  test("what was hidden within a range is forgotten once something stands for all of it", () => {
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

test("what was learned of one model's tokens is not used for another, and is kept through other changes", () => {
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
