import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStore, type Store } from "palimpsest";
import { sqliteStore } from "palimpsest/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import type { TranscriptLine } from "./held-log.ts";
import { sessionStore } from "./session-store.ts";
import { logId } from "./transcript-key.ts";

const key = { projectKey: "/home/ada/engine", sessionId: "0d1f7e4a-8f5e-4b0e-9a5c-2f3f1f6f7a01" };
const line = (uuid: string, text = uuid): TranscriptLine => ({ type: "user", uuid, message: { content: text } });
const title = (text: string): TranscriptLine => ({ type: "custom-title", title: text });

/** Two machines with one store between them. */
const places: Readonly<Record<string, () => () => Store>> = {
  memory: () => {
    const store = memoryStore();
    return () => store;
  },
  sqlite: () => {
    const folder = mkdtempSync(join(tmpdir(), "transcripts-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return () => {
      const store = sqliteStore({ folder });
      onTestFinished(() => store.close());
      return store;
    };
  },
};

describe.each(Object.entries(places))("transcripts in %s", (_, place) => {
  const open = (make: () => Store) => {
    const transcripts = sessionStore({ store: make() });
    onTestFinished(() => transcripts.close());
    return transcripts;
  };

  test("come back as they were, in order, on another machine", async () => {
    const make = place();
    const here = open(make);
    expect(await here.load(key)).toBeNull();
    const odd = { ...line("c", "half a pair: \ud83d, and \0"), deep: [null, { a: 1.5 }] };
    await Promise.all([here.append(key, [line("a"), line("b")]), here.append(key, [odd])]);
    expect(await open(make).load(key)).toEqual([line("a"), line("b"), odd]);
  });

  test("have each message once, and every other line as often as it was written", async () => {
    const make = place();
    const here = open(make);
    await here.append(key, [line("a"), title("one"), line("a")]);
    await here.append(key, [line("a"), line("b"), title("one")]);
    const there = open(make);
    await there.append(key, [line("b"), line("c")]);
    expect((await there.load(key))!.map(({ uuid, type }) => uuid ?? type)).toEqual([
      ...["a", "custom-title", "b", "custom-title", "c"],
    ]);
  });

  test("are written by two machines in turn, and nothing is lost", async () => {
    const make = place();
    const [here, there] = [open(make), open(make)];
    for (let at = 0; at < 6; at++) await (at % 2 === 0 ? here : there).append(key, [line(`m${at}`)]);
    expect((await here.load(key))!.map(({ uuid }) => uuid)).toEqual(["m0", "m1", "m2", "m3", "m4", "m5"]);
  });

  test("are written by two machines at the same time, and nothing is lost", async () => {
    const make = place();
    const machines = [open(make), open(make)];
    const ids = Array.from({ length: 40 }, (_, at) => `m${at}`);
    await Promise.all(ids.map((id, at) => machines[at % 2]!.append(key, [line(id)])));
    const kept = (await open(make).load(key))!.map(({ uuid }) => uuid);
    expect(kept.toSorted()).toEqual(ids.toSorted());
  });

  test("that nothing was added to are not there", async () => {
    const here = open(place());
    await here.append(key, []);
    expect(await here.listSessions(key.projectKey)).toEqual([]);
  });

  test("are listed by project, with those of subagents under their session, and deleted with them", async () => {
    const here = open(place());
    const other = { ...key, sessionId: "any id / at all" };
    await here.append(key, [line("a")]);
    await here.append({ ...key, subpath: "subagents/agent-1" }, [line("b")]);
    await here.append(other, [line("c")]);
    await here.append({ ...key, projectKey: "/somewhere/else" }, [line("d")]);
    const ids = async () => (await here.listSessions(key.projectKey)).map(({ sessionId }) => sessionId).sort();
    expect(await ids()).toEqual([key.sessionId, other.sessionId]);
    expect((await here.listSessions(key.projectKey))[0]!.mtime).toBeGreaterThan(1e12);
    expect(await here.listSubkeys(key)).toEqual(["subagents/agent-1"]);
    await here.delete(key);
    expect(await ids()).toEqual([other.sessionId]);
    expect(await here.load({ ...key, subpath: "subagents/agent-1" })).toBeNull();
  });
});

test("a transcript that is not written is let go", async () => {
  const store = memoryStore();
  const transcripts = sessionStore({ store, closeAfterMs: 20 });
  await transcripts.append(key, [line("a")]);
  await expect
    .poll(
      async () =>
        (await store.list()).sessions.length > 0 && (await store.writerOf((await store.list()).sessions[0]!.id)),
    )
    .toBeUndefined();
  await transcripts.append(key, [line("b")]);
  expect(await transcripts.load(key)).toHaveLength(2);
  await transcripts.close();
});

test("a transcript that cannot be read is let go, and the failure told", async () => {
  const store = memoryStore();
  let fails = true;
  const failing: Store = {
    ...store,
    async openWriter(...given) {
      const opened = await store.openWriter(...given);
      if (opened.kind !== "opened" || !fails) return opened;
      return { ...opened, writer: { ...opened.writer, head: () => Promise.reject(new Error("the disk is gone")) } };
    },
  };
  const transcripts = sessionStore({ store: failing });
  onTestFinished(() => transcripts.close());
  await expect(transcripts.append(key, [line("a")])).rejects.toThrow("the disk is gone");
  expect(await store.writerOf(logId(key))).toBeUndefined();
  fails = false;
  await transcripts.append(key, [line("a")]);
  expect(await transcripts.load(key)).toEqual([line("a")]);
});

test("options that cannot work say what to pass", () => {
  expect(() => sessionStore({} as never)).toThrow(/sessionStore.*store.*sqliteStore/);
});
