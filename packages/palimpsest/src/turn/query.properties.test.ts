import {
  answer,
  callTool,
  cutStream,
  overloaded,
  overloadedInStream,
  type Reply,
  rateLimited,
  resetConnection,
  serve,
} from "@palimpsest/provider-simulator";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import { fromLine, readPayload } from "../log/entry.ts";
import { WORLDS } from "../providers/testing/worlds.ts";
import type { Tool } from "../schema/tool.ts";
import { openSession } from "../session/open.ts";
import type { Session } from "../session/session.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { query } from "./query.ts";
import { createInbox } from "./step.ts";

const RUNS = process.env["PALIMPSEST_SLOW"] === undefined ? 40 : 2_000;

const input = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const TOOLS: readonly Tool[] = [
  { name: "fast", description: "Answers at once.", inputSchema: input, concurrency: "safe", execute: () => "Fast." },
  {
    name: "slow",
    description: "Takes its time.",
    inputSchema: input,
    execute: () => new Promise((end) => setTimeout(end, 2, "Slow.")),
  },
  { name: "wild", description: "Throws.", inputSchema: input, execute: () => Promise.reject(new Error("wild")) },
  {
    name: "deaf",
    description: "Never answers.",
    inputSchema: input,
    timeoutMs: 10,
    execute: () => new Promise(() => undefined),
  },
  {
    name: "stream",
    description: "Streams.",
    inputSchema: input,
    concurrency: "safe",
    async *execute() {
      for (const chunk of ["Some ", "thing."]) yield chunk;
    },
  },
];

const calls = fc
  .array(
    fc.record({
      name: fc.constantFrom(...TOOLS.map(({ name }) => name), "unknown"),
      n: fc.constantFrom<unknown>(1, 2, "three"),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((list): Reply => ({ words: list.map(({ name, n }) => callTool(name, { n })) }));
const LONG = "This is an answer in several pieces. ".repeat(4);
const faults = [
  overloaded(),
  rateLimited({ retryAfterSeconds: 0 }),
  overloadedInStream(),
  cutStream(3),
  resetConnection(),
];
const replies = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: calls },
    { weight: 2, arbitrary: fc.constant(answer(LONG)) },
    { weight: 1, arbitrary: calls.map((reply): Reply => ({ ...reply, stop: "output-limit" })) },
    { weight: 1, arbitrary: fc.constant<Reply>({ ...answer(LONG), stop: "output-limit" }) },
    { weight: 2, arbitrary: fc.constantFrom(...faults).map((fault): Reply => ({ ...answer(LONG), fault })) },
  ),
  { maxLength: 8 },
);
/**
 * How a turn is interrupted after a number of events. `die`: the consumer stops without a `return`, and the session is
 * opened again.
 */
const cut = fc.record({
  how: fc.constantFrom("not" as const, "abort" as const, "leave" as const, "die" as const),
  // Most turns have about ten events, and a later interruption has no effect.
  after: fc.oneof({ weight: 3, arbitrary: fc.nat(10) }, { weight: 1, arbitrary: fc.nat(40) }),
  says: fc.nat(30),
});

describe.each(Object.entries(WORLDS))("random turns with %s", (_, { face: createFace, connect, model }) => {
  test("leave a log that can be sent, with every message once and one result for every call", async () => {
    const seen = { aborted: 0, died: 0, retried: 0, calls: 0 };
    let script: Iterator<Reply> = [][Symbol.iterator]();
    const face = createFace({ script: () => script.next().value ?? answer("Done.") });
    const server = await serve({ faces: [face] });
    const provider = connect(server.url);
    try {
      await fc.assert(
        fc.asyncProperty(replies, fc.array(cut, { minLength: 1, maxLength: 3 }), async (said, cuts) => {
          script = said[Symbol.iterator]();
          const store = memoryStore({ leaseMs: 0 });
          const open = () =>
            openSession({ store, id: "s", provider, model, takeover: "always", settingsFrom: { environment: {} } });
          let session = await open();
          // A prompt is accepted once a request is sent for it, a message once it is in the inbox.
          const accepted = new Set<string>();
          let words = 0;
          const inbox = createInbox();
          for (const { how, after, says } of [...cuts, { how: "not", after: 0, says: -1 } as const]) {
            const stop = new AbortController();
            const prompt = `Prompt ${words++}.`;
            const turn = query(session, {
              tools: TOOLS,
              prompt,
              inbox,
              signal: stop.signal,
              maxRounds: 12,
              retries: { firstWaitMs: 1, maxAttempts: 10 },
            });
            for (let count = 0; ; count++) {
              if (count === says) {
                const message = `Meanwhile ${words++}.`;
                accepted.add(message);
                inbox.push(message);
              }
              if (how === "abort" && count === after) stop.abort();
              if (how === "leave" && count === after) await turn.return(undefined as never);
              if (how === "die" && count === after) break;
              const next = await turn.next();
              if (next.done !== true && next.value.kind === "request-started") accepted.add(prompt);
              if (next.done !== true && next.value.kind === "retry-waiting") seen.retried++;
              if (next.done === true && next.value !== undefined) {
                // Only the faults of the script can fail, and all of them are temporary.
                expect(["done", "aborted", "rounds-used-up"]).toContain(next.value.kind);
                if (next.value.kind === "aborted") seen.aborted++;
                accepted.add(prompt);
              }
              if (next.done === true) break;
            }
            if (how === "die") {
              seen.died++;
              session = await open();
              // A turn that was left before its first event has not begun, so calls of a dead process are still open.
            } else if (how !== "leave" || after > 0) expect(session.view.openCalls()).toEqual([]);
          }
          const counts = await countsOf(session);
          seen.calls += counts.calls;
          expect(counts.results).toBe(counts.calls);
          const { waiting } = inbox;
          // A message is logged before it leaves the inbox. If the process dies between the two, both have the message.
          for (const message of accepted) {
            const times = counts.texts.filter((text) => text === message).length;
            expect(times + waiting.filter((text) => text === message).length).toBeGreaterThanOrEqual(1);
            expect(times).toBeLessThanOrEqual(cuts.some(({ how }) => how === "die") ? 2 : 1);
          }
        }),
        { numRuns: RUNS },
      );
    } finally {
      await server.close();
    }
    const refused = server.recorder.exchanges.filter(
      ({ outcome }) => outcome.kind === "refused" && outcome.status === 400,
    );
    expect(refused.map(({ outcome }) => outcome)).toEqual([]);
    // Every kind of interruption must have happened.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(5);
  });
});

/** Counts messages, calls and results in the lines of the log. */
async function countsOf(session: Session) {
  const blocks: Block[] = [];
  for await (const line of session.history.export()) {
    const entry = fromLine(line);
    const read = entry && readPayload(entry);
    if (read?.kind === "message") blocks.push(...read.payload.blocks);
  }
  return {
    calls: blocks.filter(({ kind }) => kind === "tool_call").length,
    results: blocks.filter(({ kind }) => kind === "tool_result").length,
    texts: blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])),
  };
}
