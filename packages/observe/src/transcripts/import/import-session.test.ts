import { memoryStore, openSession } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { readPayload } from "palimpsest/inspect";
import { describe, expect, test } from "vitest";
import type { RecordedBlock, RecordedEntry, RecordedMessage, RecordedUsage } from "../readers/recorded.ts";
import { importSession } from "./import-session.ts";

const MODEL = "claude-sonnet-4-6";
const MINUTE_MS = 60_000;
const session: RecordedEntry = { kind: "session", agent: "codex", id: "s 1", startedAtMs: 0 };
const text = (words: string): RecordedBlock => ({ kind: "text", text: words });
const call = (callId: string): RecordedBlock => ({ kind: "tool_call", callId, name: "read", input: { path: callId } });
const result = (callId: string): RecordedBlock => ({
  kind: "tool_result",
  callId,
  content: `of ${callId}`,
  status: "ok",
});

let newestId = "";
function message(id: string, fields: Partial<RecordedMessage>): RecordedMessage {
  const parent = newestId === "" ? {} : { parentId: newestId };
  newestId = id;
  return {
    kind: "message",
    id,
    ...parent,
    branch: "main",
    atMs: 1_000,
    role: "user",
    origin: "human",
    blocks: [text(id)],
    ...fields,
  };
}
const says = (id: string, fields: Partial<RecordedMessage> = {}): RecordedMessage => message(id, fields);
const answers = (id: string, fields: Partial<RecordedMessage> = {}): RecordedMessage =>
  message(id, { role: "assistant", origin: "model", responseId: `r-${id}`, model: MODEL, ...fields });
const returns = (id: string, callId: string): RecordedMessage =>
  message(id, { origin: "tool", blocks: [result(callId)] });
const used = (id: string, read: number, written: number, fields: Partial<RecordedUsage> = {}): RecordedUsage => ({
  kind: "usage",
  responseId: `r-${id}`,
  branch: "main",
  atMs: 1_000,
  model: MODEL,
  freshTokens: 3,
  cacheReadTokens: read,
  cacheWriteTokens: written,
  outputTokens: 10,
  outputCount: "final",
  ...fields,
});

/** @param second what the user says after the first answer */
const twoRounds = (second: string): RecordedEntry[] => [
  says("u"),
  answers("a"),
  used("a", 0, 100),
  says(second),
  answers("b"),
  used("b", 100, 5),
];

/** Imports a session and opens it. */
async function imported(make: () => readonly RecordedEntry[]) {
  newestId = "";
  const entries = make();
  const store = memoryStore();
  const outcome = await importSession(toStream([session, ...entries]), { store });
  expect(outcome).toMatchObject({ kind: "imported", id: "codex-s-1", agent: "codex" });
  const reader = (await store.openReader("codex-s-1"))!;
  const log = (await reader.read(1, 1_000)).map((entry) => ({ ...readPayload(entry), atMs: entry.atMs }));
  const opened = await openSession({
    store,
    id: "codex-s-1",
    provider: anthropic({} as never),
    model: MODEL,
    settingsFrom: { environment: {} },
  });
  return { outcome, log, opened, store, kinds: log.map(({ kind }) => kind) };
}

async function* toStream(entries: readonly RecordedEntry[]): AsyncGenerator<RecordedEntry> {
  yield* entries;
}

const MARKED = /^<marked-data from="outside" name="transcript of [\w-]+">\n([\s\S]*)\n<\/marked-data>$/;
const unmarked = (shown: string): string => shown.replace(MARKED, "$1");

/** What the model would see next, as texts. */
async function shownIn(opened: Awaited<ReturnType<typeof imported>>["opened"]): Promise<string[]> {
  await opened.append("next");
  const { messages } = (await opened.prepare()) as unknown as {
    messages: { content: { [name: string]: unknown }[] }[];
  };
  return messages.flatMap(({ content }) =>
    content.map((block) => unmarked(String(block["text"] ?? block["id"] ?? JSON.stringify(block["content"])))),
  );
}

