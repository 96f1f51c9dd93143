import { answer, type Script } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { prose } from "../compact/summary/forms.ts";
import type { Policy } from "../policy/policy.ts";
import { support } from "./support.ts";
import { type Desk, openDesk, words } from "./testing/open-desk.ts";

const IDS = /ORD-\d{6}/;
const PROSE =
  "Ann reported kettles that leak. We promised replacements by Friday, and she sends the old ones back. ".repeat(3);

/** A support desk whose summaries are prose. */
function desk(check?: (text: string) => string): Policy {
  const policy = support({ ids: IDS });
  return {
    ...policy,
    compact: { ...policy.compact, summary: prose("Who the customer is, and what we promised.", { check }) },
  };
}

const orderOf = (index: number): string => `ORD-${100_000 + 37 * index}`;

/** Forty messages, each about another order. Checks every request for all orders that were named so far. */
async function serveCustomer({ say }: Desk): Promise<void> {
  for (let index = 0; index < 40; index++) {
    const request = await say(`${words(`message ${index}`, 2_000)} It is order ${orderOf(index)}, please help.`);
    const named = Array.from({ length: index + 1 }, (_, at) => orderOf(at));
    expect(
      named.filter((order) => !request.includes(order)),
      `after message ${index}`,
    ).toEqual([]);
  }
}

test("every order number of 40 customer messages is in every request, with one model call for each compaction", async () => {
  const open = await openDesk({ policy: desk() });
  await serveCustomer(open);
  const compactions = await open.session.history.explain();
  expect(compactions.length).toBeGreaterThan(1);
  for (const { compaction } of compactions)
    expect(compaction).toMatchObject({
      modelCalls: 1,
      summary: { way: "fork", form: "prose", met: true },
      attempts: [],
    });
  expect(open.questions).toHaveLength(compactions.length);
  expect(open.eventsOf("compaction-degraded")).toEqual([]);
  expect(open.eventsOf("rule-failed")).toEqual([]);
});

test("the check of a summary asks its question at most once for each compaction, whatever the model answers", async () => {
  const check = (text: string): string => (text.includes("Friday noon") ? "ok" : "Say until when we promised it.");
  const script: Script = ({ purpose, userText }) =>
    answer(
      purpose !== "summary"
        ? "Done."
        : `<summary>\n${userText.includes("until when") ? "I do not know." : PROSE}\n</summary>`,
    );
  const open = await openDesk({ policy: desk(check), script });
  await serveCustomer(open);
  const compactions = await open.session.history.explain();
  expect(compactions.length).toBeGreaterThan(1);
  for (const { compaction } of compactions)
    expect(compaction).toMatchObject({ modelCalls: 2, summary: { way: "fork", met: false } });
  expect(open.questions.filter((text) => text.includes("until when"))).toHaveLength(compactions.length);
  // The usable text is kept, and the failure is reported.
  expect(open.eventsOf("compaction-degraded")).toHaveLength(compactions.length);
  expect(compactions[0]!.shownAs).toContain("We promised replacements by Friday");
});

test("restore brings the messages of the customer back, byte for byte", async () => {
  const open = await openDesk({ policy: desk() });
  for (let index = 0; index < 8; index++) await open.say(`${words(`message ${index}`, 2_000)} ${orderOf(index)}`);
  await open.session.append("And now?");
  const before = await open.session.prepare();
  const outcome = await open.session.compact();
  if (outcome.kind !== "compacted") throw new Error(outcome.kind);
  expect(JSON.stringify(await open.session.prepare())).not.toBe(JSON.stringify(before));
  await open.session.history.restore(outcome.boundary);
  expect(JSON.stringify(await open.session.prepare())).toBe(JSON.stringify(before));
});

test("a closed ticket is compacted before the next message, and the new ticket stays as it is", async () => {
  const open = await openDesk({ policy: support({ ids: IDS }) });
  for (let index = 0; index < 14; index++)
    await open.say(`${words(`the first ticket ${index}`, 1_500)} ${orderOf(index)}`);
  expect(await open.session.history.explain()).toEqual([]);
  await open.session.mark("ticket", "closed");
  const request = await open.say(`Something else: ${orderOf(99)} has not arrived.`);
  const [boundary, ...others] = await open.session.history.explain();
  expect(others).toEqual([]);
  expect(boundary!.compaction!.decided).toMatchObject({
    because: expect.stringContaining('the mark "ticket" is "closed"'),
  });
  expect(request).toContain(`Something else: ${orderOf(99)}`);
  for (let index = 0; index < 14; index++) expect(request).toContain(orderOf(index));
  // One compaction for each mark.
  await open.say("Thanks.");
  expect(await open.session.history.explain()).toHaveLength(1);
});
