import { expect, test } from "vitest";
import { assistant, messagesBody, toolCall, toolResult, user } from "../testing/bodies.ts";
import { readRequest } from "../wire/read-request.ts";
import type { GivenNames } from "../wire/wire-apis.ts";
import { createSessions, type Recognized, type SentRequest } from "./recognize-session.ts";

/** Sends requests one after the other; each is answered. */
function sending() {
  let ids = 0;
  const sessions = createSessions(() => `thread-${++ids}`);
  return (
    messages: readonly object[],
    names: GivenNames = {},
    more: { system?: string; credential?: string } = {},
  ): Recognized => {
    const { system = "Be brief.", credential = "somebody" } = more;
    const request = readRequest("messages", Buffer.from(messagesBody(messages, { system })))!;
    const items = request.items.map(({ digest }, index) => ({
      digest,
      answers: answersOf(messages[index]!),
      origin:
        "role" in messages[index]! && messages[index].role === "assistant" ? ("model" as const) : ("client" as const),
    }));
    const sent: SentRequest = { request, items, names, upstream: "service", credential };
    const recognized = sessions.recognize(sent);
    sessions.keep(recognized, sent);
    return recognized;
  };
}

const answersOf = (message: object): readonly string[] => {
  const { content } = message as { content: { tool_use_id?: string }[] | string };
  return typeof content === "string" ? [] : content.flatMap(({ tool_use_id: id }) => (id === undefined ? [] : [id]));
};

const A = [user("one")];
const B = [...A, assistant("first"), user("two")];
const C = [...B, assistant("second"), user("three")];

test("a named session continues, branches, and is replaced", () => {
  const send = sending();
  const names = { session: "s" };
  expect(send(A, names).relation).toEqual({ kind: "begins" });
  expect(send(B, names).relation).toEqual({ kind: "continues", kept: 1 });
  expect(send(C, names).relation).toEqual({ kind: "continues", kept: 3 });
  expect(send([...A, assistant("first"), user("other")], names).relation).toEqual({ kind: "branches", kept: 2 });
  const last = send([user("A summary of it all.")], names);
  expect(last).toMatchObject({ relation: { kind: "replaced" }, thread: { id: "thread-1" } });
});

test("a retry of the same request continues with nothing new", () => {
  const send = sending();
  send(B, { session: "s" });
  expect(send(B, { session: "s" }).relation).toEqual({ kind: "continues", kept: 3 });
});

test("results of tools with other content are cleared", () => {
  const send = sending();
  const names = { session: "s" };
  const before = [user("one"), toolCall("c1"), toolResult("c1", "very long"), toolCall("c2"), toolResult("c2", "long")];
  const now = before.with(2, toolResult("c1", "[cleared]"));
  send(before, names);
  expect(send([...now, user("go on")], names).relation).toEqual({ kind: "cleared", kept: 5, calls: ["c1"] });
});

test("a call beside the conversation, with another system prompt, is a thread of its own", () => {
  const send = sending();
  const names = { session: "s" };
  const { thread } = send(A, names);
  const beside = send([user("Give it a title.")], names, { system: "You write titles." });
  expect(beside.thread.id).not.toBe(thread.id);
  expect(send(B, names)).toMatchObject({ thread: { id: thread.id }, relation: { kind: "continues", kept: 1 } });
});

test("the same question with another system prompt is another thread; a system prompt that changes is not", () => {
  const send = sending();
  const { thread } = send(A);
  expect(send(A, {}, { system: "You write titles." }).thread.id).not.toBe(thread.id);
  expect(send(B).thread.id).toBe(thread.id);
  expect(send(C, {}, { system: "Be brief. It is noon." })).toMatchObject({ thread, relation: { kind: "continues" } });
});

test("two conversations of a session that take turns are not taken for one that is replaced again and again", () => {
  const send = sending();
  const names = { session: "s" };
  const other = [user("another")];
  const first = send(A, names);
  expect(send(other, names)).toMatchObject({ thread: first.thread, relation: { kind: "replaced" } });
  const second = send(B, names);
  expect(second.relation).toEqual({ kind: "begins" });
  const more = [...other, assistant("well"), user("more")];
  expect(send(more, names)).toMatchObject({ thread: first.thread, relation: { kind: "continues" } });
  expect(send(C, names)).toMatchObject({ thread: second.thread, relation: { kind: "continues" } });
});

test("agents of a session, and users of a service, never share a thread", () => {
  const send = sending();
  const { thread } = send(A, { session: "s" });
  expect(send(B, { session: "s", agent: "a1" }).relation).toEqual({ kind: "begins" });
  expect(send(B, { session: "s" }, { credential: "somebody else" }).relation).toEqual({ kind: "begins" });
  expect(send(B, { session: "s" }).thread.id).toBe(thread.id);
});

test("without a name, what begins with all of the last request continues it", () => {
  const send = sending();
  const { thread } = send(A);
  expect(send(B)).toMatchObject({ thread: { id: thread.id }, relation: { kind: "continues", kept: 1 } });
  expect(send(C).thread.id).toBe(thread.id);
});

test("without a name, a retry is the same, and an edit of what was said begins anew", () => {
  const send = sending();
  const one = send(A);
  expect(send(A).thread.id).toBe(one.thread.id);
  send(B);
  const edited = send([...A, assistant("first"), user("other")]);
  expect(edited.relation).toEqual({ kind: "begins" });
  expect(edited.thread.id).not.toBe(one.thread.id);
});

test("two sessions without names that a request may follow are not told apart", () => {
  const send = sending();
  const first = send(A);
  send(B);
  const second = send(A);
  expect(second.thread.id).not.toBe(first.thread.id);
  // It may be the first one once more, or the second one that goes on in the same words.
  const third = send(B);
  expect([first.thread.id, second.thread.id]).not.toContain(third.thread.id);
});

test("a request without a name never belongs to a session with one", () => {
  const send = sending();
  const { thread } = send(A, { session: "s" });
  expect(send(B).thread.id).not.toBe(thread.id);
});

test("where the service keeps the conversation, the id of the response says what is followed", () => {
  let ids = 0;
  const sessions = createSessions(() => `thread-${++ids}`);
  const send = (text: string, responseId: string, previous?: string): Recognized => {
    const body = {
      model: "gpt-6-sol",
      input: text,
      ...(previous === undefined ? {} : { previous_response_id: previous }),
    };
    const request = readRequest("responses", Buffer.from(JSON.stringify(body)))!;
    const items = request.items.map(({ digest }) => ({ digest, answers: [], origin: "client" as const }));
    const sent: SentRequest = { request, items, names: {}, upstream: "service", credential: "somebody" };
    const recognized = sessions.recognize(sent);
    sessions.keep(recognized, sent, responseId);
    return recognized;
  };
  const { thread } = send("one", "r1");
  expect(send("two", "r2", "r1")).toMatchObject({ thread, relation: { kind: "continues", kept: 1 } });
  expect(send("other", "r3", "r1")).toMatchObject({ thread, relation: { kind: "branches", kept: 1 } });
  expect(send("three", "r4", "r2")).toMatchObject({ thread, relation: { kind: "branches", kept: 2 } });
  expect(send("four", "r5", "r4")).toMatchObject({ thread, relation: { kind: "continues", kept: 3 } });
  expect(send("five", "r6", "unknown").relation).toEqual({ kind: "begins" });
});
