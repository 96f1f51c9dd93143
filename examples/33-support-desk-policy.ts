/** Forty messages of one customer in a small window, with the policy for support desks: no order number gets lost. */
import Anthropic from "@anthropic-ai/sdk";
import { answer, createAnthropic, type Script, serve } from "@palimpsest/provider-simulator";
import { memoryStore, openSession, type SessionEvent } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { type Policy, prose, support } from "palimpsest/policy";

/** The preset with a summary in prose instead of headings. */
const preset = support({ ids: /ORD-\d{6}/ });
const policy: Policy = {
  ...preset,
  compact: { ...preset.compact, summary: prose("Who the customer is, what we promised, and what is still open.") },
};

const SUMMARY =
  "Ann reported kettles that leak. We promised a new one for each, and she returns the old ones by Friday.";
const script: Script = ({ purpose }) =>
  answer(purpose === "summary" ? `<summary>\n${SUMMARY}\n</summary>` : "We send you a new one.");
const server = await serve({ faces: [createAnthropic({ script })] });
const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });

function onEvent(event: SessionEvent): void {
  if (event.kind === "compaction-ended" && event.outcome.kind === "compacted")
    console.log(`compacted: ${event.outcome.tokensBefore} tokens became ${event.outcome.tokensAfter}`);
  if (event.kind === "rule-failed" || event.kind === "compaction-degraded") throw new Error(JSON.stringify(event));
}
const session = await openSession({
  store: memoryStore(),
  provider: anthropic(client),
  model: "claude-opus-5-5",
  system: "You answer customers of a shop for kettles.",
  policy,
  onEvent,
});

const orders: string[] = [];
for (let index = 0; index < 40; index++) {
  const order = `ORD-${100_000 + 37 * index}`;
  orders.push(order);
  await session.append(`${"The kettle leaks, and nobody has answered me yet. ".repeat(150)}It is order ${order}.`);
  const request = await session.prepare();
  const lost = orders.filter((one) => !JSON.stringify(request.messages).includes(one));
  if (lost.length > 0) throw new Error(`The model no longer sees ${lost.join(", ")}.`);
  await session.record(await client.messages.create(request));
  // The first half was one ticket. A fact of the host: the policy compacts what came before.
  if (index === 19) await session.mark("ticket", "closed");
}

for (const { compaction } of await session.history.explain())
  console.log(`${compaction?.modelCalls} model call, because ${compaction?.decided?.because}`);
console.log(session.history.decision().because);
await server.close();
