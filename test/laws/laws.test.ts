import { type CompatibleServer, compatibleProfiles } from "@palimpsest/provider-simulator";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hold, isReplay } from "./hold.ts";
import { live } from "./live.ts";
import { operations } from "./operations.ts";
import { POLICY_NAMES } from "./policies.ts";
import { anthropicWorld, chatWorld, responsesWorld, type World } from "./worlds.ts";

const SLOW = process.env["PALIMPSEST_SLOW"] !== undefined;
/** Of each world. Together: a thousand in the gate, others with each change of the sources; more than 200,000 in `npm run test:slow`. */
const RUNS = SLOW ? 36_000 : 120;
/** Servers that imitate a service check less than it does: fewer will do. */
const COMPATIBLE_RUNS = SLOW ? 800 : 20;

/** Where the provider clears, only what differs from the worlds beside it is new. */
const EDITED_RUNS = 100;

const SERVERS = Object.keys(compatibleProfiles) as CompatibleServer[];
const WORLDS: readonly (readonly [string, () => World, number])[] = [
  ...(["bound", "free", "off"] as const).map((first) => [() => anthropicWorld(first), RUNS] as const),
  [() => anthropicWorld("bound", "asked"), SLOW ? RUNS : EDITED_RUNS] as const,
  [() => anthropicWorld("free", "by-deletion"), SLOW ? RUNS : EDITED_RUNS] as const,
  [responsesWorld, RUNS] as const,
  [() => chatWorld(), RUNS] as const,
  [() => chatWorld("llama.cpp"), RUNS] as const,
  ...SERVERS.map((server) => [() => chatWorld(server), COMPATIBLE_RUNS] as const),
].map(([create, runs]) => [create().name, create, runs]);

describe.each(WORLDS)("any session with %s", (name, create, numRuns) => {
  test("sends valid requests that begin as the one before did, loses nothing, and is the same when it is opened again", async () => {
    const seen = { requests: 0, cleared: 0, stored: 0, leftOut: 0, compacted: 0, noted: 0, deleting: 0 };
    await hold(
      `sessions with ${name}`,
      [operations, fc.constantFrom(...POLICY_NAMES)],
      async (list, policy) => {
        const lived = await live(create(), list, policy);
        for (const name of Object.keys(seen) as (keyof typeof seen)[]) seen[name] += lived[name];
      },
      { numRuns, counts: () => seen },
    );
    if (isReplay()) return;
    // In a window of 4,096 tokens, many a session is full before its first request.
    expect(seen.requests).toBeGreaterThan(numRuns / 2);
    // What is tested must have happened. 200 sessions clear some 90 results and store some 50, with one seed as with another.
    const clears = name.endsWith("edits by the provider") ? seen.leftOut : seen.cleared;
    if (numRuns < EDITED_RUNS) return;
    expect(Math.min(clears, seen.stored)).toBeGreaterThan(numRuns / 30);
    expect(seen.compacted).toBeGreaterThan(0);
    if (name.startsWith("Anthropic")) expect(seen.noted).toBeGreaterThan(0);
    if (name.endsWith("deletions")) expect(seen.deleting).toBeGreaterThan(0);
  }, 3_600_000);
});

test("a call that was imported as the user's is none: its result is not the newest, and the newest one stays", async () => {
  const look = { kind: "tool-call", name: "look", input: {} } as const;
  const [call, result] = [
    { kind: "tool_call", id: "a", name: "", input: {} },
    { kind: "tool_result", callId: "a", content: "", status: "ok" },
  ] as const;
  await live(
    anthropicWorld("free"),
    [
      { do: "attach", text: "a" },
      { do: "ask", reply: { words: [look] }, meanwhile: undefined },
      { do: "answer-calls", picks: [0], content: "Lorem ".repeat(150), status: "ok" },
      { do: "import", message: { role: "user", blocks: [call, result], origin: "host" } },
      { do: "import", message: { role: "user", blocks: [], origin: "host" } },
    ],
    "paying",
  );
});
