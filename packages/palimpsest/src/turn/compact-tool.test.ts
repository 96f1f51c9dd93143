import { callTool, callTools } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import { written } from "../compact/summary/forms.ts";
import { toolResult } from "../log/messages.ts";
import type { SummaryAsk } from "../policy/policy.ts";
import { proposalIn, whenProposed } from "../policy/rules/when.ts";
import { stateOf } from "../policy/testing.ts";
import type { WindowState } from "../policy/window-state.ts";
import { openJudged } from "../session/testing/judged-session.ts";
import { compactingWhen } from "../session/testing/policies.ts";
import { compactTool } from "./tools.ts";

const CALL = { signal: new AbortController().signal, key: "k" };

/** A session that has read many files, and whose model has then proposed a compaction. */
async function proposed() {
  const asks: SummaryAsk[] = [];
  const policy = compactingWhen(whenProposed({ fromTokens: 20_000 }));
  const summary = written("own", async ({ ask }) => {
    asks.push(ask);
    return `The loader was renamed in src/load.ts. ${"It was tested. ".repeat(20)}`;
  });
  const opened = await openJudged({
    policy: { ...policy, compact: { ...policy.compact, summary } },
    tools: [
      { name: "Read", inputSchema: { type: "object" } },
      { name: "compact", inputSchema: { type: "object" } },
    ],
  });
  const propose = async () => {
    const input = { next: "Write the changelog.", keep: ["ORD-123456"] };
    const [id] = await opened.ask(callTools(callTool("compact", input)));
    const tool = compactTool(opened.session);
    const output = await tool.execute(input, { ...CALL, call: { kind: "tool_call", id: id!, name: "compact", input } });
    await opened.session.append(toolResult(id!, output as string));
  };
  await opened.session.append("Rename the loader.");
  await opened.read(50);
  return { opened, asks, propose };
}

describe("compactTool", () => {
  test("compacts inside the turn, and tells the summary what comes next and what to keep", async () => {
    const { opened, asks, propose } = await proposed();
    await propose();
    expect(await opened.session.history.explain()).toEqual([]);
    await opened.ask();
    const [boundary] = await opened.session.history.explain();
    expect(boundary?.compaction?.decided).toMatchObject({ rule: "proposed", level: "if-it-pays" });
    expect(boundary?.compaction?.decided?.because).toContain("the model proposes a compaction");
    expect(asks.map(({ instructions }) => instructions)).toEqual([
      "The assistant proposed this compaction. Its next work: Write the changelog.\nKeep what it named:\n- ORD-123456",
    ]);
  });

  test("compacts once for each proposal", async () => {
    const { opened, propose } = await proposed();
    await propose();
    await opened.ask();
    await opened.session.append("Go on.");
    await opened.read(20);
    await opened.ask();
    expect(await opened.session.history.explain()).toHaveLength(1);
  });

  test("does nothing once the model has gone on with other tools, or without the rule", async () => {
    const { opened, propose } = await proposed();
    const compacting = compactTool(opened.session);
    await opened.session.mark(compacting.name, { next: "Write the changelog.", keep: [] });
    await opened.read(1);
    await opened.ask();
    expect(await opened.session.history.explain()).toEqual([]);
    await opened.reopen({ policy: compactingWhen(() => undefined) });
    await opened.session.append("Go on.");
    await propose();
    await opened.ask();
    expect(await opened.session.history.explain()).toEqual([]);
  });
});

describe("a proposal", () => {
  const [result] = stateOf({ tokens: 60_000, results: 1, resultTokens: 10 }).results;
  const marked = (value: unknown, more: Partial<WindowState> = {}): WindowState => ({
    ...stateOf({ tokens: 60_000 }),
    results: [{ ...result!, tool: "compact" }],
    marks: { compact: { value: value as never, entry: 80 } },
    ...more,
  });

  test("is read with defaults for what is not a text", () => {
    expect(proposalIn(marked({ next: "Go.", keep: ["a", 1, "b"] }))).toEqual({ next: "Go.", keep: ["a", "b"] });
    for (const value of [null, "x", [], { next: 3 }]) expect(proposalIn(marked(value))).toEqual({ next: "", keep: [] });
  });

  test("ends with the next compaction and with the next call of another tool", () => {
    const lastCompaction = { entry: 81, turnsAgo: 0, keptTokens: 10_000, undone: false };
    const { history } = stateOf({ tokens: 60_000 });
    expect(proposalIn(marked({}, { history: { ...history, lastCompaction } }))).toBeUndefined();
    expect(proposalIn(marked({}, { results: [result!] }))).toBeUndefined();
    expect(proposalIn(stateOf({ tokens: 60_000 }))).toBeUndefined();
  });

  test("asks for a compaction that pays, from a size on", () => {
    expect(whenProposed()(marked({}))).toEqual({
      level: "if-it-pays",
      because: "60,000 tokens, and the model proposes a compaction",
      rule: "proposed",
    });
    expect(whenProposed({ fromTokens: 60_001 })(marked({}))).toBeUndefined();
  });
});
