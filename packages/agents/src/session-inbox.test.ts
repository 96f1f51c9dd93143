import { memoryStore, openSession } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { expect, test } from "vitest";
import { createRoster } from "./roster.ts";
import { createSessionInbox } from "./session-inbox.ts";

test("a message that comes while others are entered is entered by the next turn", async () => {
  const store = memoryStore();
  const session = await openSession({ store, id: "s", provider: anthropic({} as never), model: "claude-opus-5-5" });
  const limits = { resultCharacters: 20_000, resultsCharacters: 60_000 };
  const roster = createRoster({ now: () => 0, maxRunning: () => 1 });
  const inbox = createSessionInbox({ session, store, roster, limits });
  let messages = 0;
  const say = (body: string) => inbox.addMessage({ key: `m${++messages}`, from: "tester", kind: "message", body });
  say("The first word.");
  const entering = {
    ...session,
    append: ((...words: Parameters<typeof session.append>) => {
      say("The second word.");
      return session.append(...words);
    }) as typeof session.append,
  };
  expect(await inbox.deliver(entering)).toBe(1);
  expect(await inbox.deliver(session)).toBe(1);
  expect(await inbox.deliver(session)).toBe(0);
  const request = JSON.stringify(await session.prepare());
  for (const body of ["The first word.", "The second word."]) expect(request.split(body)).toHaveLength(2);
});
