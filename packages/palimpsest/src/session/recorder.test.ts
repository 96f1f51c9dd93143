import { describe, expect, test } from "vitest";
import { SessionBusyError, SessionLostError } from "../errors.ts";
import { EMPTY_LOG, type Entry, type LogHead, readPayload, sealEntries, toDraft } from "../log/entry.ts";
import { notice, toolResult } from "../log/messages.ts";
import { HOST } from "../log/provenance.ts";
import { knownModel } from "../providers/known-models.ts";
import { startCalibration } from "../size/calibration.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { sha256 } from "../stores/sha256.ts";
import type { Store } from "../stores/store.ts";
import { createView } from "../view/view.ts";
import { createBufferedWriter, openRecorder, type PastTokens, usageDraft } from "./recorder.ts";
import { openOffline } from "./testing/open-offline.ts";

async function begin(store: Store = memoryStore()) {
  const opened = await openRecorder({ store, id: "s", owner: "import" });
  if (opened.kind !== "opened") throw new Error("it exists");
  const { recorder } = opened;
  await recorder.configure({ model: "claude-opus-5-5", provider: "anthropic", provenance: HOST });
  const times = async () => {
    const reader = (await store.openReader("s"))!;
    return (await reader.read(1, 99)).map(({ kind, atMs }) => [kind, atMs]);
  };
  return { store, recorder, times };
}

describe("a recorder", () => {
  test("writes a session with its original times that works like any other session", async () => {
    const { store, recorder, times } = await begin();
    recorder.setTime(1_000.4);
    const [hello] = await recorder.append("Hello.");
    expect(hello).toMatchObject({ entry: 2, content: { role: "user" } });
    recorder.setTime(2_000);
    const message = { role: "assistant", origin: "model", blocks: [{ kind: "text", text: "Hi." }] } as const;
    expect(await recorder.appendInherited(message)).toBe(3);
    // A notice for the user, outside the conversation.
    await recorder.append(notice("Imported."));
    expect(recorder).toMatchObject({ id: "s", newestEntry: 4, model: "claude-opus-5-5" });
    expect(await recorder.flush()).toBe(4);
    expect(await times()).toEqual([
      ["configuration", 0],
      ["message", 1_000],
      ["message", 2_000],
      ["message", 2_000],
    ]);
    await recorder.close();
    const session = await openOffline(store);
    await session.append("Go on.");
    expect(JSON.stringify((await session.prepare()).messages)).toMatch(/Hello\..*Hi\..*Go on\./);
  });

  test("writes a configuration once, and again after a change", async () => {
    const { recorder } = await begin();
    const same = { model: "claude-opus-5-5", provider: "anthropic", provenance: HOST };
    await recorder.configure(same);
    expect(recorder.newestEntry).toBe(1);
    await recorder.configure({ ...same, system: "Be brief." });
    expect(recorder.newestEntry).toBe(2);
  });

  test("writes decisions: replace, fold and rewind", async () => {
    const { recorder } = await begin();
    await recorder.append("Look.");
    const call = { kind: "tool_call", id: "a", name: "look", input: {} } as const;
    const calls = await recorder.appendInherited({ role: "assistant", origin: "model", blocks: [call] });
    const [result] = await recorder.append(toolResult("a", "A tree."));
    const shown = () => JSON.stringify(recorder.items);
    const put = (from: number, text: string) => ({
      from,
      to: result!.entry,
      with: [{ role: "user", origin: "summary", blocks: [{ kind: "text", text }] } as const],
      reason: "import",
      cost: { shedTokens: 0, invalidatedPrefixTokens: 0 },
    });
    const before = recorder.newestEntry;
    await recorder.replace();
    expect(recorder.newestEntry).toBe(before);
    await recorder.replace(put(calls, "Something was looked at."));
    expect(shown()).toMatch(/Look\..*Something was looked at\./);
    expect(shown()).not.toContain("A tree.");
    await recorder.fold(put(2, "They looked."));
    expect(shown()).toContain("They looked.");
    expect(shown()).not.toContain("Look.");
    await recorder.rewind(before, "import");
    expect(shown()).toMatch(/Look\..*A tree\./);
  });

  test("leaves an existing session unchanged, and reports sessions in use or lost", async () => {
    const { store, recorder } = await begin();
    await expect(openRecorder({ store, id: "s", owner: "other" })).rejects.toThrow(SessionBusyError);
    await recorder.append("Hello.");
    await recorder.close();
    // Twice, because the first attempt must not keep the session open.
    for (let times = 0; times < 2; times++) {
      expect(await openRecorder({ store, id: "s", owner: "other" })).toEqual({ kind: "exists", entries: 2 });
    }
    const other = await begin();
    await other.recorder.append("Hello.");
    await other.store.openWriter("s", { owner: "thief", takeover: "always" });
    await expect(other.recorder.flush()).rejects.toThrow(SessionLostError);
  });
});

