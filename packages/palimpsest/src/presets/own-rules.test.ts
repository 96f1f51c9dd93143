import { readFileSync } from "node:fs";
import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import { testPolicy } from "../policy/testing.ts";
import type { ClearRule, CompactRule, KeepPart, Policy, SummaryFunction } from "../policy.ts";
import { coding, fitItems, proposalOf, window, written } from "../policy.ts";
import { openDesk, words } from "./testing/open-desk.ts";

// begin when: between turns, from 12,000 tokens on, at any price
const atTwelveThousand: CompactRule["when"] = ({ size, turn }) => {
  if (turn.status === "open" || size.tokens < 12_000) return undefined;
  return { level: "requested", because: `${size.tokens} tokens, and 12,000 are enough` };
};
// end

// begin summary: two questions to the model, on its cached prompt
const twoQuestions: SummaryFunction = written("two questions", async ({ fork }) => {
  const customer = await fork("Who is the customer?");
  const promises = await fork("What did we promise?");
  return `Customer: ${customer}\nPromised: ${promises}`;
});
// end

// begin clear: pages that the model has read, but for the newest
const oldPages: ClearRule = {
  name: "old-pages",
  params: { keepNewest: 1 },
  propose(state) {
    const pages = state.results.filter(
      ({ tool, clearable, shown }) => tool === "look" && clearable && shown === "whole",
    );
    const old = pages.slice(0, -1);
    return proposalOf(old, state, { level: "requested", because: `${old.length} old pages` });
  },
};
// end

// begin part: what the model has promised
const promises: KeepPart = {
  name: "promises",
  budget: { maxTokens: 500, share: 0.05 },
  collect: {
    version: 1,
    empty: [],
    maxBytes: 10_000,
    add: (state, { text, provenance: { kind } }) =>
      kind === "model" && /I promise/.test(text) ? [...(state as string[]), text].slice(-20) : state,
  },
  plan: ({ collected }) =>
    (collected as string[]).map((text) => ({ key: text, from: { kind: "text", text, provenance: { kind: "model" } } })),
  render: (items, room) => fitItems(items, room, { heading: "Promised:", rest: () => "search with recall" }),
};
// end

const LOOK = { name: "look", description: "Looks.", inputSchema: { type: "object" } };
const own: Policy = {
  ...coding("quality"),
  name: "own",
  clear: [oldPages],
  compact: { ...coding().compact, when: atTwelveThousand, summary: twoQuestions, keep: [promises] },
};
/** A policy of another machine, which has none of the code above. The cache rule is the same. */
const plain: Policy = {
  ...coding("quality"),
  name: "plain",
  clear: [],
  compact: { ...coding().compact, when: window() },
};

const script: Script = ({ userText, toolResults }) => {
  if (userText.includes("Who is the customer?")) return answer("Ann, who bought a kettle.");
  if (userText.includes("What did we promise?")) return answer("A new kettle by Friday, and the money for the label.");
  if (userText.includes("About the kettle")) return answer("I promise a new kettle by Friday.");
  return userText.endsWith("a page.") && toolResults.length === 0 ? callTools(callTool("look", {})) : answer("Done.");
};
const openOwn = () => openDesk({ policy: own, script, session: { tools: [LOOK] } as object });

test.each(["when", "summary", "clear", "part"])("a rule of one's own for %s has at most 15 lines", (slot) => {
  const [, ...blocks] = readFileSync(import.meta.filename, "utf8").split(/^\/\/ begin /m);
  const code = blocks.find((block) => block.startsWith(`${slot}: `))!.split(/^\/\/ end$/m)[0]!;
  const lines = code.trim().split("\n").slice(1);
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThanOrEqual(15);
});

test("the policy is sound in every state of the grid", () => {
  expect(testPolicy(own, { maxMs: 50 })).toEqual([]);
});

test("a session clears, compacts and keeps what its own rules say", async () => {
  const { session, say, eventsOf } = await openOwn();
  await say("Read a page.");
  await say("Read again a page.");
  const cleared = await say("Thanks.");
  expect(eventsOf("results-cleared")).toMatchObject([{ rule: "old-pages", by: "session", count: 1 }]);
  expect(cleared.match(/result toolu/g)!.length).toBeLessThan(600);
  await say(words("the kettle", 9_000));
  const next = await say(words("the pot", 3_000));
  const [boundary] = await session.history.explain();
  expect(boundary!.compaction).toMatchObject({
    reason: "requested",
    summary: { way: "function", form: "two questions", met: true },
    modelCalls: 2,
    decided: { because: expect.stringContaining("12,000 are enough") },
  });
  expect(next.includes("Customer: Ann, who bought a kettle.\\nPromised: A new kettle by Friday")).toBe(true);
  expect(next.includes("Promised:\\nI promise a new kettle by Friday.")).toBe(true);
  expect(eventsOf("rule-failed")).toEqual([]);
});

describe("with rules of one's own", () => {
  test("undo gives the request from before, byte for byte", async () => {
    const { session, say } = await openOwn();
    await say("Read a page.");
    await say("Read again a page.");
    await session.append("And now?");
    const before = JSON.stringify(await session.prepare());
    const outcome = await session.compact();
    if (outcome.kind !== "compacted") throw new Error(outcome.kind);
    expect(JSON.stringify(await session.prepare())).toContain("Customer: Ann");
    await session.history.restore(outcome.boundary);
    expect(JSON.stringify(await session.prepare())).toBe(before);
  });

  test("a machine without their code renders the same request, and explains the same compaction", async () => {
    const { session, say, store, clock } = await openOwn();
    await say("Read a page.");
    await say("Read again a page.");
    await say(words("the kettle", 9_000));
    await say(words("the pot", 3_000));
    await session.append("Still there?");
    const request = JSON.stringify(await session.prepare());
    expect(request.includes("I promise a new kettle by Friday.")).toBe(true);
    const explained = await session.history.explain();
    await session.close();

    const other = await openDesk({ policy: plain, script, store, clock, session: { tools: [LOOK] } as object });
    expect(other.eventsOf("policy-changed")).toMatchObject([{ from: "own", to: "plain" }]);
    expect(JSON.stringify(await other.session.prepare())).toBe(request);
    expect(await other.session.history.explain()).toEqual(explained);
    await other.session.history.restore(explained[0]!.boundary);
    expect(JSON.stringify(await other.session.prepare())).toContain("About the kettle: the kettle leaks");
  });
});
