import Anthropic from "@anthropic-ai/sdk";
import { answer, createAnthropic, type Reply, type Script, serve } from "@palimpsest/provider-simulator";
import { expect, onTestFinished, test } from "vitest";
import type { Entry } from "../log/entry.ts";
import { anthropic } from "../providers/anthropic.ts";
import { readStream } from "../providers/stream.ts";
import { openSession } from "../session/open.ts";
import type { SessionOptions } from "../state/options.ts";
import { memoryStore } from "../stores/memory-store.ts";
import type { LogWriter, Store } from "../stores/store.ts";

/** What happens between the plan of a compaction and its boundary. */

const SECTIONS = Array.from(
  { length: 9 },
  (_, index) => `## ${index + 1}. Title\nWhat was done in part ${index + 1}: the loader was renamed and tested twice.`,
);
const SUMMARY = `<analysis>Going through it.</analysis>\n<summary>\n${SECTIONS.join("\n")}\n</summary>`;
/** Long enough for whatever a test does meanwhile. */
const SLOW_SUMMARY: Reply = { ...answer(SUMMARY), fault: { kind: "stream-stall", afterEvents: 1, forMs: 400 } };

async function open(options: Partial<SessionOptions<never, never, never>> = {}) {
  let isAsked = Promise.withResolvers<void>();
  const script: Script = ({ purpose }) => {
    if (purpose !== "summary") return answer("Done.");
    isAsked.resolve();
    return SLOW_SUMMARY;
  };
  const server = await serve({ faces: [createAnthropic({ script })] });
  onTestFinished(() => server.close());
  const provider = anthropic(new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 }));
  const session = await openSession({
    store: memoryStore(),
    provider,
    model: "claude-opus-5-5",
    system: "Be brief.",
    id: "s",
    ...(options as object),
  });
  const send = async () => {
    const request = await session.prepare();
    await session.record(await readStream(provider.send(request)), request);
    return JSON.stringify(request.messages);
  };
  const fill = async (rounds: number): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      await session.append(`Message ${round}: ${`word${round} `.repeat(800)}`);
      await send();
    }
  };
  return {
    session,
    send,
    fill,
    /** Does something while a summary is being written. */
    async compactWhile(act: () => Promise<unknown>) {
      isAsked = Promise.withResolvers();
      const ended = session.compact();
      await isAsked.promise;
      await act();
      return ended;
    },
  };
}

test("a part that is taken out meanwhile stays out: the summary of it is not installed", async () => {
  const { session, fill, compactWhile, send } = await open();
  await fill(6);
  const [entry] = await session.append("A secret that was pasted by mistake.");
  const outcome = await compactWhile(() => session.history.snip({ from: entry!, to: entry! }, "a secret"));
  expect(outcome).toMatchObject({ kind: "nothing", cause: "overtaken" });
  expect(await send()).not.toContain("pasted by mistake");
  expect(await session.history.explain()).toEqual([]);
});

test("a conversation that is taken back meanwhile stays taken back", async () => {
  const { session, fill, compactWhile, send } = await open();
  await fill(2);
  const point = session.history.newestEntry;
  await fill(5);
  const outcome = await compactWhile(() => session.history.rewind(point));
  expect(outcome).toMatchObject({ kind: "nothing", cause: "overtaken" });
  await session.append("Go on.");
  expect(await send()).not.toContain("Message 4");
});

test("what the user says meanwhile is in view, and the next compaction knows it, too", async () => {
  const { session, fill, compactWhile, send } = await open();
  await fill(6);
  const said = "Never touch the file vendor/heron.ts.";
  expect(await compactWhile(() => session.append(said))).toMatchObject({ kind: "compacted" });
  expect(await send()).toContain(said);
  await fill(6);
  expect(await session.compact()).toMatchObject({ kind: "compacted" });
  await session.append("Go on.");
  const request = await send();
  expect(request.split(said).length - 1).toBe(1);
});

test("boundary and attachments are one batch: there is no moment with the one and without the other", async () => {
  const batches: (readonly string[])[] = [];
  const store = watched(memoryStore(), (entries) => batches.push(entries.map(({ kind }) => kind)));
  const surroundings = {
    todos: async () => "- [ ] rename the loader",
    plan: async () => "The plan: rename, then test.",
  };
  const { session, fill } = await open({ store, surroundings } as never);
  await fill(6);
  expect(await session.compact()).toMatchObject({ kind: "compacted" });
  const at = batches.findIndex((kinds) => kinds.includes("boundary"));
  expect(batches[at]).toContain("attachment");
  expect(batches.slice(at + 1).flat()).not.toContain("attachment");
});

function watched(store: Store, onAppend: (entries: readonly Entry[]) => void): Store {
  return {
    ...store,
    async openWriter(session, options) {
      const opened = await store.openWriter(session, options);
      if (opened.kind !== "opened") return opened;
      const { writer } = opened;
      const append: LogWriter["append"] = (entries) => {
        onAppend(entries);
        return writer.append(entries);
      };
      return { kind: "opened", writer: Object.assign(Object.create(writer), { append }) };
    },
  };
}