describe("a buffered writer", () => {
  async function open() {
    const store = memoryStore();
    const result = await store.openWriter("s", { owner: "test" });
    if (result.kind !== "opened") throw new Error("busy");
    const writer = await createBufferedWriter(result.writer);
    let head: LogHead = EMPTY_LOG;
    const add = async (count: number, more = ""): Promise<readonly Entry[]> => {
      const drafts = Array.from({ length: count }, (_, index) => toDraft("message", notice(`word${index}${more}`)));
      const entries = sealEntries(drafts, { head, atMs: 0, digest: sha256 });
      const result = await writer.append(entries);
      expect(result.kind).toBe("appended");
      head = entries.at(-1)!;
      return entries;
    };
    const stored = async (): Promise<number> => (await (await store.openReader("s"))!.head()).sequence;
    return { store, writer, add, stored };
  }

  test("reads buffered entries like written ones", async () => {
    const { writer, add, stored } = await open();
    const first = await add(500);
    expect(await stored()).toBe(500);
    const second = await add(3);
    expect(await stored()).toBe(500);
    expect(await writer.head()).toMatchObject({ sequence: 503 });
    expect(await writer.read(499, 502)).toEqual([...first.slice(-2), ...second.slice(0, 2)]);
    expect(await writer.read(501, 501)).toEqual(second.slice(0, 1));
    expect(await writer.read(502, 503)).toEqual(second.slice(1));
    expect(await writer.newest("message")).toEqual(second.at(-1));
    expect(await writer.newest("message", 501)).toEqual(first.at(-1));
    expect(await writer.newest("boundary")).toBeUndefined();
    expect((await writer.search("word2", { limit: 1 }))[0]).toMatchObject({ sequence: 503 });
  });

  test("writes the rest on close, and is fenced by another writer", async () => {
    const { writer, add, stored } = await open();
    await add(3);
    await writer.close();
    expect(await stored()).toBe(3);

    const other = await open();
    await other.add(3);
    await other.store.openWriter("s", { owner: "other", takeover: "always" });
    expect(await other.writer.flush()).toMatchObject({ kind: "fenced" });
    expect(await other.stored()).toBe(0);
  });

  test("rejects entries with a gap before them", async () => {
    const { writer, add } = await open();
    const entries = await add(2);
    expect(await writer.append(entries)).toMatchObject({ kind: "out-of-order", head: { sequence: 2 } });
    expect(await writer.append([])).toMatchObject({ kind: "appended" });
  });

  test("writes a few large entries at once", async () => {
    const { writer, add, stored } = await open();
    await add(1, "x".repeat(4_500_000));
    expect(await stored()).toBe(0);
    await add(1, "x".repeat(4_500_000));
    expect(await stored()).toBe(2);
    // Written entries no longer count.
    await add(1, "x".repeat(4_500_000));
    expect(await stored()).toBe(2);
    expect(await writer.flush()).toMatchObject({ kind: "appended", head: { sequence: 3 } });
    expect(await stored()).toBe(3);
  });

  test("erases buffered entries", async () => {
    const { writer, add, stored } = await open();
    await add(3);
    await writer.erase(2);
    expect(await stored()).toBe(3);
    expect((await writer.read(1, 3)).map(({ payload }) => payload === undefined)).toEqual([false, true, false]);
  });
});

describe("a past response", () => {
  const TOKENS: PastTokens = {
    responseId: "r",
    freshTokens: 10,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 3,
    outputCount: "final",
  };

  /** Records a question and its answer. Returns the entries of the answer. */
  async function recorded(texts: readonly string[], usage: PastTokens | undefined) {
    const store = memoryStore();
    const opened = await openRecorder({ store, id: "s", owner: "import" });
    if (opened.kind !== "opened") throw new Error("it exists");
    const { recorder } = opened;
    const model = "claude-opus-5-5";
    await recorder.configure({ model, provider: "anthropic", provenance: HOST });
    await recorder.append("Hello.");
    const before = recorder.newestEntry;
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
    return { entries: (await reader.read(before + 1, recorder.newestEntry)).map(readPayload) };
  }

  test("records the usage of a call outside the conversation with its time, its source and known prices", () => {
    const view = createView(startCalibration());
    const draft = (model: string) =>
      JSON.parse(
        usageDraft(view, { atMs: 7, tokens: TOKENS, model, known: knownModel(model), source: "title" }).payload,
      );
    const priced = draft("claude-opus-5-5");
    expect(priced).toMatchObject({ source: "title", madeAtMs: 7, model: "claude-opus-5-5", outputTokens: 3 });
    expect(priced.prices).toEqual(knownModel("claude-opus-5-5").facts.prices);
    expect(priced).not.toHaveProperty("outputCount");
    expect(draft("nobody-knows-it")).not.toHaveProperty("prices");
  });

  const LONG = "The conversation goes on and on. ".repeat(20);

  test.each<[string, string, Partial<PastTokens>, (outputTokens: number) => boolean]>([
    ["keeps a final count for any length of the text", LONG, {}, (tokens) => tokens === 3],
    ["replaces a provisional count by an estimate", LONG, { outputCount: "provisional" }, (tokens) => tokens > 50],
    [
      "keeps a provisional count above the estimate",
      LONG,
      { outputCount: "provisional", outputTokens: 9_000 },
      (tokens) => tokens === 9_000,
    ],
    ["rounds fractions", "Hi.", { outputTokens: 3.6 }, (tokens) => tokens === 4],
  ])("%s", async (_, words, tokens, fits) => {
    const { entries } = await recorded([words], { ...TOKENS, ...tokens });
    const [request, message, usage] = entries;
    expect(request).toMatchObject({ kind: "request", payload: { cacheTtl: "1h", cache: expect.any(Object) } });
    const answers = request!.sequence;
    expect(message).toMatchObject({ kind: "message", payload: { answers } });
    expect(usage).toMatchObject({ kind: "usage", payload: { answers, model: "claude-opus-5-5", freshTokens: 10 } });
    expect((usage as { payload: { outputTokens: number } }).payload.outputTokens).toSatisfy(fits);
  });

  test("records only the usage of a response without text, and only the text of a response without usage", async () => {
    expect((await recorded([], TOKENS)).entries.map(({ kind }) => kind)).toEqual(["request", "usage"]);
    expect((await recorded(["Hi."], undefined)).entries.map(({ kind }) => kind)).toEqual(["request", "message"]);
  });
});
