import { expect, test } from "vitest";
import { readPayload } from "../log/draft.ts";
import { HOST } from "../log/provenance.ts";
import { knownModel } from "../providers/known-models.ts";
import { startCalibration } from "../size/calibration.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { createView } from "../view/view.ts";
import { openRecorder, type PastTokens, usageDraft } from "./recorder.ts";

const TOKENS: PastTokens = {
  responseId: "r",
  freshTokens: 10,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 3,
  outputCount: "final",
};

/** A recorded question and its answer, and the entries of the answer. */
async function recorded(texts: readonly string[], usage: PastTokens | undefined) {
  const store = memoryStore();
  const opened = await openRecorder({ store, id: "s", owner: "import" });
  if (opened.kind !== "opened") throw new Error("it exists");
  const { recorder } = opened;
  const model = "claude-opus-5-5";
  await recorder.configure({ model, provider: "anthropic", provenance: HOST });
  await recorder.append("Hello.");
  const asked = recorder.newestEntry;
  await recorder.appendResponse({
    sentAtMs: 1,
    atMs: 2,
    message: { role: "assistant", origin: "model", blocks: texts.map((text) => ({ kind: "text", text })) },
    ...(usage === undefined ? {} : { usage }),
    model,
    known: knownModel(model),
    cacheTtl: "1h",
  });
  await recorder.flush();
  const reader = (await store.openReader("s"))!;
  return { entries: (await reader.read(asked + 1, recorder.newestEntry)).map(readPayload) };
}

test("the usage of a call beside the conversation has its time, its name and, where they are known, its prices", () => {
  const view = createView(startCalibration());
  const draft = (model: string) =>
    JSON.parse(usageDraft(view, { atMs: 7, tokens: TOKENS, model, known: knownModel(model), source: "title" }).payload);
  const priced = draft("claude-opus-5-5");
  expect(priced).toMatchObject({ source: "title", madeAtMs: 7, model: "claude-opus-5-5", outputTokens: 3 });
  expect(priced.prices).toEqual(knownModel("claude-opus-5-5").facts.prices);
  expect(priced).not.toHaveProperty("outputCount");
  expect(draft("nobody-knows-it")).not.toHaveProperty("prices");
});

const LONG = "What was said goes on and on. ".repeat(20);

test.each<[string, string, Partial<PastTokens>, (outputTokens: number) => boolean]>([
  ["a final count stands, however much was said", LONG, {}, (tokens) => tokens === 3],
  ["a count taken too early gives way to an estimate", LONG, { outputCount: "provisional" }, (tokens) => tokens > 50],
  [
    "and stands where it is more than the estimate",
    LONG,
    { outputCount: "provisional", outputTokens: 9_000 },
    (tokens) => tokens === 9_000,
  ],
  ["fractions are rounded", "Hi.", { outputTokens: 3.6 }, (tokens) => tokens === 4],
])("of a response of the past, %s", async (_, words, tokens, fits) => {
  const { entries } = await recorded([words], { ...TOKENS, ...tokens });
  const [request, message, usage] = entries;
  expect(request).toMatchObject({ kind: "request", payload: { cacheTtl: "1h", cache: expect.any(Object) } });
  const answers = request!.sequence;
  expect(message).toMatchObject({ kind: "message", payload: { answers } });
  expect(usage).toMatchObject({ kind: "usage", payload: { answers, model: "claude-opus-5-5", freshTokens: 10 } });
  expect((usage as { payload: { outputTokens: number } }).payload.outputTokens).toSatisfy(fits);
});

test("a response without words leaves its usage, one without usage its words", async () => {
  expect((await recorded([], TOKENS)).entries.map(({ kind }) => kind)).toEqual(["request", "usage"]);
  expect((await recorded(["Hi."], undefined)).entries.map(({ kind }) => kind)).toEqual(["request", "message"]);
});