describe("importSession", () => {
  test("a round is a request, its response with what it used, and the results behind it", async () => {
    const { log, kinds, opened } = await imported(() => [
      says("u"),
      answers("a", { responseId: "r", blocks: [{ kind: "thinking", text: "hm", signature: "s" }] }),
      answers("b", { responseId: "r", blocks: [call("c1")] }),
      returns("c", "c1"),
      answers("d", { responseId: "r", blocks: [call("c2")] }),
      returns("e", "c2"),
      used("x", 0, 5_000, { responseId: "r" }),
    ]);
    expect(kinds).toEqual(["configuration", "message", "request", "message", "usage", "message", "message"]);
    expect(log[0]).toMatchObject({ payload: { provider: "anthropic", model: MODEL, cause: "opened" } });
    expect(log[3]).toMatchObject({
      payload: {
        responseId: "r",
        answers: 3,
        blocks: [{ kind: "thinking", provider: "codex" }, { id: "c1" }, { id: "c2" }],
      },
    });
    expect(log[4]).toMatchObject({ payload: { answers: 3, cacheWriteTokens: 5_000 } });
    // What only the agent's own provider could read back is kept, and not sent.
    expect(await shownIn(opened)).toEqual([
      "u",
      "c1",
      "c2",
      expect.stringContaining("of c1"),
      expect.stringContaining("of c2"),
      "next",
    ]);
  });

  test("every entry has the time it had; a request that of what was said last", async () => {
    const { log } = await imported(() => [
      says("u", { atMs: 7_000 }),
      answers("a", { atMs: 9_000 }),
      used("a", 0, 1, { atMs: 9_000 }),
    ]);
    expect(log.map(({ kind, atMs }) => [kind, atMs])).toEqual([
      ["configuration", 7_000],
      ["message", 7_000],
      ["request", 7_000],
      ["message", 9_000],
      ["usage", 9_000],
    ]);
  });

  test("what it cost is known, and why the cache was lost", async () => {
    const { opened } = await imported(() => [
      says("u"),
      answers("a"),
      used("a", 0, 50_000),
      says("v", { atMs: 7 * MINUTE_MS }),
      answers("b", { atMs: 7 * MINUTE_MS }),
      used("b", 0, 50_100),
    ]);
    const cost = await opened.ledger.cost();
    expect(cost.priceUsd).toBeCloseTo(((50_000 + 50_100) * 3.75 + 6 * 3 + 20 * 15) / 1e6, 6);
    expect(cost.breaks).toMatchObject([{ causes: ["pause"], rebilledTokens: 50_000 }]);
  });

  test("usage of subagents is counted beside the conversation, inherited messages without usage", async () => {
    const { opened, outcome } = await imported(() => [
      says("u", { branch: "inherited" }),
      answers("a", { branch: "inherited" }),
      used("a", 0, 9_000, { branch: "inherited" }),
      says("v"),
      used("s", 100, 200, { branch: "sidechain" }),
      answers("b"),
      used("b", 9_000, 10),
    ]);
    const { bySource } = await opened.ledger.cost();
    expect(bySource["main"]).toMatchObject({ responses: 1, cacheReadTokens: 9_000 });
    expect(bySource["subagent"]).toMatchObject({ responses: 1, cacheWriteTokens: 200 });
    expect(outcome).toMatchObject({ responses: 2, subagentResponses: 1 });
    expect(await shownIn(opened)).toEqual(["u", "a", "v", "b", "next"]);
  });

  test("a count from before the end of a response is replaced by an estimate of what it said", async () => {
    const long = "word ".repeat(1_000);
    const { opened } = await imported(() => [
      says("u"),
      answers("a", { blocks: [text(long)] }),
      used("a", 0, 1, { outputTokens: 4, outputCount: "provisional" }),
    ]);
    expect(opened.ledger.totals().outputTokens).toBeGreaterThan(800);
  });

  describe("a compaction", () => {
    const compaction = (fields: object): RecordedEntry => {
      const parentId = newestId;
      newestId = "k";
      return {
        kind: "compaction",
        id: "k",
        parentId,
        branch: "main",
        atMs: 2_000,
        trigger: "auto",
        ...fields,
      } as RecordedEntry;
    };
    const before = () => twoRounds("v");
    const summary = (): RecordedEntry => says("so far", { origin: "summary" });

    test("folds all of it into its summary", async () => {
      const { opened, log } = await imported(() => [
        ...before(),
        compaction({ kept: { kind: "nothing" } }),
        summary(),
        says("w"),
      ]);
      expect(log.find(({ kind }) => kind === "boundary")).toMatchObject({
        payload: { reason: "compacted by codex (auto)" },
      });
      expect(await shownIn(opened)).toEqual(["so far", "w", "next"]);
      expect(await opened.history.explain()).toHaveLength(1);
    });

    test("keeps the end of it as it is", async () => {
      const { opened } = await imported(() => [
        ...before(),
        compaction({ kept: { kind: "range", firstId: "v" } }),
        summary(),
      ]);
      expect(await shownIn(opened)).toEqual(["so far", "v", "b", "next"]);
    });

    test("puts what it kept from the midst behind the summary", async () => {
      const { opened } = await imported(() => [
        ...before(),
        compaction({ kept: { kind: "listed", ids: ["u", "b"] } }),
        summary(),
      ]);
      expect(await shownIn(opened)).toEqual(["so far", "u", "b", "next"]);
    });

    test("puts another history in its place", async () => {
      const { opened } = await imported(() => {
        const all = before();
        const messages = [says("so far", { origin: "summary" }), says("kept words")];
        newestId = "b";
        return [...all, compaction({ kept: { kind: "replacement", messages } }), says("w")];
      });
      expect(await shownIn(opened)).toEqual(["so far", "kept words", "w", "next"]);
    });

    test("without a summary leaves nothing; of nothing, it is none", async () => {
      const { opened } = await imported(() => [...before(), compaction({ kept: { kind: "unrecorded" } }), says("w")]);
      expect(await shownIn(opened)).toEqual(["w", "next"]);
      const empty = await imported(() => [
        compaction({ kept: { kind: "nothing" } }),
        summary(),
        says("w"),
        answers("c"),
      ]);
      expect(await shownIn(empty.opened)).toEqual(["so far", "w", "c", "next"]);
    });
  });

  test("results that the agent cleared are shown as cleared, and can be recalled", async () => {
    const cleared: RecordedEntry = {
      kind: "microcompaction",
      id: "m",
      branch: "main",
      atMs: 3_000,
      clearedCallIds: ["c1", "unknown"],
    };
    const { opened, log } = await imported(() => [
      says("u"),
      answers("a", { blocks: [call("c1")] }),
      returns("b", "c1"),
      cleared,
    ]);
    expect(JSON.stringify(await shownIn(opened))).toContain("[cleared by codex]");
    const held = log.findIndex(({ kind, ...entry }) => kind === "message" && JSON.stringify(entry).includes("of c1"));
    expect(JSON.stringify(await opened.recall({ entry: held + 1 }))).toContain("of c1");
  });

  test("going back in the record is going back here", async () => {
    const { opened, kinds } = await imported(() => [
      ...twoRounds("wrong way"),
      says("better", { parentId: "a" }),
      says("and more"),
    ]);
    expect(kinds).toContain("rewind");
    expect(await shownIn(opened)).toEqual(["u", "a", "better", "and more", "next"]);
    expect(opened.ledger.totals().responses).toBe(2);
  });

  test("a parent that was lost is no reason to go back; results off the chain stay", async () => {
    const { opened } = await imported(() => [
      says("u"),
      answers("a", { blocks: [call("c1"), call("c2")] }),
      returns("b", "c1"),
      returns("c", "c2"),
      says("v", { parentId: "b" }),
      says("w", { parentId: "gone" }),
    ]);
    expect((await shownIn(opened)).slice(-3)).toEqual(["v", "w", "next"]);
  });

  test("the system prompt and notes of the agent are kept and not sent, later instructions are data", async () => {
    const { opened, log } = await imported(() => [
      says("rules", { role: "system", origin: "agent", blocks: [text("Be brief.")] }),
      says("u"),
      says("more", { role: "system", origin: "agent", blocks: [text("And kind.")] }),
      says("note", { origin: "agent", blocks: [{ kind: "opaque", type: "todo", value: { items: 3 } }] }),
      answers("error", { origin: "agent", blocks: [text("API error")] }),
      answers("a"),
    ]);
    expect(log[0]).toMatchObject({ payload: { system: { value: "" } } });
    expect(JSON.stringify(log)).toContain("Be brief.");
    expect((await shownIn(opened)).join(" ")).not.toContain("Be brief.");
    expect((await shownIn(opened)).join(" ")).toMatch(/u.*And kind\..*a next/s);
    expect(JSON.stringify(log)).toContain("API error");
  });

  test("another model is another configuration", async () => {
    const { kinds } = await imported(() => [says("u"), answers("a"), says("v"), answers("b", { model: "gpt-5.2" })]);
    expect(kinds.filter((kind) => kind === "configuration")).toHaveLength(2);
  });

  test("whoever goes back to what another agent did keeps the model, the system prompt and the tools of here", async () => {
    const { opened, log } = await imported(() => [says("u"), answers("a", { model: "claude-of-old" }), says("v")]);
    const tools = [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }];
    await opened.configure({ model: MODEL, system: "Be kind.", tools });
    await opened.history.rewind(log.length - 1);
    await opened.append("next");
    expect(await opened.prepare()).toMatchObject({
      model: MODEL,
      system: [{ text: "Be kind." }],
      tools: [{ name: "look" }],
    });
  });

  test("whoever goes back to a model that was chosen here is back at that one", async () => {
    const { opened } = await imported(() => [says("u"), answers("a", { model: "claude-of-old" })]);
    await opened.configure({ model: MODEL });
    const [then] = await opened.append("then");
    await opened.configure({ model: "claude-opus-4-6" });
    await opened.history.rewind(then!);
    expect(await opened.prepare()).toMatchObject({ model: MODEL });
  });

  test("what is here already stays as it is; nothing makes no session; what is in use is left alone", async () => {
    newestId = "";
    const entries = [session, says("u"), answers("a")];
    const store = memoryStore();
    await importSession(toStream(entries), { store });
    expect(await importSession(toStream(entries), { store })).toMatchObject({ kind: "exists", id: "codex-s-1" });
    expect(await importSession(toStream(entries), { store, id: "other" })).toMatchObject({
      kind: "imported",
      id: "other",
    });
    expect(await importSession(toStream([]), { store })).toEqual({ kind: "nothing" });
    expect(await importSession(toStream([session]), { store, id: "silent" })).toEqual({ kind: "nothing" });
    expect((await store.list()).sessions.map(({ id }) => id)).not.toContain("silent");
    await store.openWriter("used", { owner: "somebody" });
    await expect(importSession(toStream(entries), { store, id: "used" })).rejects.toMatchObject({
      code: "session-busy",
    });
  });

  test("a transcript without a response can be opened as well", async () => {
    const { opened, kinds } = await imported(() => [says("u"), { kind: "damage", line: 3, reason: "not-json" }]);
    expect(kinds[0]).toBe("configuration");
    expect(await shownIn(opened)).toEqual(["u", "next"]);
  });
});
