import { memoryStore, openSession } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { expect, test } from "vitest";
import { toAttachment } from "./agent-message.ts";
import { findRecorded } from "./mailbox-inbox.ts";

test("mail that was compacted away is known, while other mail is in view", async () => {
  const store = memoryStore();
  const provider = anthropic({} as never);
  const session = await openSession({ store, id: "s", provider, model: "claude-opus-5-5" });
  const mail = (key: string) => toAttachment({ key, from: "tester", kind: "message", body: `About ${key}.` });
  const [compacted] = await session.append(mail("s-tester:m1"));
  await session.history.fold({ from: compacted!, to: compacted! }, [], "compacted");
  await session.append(mail("s-tester:m2"));
  const keys = ["s-tester:m1", "s-tester:m2", "s-tester:m3"];
  expect(await findRecorded(keys, { session, store })).toEqual(["s-tester:m1", "s-tester:m2"]);
});
