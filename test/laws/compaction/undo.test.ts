import { answer, callTool, callTools } from "@palimpsest/provider-simulator";
import { NoSuchEntryError, toolResult } from "palimpsest";
import { describe, expect, test } from "vitest";
import { type Conversation, converse } from "./conversation.ts";
import { PROFILES } from "./worlds.ts";

interface Compacted {
  readonly boundary: number;
  /** The newest request before it, and where it stands. */
  readonly entry: number;
  readonly request: string;
}

/** @param windows how much each message has */
async function stack(conversation: Conversation, compactions: number, windows = 0.05): Promise<readonly Compacted[]> {
  const done: Compacted[] = [];
  for (let index = 0; index < compactions; index++) {
    await conversation.turn(`question ${index}`, windows);
    const { entry, request } = await conversation.turn(`order ${index}`, windows);
    const outcome = await conversation.session.compact();
    if (outcome.kind !== "compacted") throw new Error(`not compacted: ${JSON.stringify(outcome)}`);
    done.push({ boundary: outcome.boundary, entry, request });
  }
  return done;
}

describe.each(PROFILES)("%s", (profile) => {
  test("ten compactions are rewound one by one, each to the very request before it", async () => {
    const conversation = await converse({ profile });
    const compacted = await stack(conversation, 10);
    for (const { entry, request } of compacted.toReversed()) {
      await conversation.session.history.rewind(entry);
      expect(await conversation.next()).toBe(request);
      conversation.session = await conversation.reopen();
      expect(await conversation.next()).toBe(request);
      await conversation.send(JSON.parse(request) as object, answer("Again."));
    }
    expect(compacted).toHaveLength(10);
  });

  test("the third of ten is unfolded, and the turns that came after it stay", async () => {
    // All of it fits, so that nothing is compacted again.
    const conversation = await converse({ profile, windowTokens: 80_000 });
    const compacted = await stack(conversation, 10, 0.02);
    await conversation.turn("later");
    // Its own range is not shown as long as later ones have folded it again.
    await expect(conversation.session.history.restore(compacted[2]!.boundary)).rejects.toThrow(NoSuchEntryError);
    expect(await requestAfter(conversation, "«before»")).not.toContain(done(2));
    for (const { boundary } of compacted.slice(2).toReversed()) await conversation.session.history.restore(boundary);
    const request = await requestAfter(conversation, "«now»");
    const words = Array.from({ length: 8 }, (_, index) => done(index + 2));
    const places = [...words, "«later»", "«now»"].map((one) => request.indexOf(one));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(request).not.toContain(done(1));
    // The judge takes it, also after a resume.
    await conversation.turn("and on", 0.01);
    conversation.session = await conversation.reopen();
    await conversation.turn("and on after a resume", 0.01);
  });

  test("what was unfolded stays until the user says something", async () => {
    const conversation = await converse({ profile, windowTokens: 16_000 });
    const { session } = conversation;
    await conversation.turn("long", 0.3);
    await conversation.turn("longer", 0.15);
    const outcome = await session.compact();
    const boundary = outcome.kind === "compacted" ? outcome.boundary : 0;
    await session.append("«look» Look there.");
    const request = await session.prepare();
    const reply = callTools(callTool("look", {}));
    const { calls } = await session.record(await conversation.send(request, reply), request);
    await session.history.restore(boundary);
    // Behind it so much that a compaction is due.
    await session.append(toolResult(calls[0]!.id, "result ".repeat(2_500)));
    expect(session.view.size().tokens).toBeGreaterThan(session.view.size().autoCompactTokens);
    const boundaries = (await session.history.explain()).length;
    await conversation.next().catch(() => undefined);
    expect(await session.history.explain()).toHaveLength(boundaries);
    await session.append("Now then.");
    await conversation.next();
    expect((await session.history.explain()).length).toBe(boundaries + 1);
  });

  test("all that ten compactions have folded is found by number and by words", async () => {
    const conversation = await converse({ profile });
    await stack(conversation, 10);
    const { session } = conversation;
    for (let index = 0; index < 10; index++) {
      const found = await session.recall({ search: `"question ${index}"` });
      const entries = found.kind === "entries" ? found.hits.map(({ sequence }) => sequence) : [];
      expect(entries.length).toBeGreaterThan(0);
      const texts = await Promise.all(entries.map((entry) => session.recall({ entry })));
      expect(texts.some((one) => one.kind === "text" && one.text.startsWith(`«question ${index}»`))).toBe(true);
    }
  });
});

async function requestAfter(conversation: Conversation, words: string): Promise<string> {
  await conversation.session.append(`${words} Tell me.`);
  return conversation.next();
}

/** A whole message of the model. A compaction may quote its sentence within another text. */
function done(order: number): string {
  return `"Done with order ${order}."`;
}
