import { memoryStore, openSession } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { expect, test } from "vitest";
import { deleteSession } from "./stored-sessions.ts";

const provider = anthropic({ messages: { create: () => Promise.reject(new Error("not asked")) } } as never);

async function begin(store: ReturnType<typeof memoryStore>, id: string) {
  const session = await openSession({ store, provider, model: "claude-opus-5-5", id });
  await session.append("Hello");
  return session;
}

test("deletes a session together with the sessions of its agents only", async () => {
  const store = memoryStore();
  for (const id of ["one", "one-agent-a", "one-agent-a-agent-b", "one-more", "two-agent-a"]) {
    await (await begin(store, id)).close();
  }
  expect(await deleteSession(store, "one")).toEqual({ kind: "deleted", agents: 2 });
  expect((await store.list()).sessions.map(({ id }) => id)).toEqual(["one-more", "two-agent-a"]);
});

test("refuses to delete a session in use, and keeps its agents", async () => {
  const store = memoryStore();
  await (await begin(store, "one-agent-a")).close();
  const session = await begin(store, "one");
  const refused = await deleteSession(store, "one");
  expect(refused).toMatchObject({ kind: "refused", why: expect.stringContaining("is in use by") });
  expect((await store.list()).sessions).toHaveLength(2);
  await session.close();
});
