import { createAnthropic } from "@palimpsest/provider-simulator";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Block } from "../../log/block.ts";
import { user } from "../../log/messages.ts";
import type { AnthropicRequest } from "../../providers/anthropic.ts";
import { memoryStore } from "../../stores/memory-store.ts";
import type { Store } from "../../stores/store.ts";
import { LOOK, openOffline } from "../testing/open-offline.ts";
import type { SyncMessage } from "./conversation.ts";

const open = (store: Store = memoryStore()) => openOffline(store, { tools: [LOOK] });

// Use few words, so that messages are often equal.
const word = fc.constantFrom("yes", "no", "go on", " a\n b ", "c");
/** A turn: a user message, rounds of calls with their results, and an answer. */
const turn = fc.record({
  asks: fc.array(word, { minLength: 1, maxLength: 2 }),
  rounds: fc.array(fc.record({ words: fc.option(word, { nil: undefined }), calls: fc.integer({ min: 1, max: 3 }) }), {
    maxLength: 2,
  }),
  answer: word,
});
type Turn = typeof turn extends fc.Arbitrary<infer One> ? One : never;

function toList(turns: readonly Turn[], prefix = "call"): readonly SyncMessage[] {
  let calls = 0;
  return turns.flatMap(({ asks, rounds, answer }) => [
    ...asks.map((content): SyncMessage => ({ role: "user", content })),
    ...rounds.flatMap((round): SyncMessage[] => {
      const ids = Array.from({ length: round.calls }, () => `${prefix}-${++calls}`);
      const words: Block[] = round.words === undefined ? [] : [{ kind: "text", text: round.words }];
      const made = ids.map((id): Block => ({ kind: "tool_call", id, name: "look", input: { id, deep: true } }));
      const results = ids.map(
        (callId): Block => ({ kind: "tool_result", callId, content: `of ${callId}`, status: "ok" }),
      );
      return [
        { role: "assistant", content: [...words, ...made] },
        { role: "user", content: results },
      ];
    }),
    { role: "assistant", content: answer } as const,
  ]);
}
const lists = fc.array(turn, { minLength: 1, maxLength: 4 }).map((turns) => toList(turns));
/** Returns a list with other call ids, because content under the same ids stays as it was sent. */
const otherLists = fc.array(turn, { minLength: 1, maxLength: 4 }).map((turns) => toList(turns, "other"));
const ended = (list: readonly SyncMessage[]): readonly SyncMessage[] => [...list, { role: "user", content: "last" }];

const sent = ({ messages, system }: AnthropicRequest): string =>
  JSON.stringify([system, messages], (name, value) => (name === "cache_control" ? undefined : value));
async function requestOf(list: readonly SyncMessage[]): Promise<string> {
  const session = await open();
  await session.sync(list);
  return sent(await session.prepare());
}

/** Returns a list as frameworks return it: trimmed, merged, with inputs and results rendered again. */
function rendered(list: readonly SyncMessage[]): readonly SyncMessage[] {
  return list.map(({ role, content }) => ({
    role,
    content:
      typeof content === "string"
        ? ` ${content.trim()}\n`
        : content.map((block): Block => {
            if (block.kind === "tool_call") return { ...block, input: { deep: true, id: "?" } };
            return block.kind === "tool_result" ? { ...block, content: "written anew" } : block;
          }),
  }));
}

const RUNS = process.env["PALIMPSEST_SLOW"] === undefined ? 30 : 1_000;

test("has the same result for one sync and for two, even after reopening", async () => {
  await fc.assert(
    fc.asyncProperty(lists, async (list) => {
      const store = memoryStore();
      const session = await open(store);
      await session.sync(list);
      const { newestEntry } = session.history;
      const nothing = { kept: list.length, appended: [], altered: [], edited: [], head: "whole", pruned: [] };
      expect(await session.sync(list)).toEqual(nothing);
      await session.close();
      const again = await open(store);
      expect(await again.sync(list)).toEqual(nothing);
      expect(again.history.newestEntry).toBe(newestEntry);
    }),
    { numRuns: RUNS },
  );
}, 600_000);

test("has the same result for growing lists and for one list", async () => {
  await fc.assert(
    fc.asyncProperty(lists, fc.infiniteStream(fc.boolean()), async (list, reopens) => {
      const store = memoryStore();
      let session = await open(store);
      for (let length = 1; length <= list.length; length++) {
        if (reopens.next().value) {
          await session.close();
          session = await open(store);
        }
        const synced = await session.sync(list.slice(0, length));
        expect(synced).toMatchObject({ kept: length - 1 });
        expect(synced.rewoundTo).toBeUndefined();
      }
      await session.sync(ended(list));
      expect(sent(await session.prepare())).toBe(await requestOf(ended(list)));
    }),
    { numRuns: RUNS },
  );
}, 600_000);

test("sends after any two lists the request of a session that has seen only the second", async () => {
  await fc.assert(
    fc.asyncProperty(lists, otherLists, fc.nat(), async (one, other, at) => {
      const edited = [...one.slice(0, at % (one.length + 1)), ...other];
      const session = await open();
      await session.sync(one);
      const { head, pruned } = await session.sync(ended(edited));
      // A list that lacks the beginning, or calls between known texts, counts as shortened.
      fc.pre(head === "whole" && pruned.length === 0);
      expect(sent(await session.prepare())).toBe(await requestOf(ended(edited)));
      expect(await session.sync(ended(edited))).toMatchObject({ appended: [] });
    }),
    { numRuns: RUNS },
  );
}, 600_000);

test("sends the same requests with sync as with append, and never changes sent content", async () => {
  const replies = fc.array(fc.constantFrom("call", "answer"), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(replies, fc.boolean(), async (script, isRendered) => {
      const face = createAnthropic({
        script: ({ turn: number }) =>
          script[number % script.length] === "call"
            ? { words: [{ kind: "tool-call", name: "look", input: { at: number } }] }
            : { words: [{ kind: "text", text: `answer ${number}\n` }] },
      });
      const [synced, appended] = [await open(), await open()];
      const list: SyncMessage[] = [];
      let before: readonly unknown[] = [];
      let next: readonly Block[] = [{ kind: "text", text: "begin" }];
      for (const _ of script) {
        list.push({ role: "user", content: next });
        const outcome = await synced.sync(isRendered ? [...rendered(list.slice(0, -1)), list.at(-1)!] : list);
        expect(outcome.rewoundTo).toBeUndefined();
        const origin = next[0]?.kind === "tool_result" ? "tool" : "human";
        await appended.append({ ...user(next), origin });
        const request = await synced.prepare();
        expect(sent(request)).toBe(sent(await appended.prepare()));
        const messages = JSON.parse(sent(request))[1] as readonly unknown[];
        expect(messages.slice(0, before.length)).toEqual(before);
        before = messages;
        const answered = face.answer(request);
        if (answered.kind === "refused") throw new Error(answered.message);
        const { text, calls } = await synced.record(answered.response as never);
        await appended.record(answered.response as never);
        list.push({
          role: "assistant",
          content: [...(text === "" ? [] : [{ kind: "text", text } as const]), ...calls],
        });
        next =
          calls.length === 0
            ? [{ kind: "text", text: "go on" }]
            : calls.map(({ id }): Block => ({ kind: "tool_result", callId: id, content: "A tree.", status: "ok" }));
      }
    }),
    { numRuns: RUNS },
  );
}, 600_000);
