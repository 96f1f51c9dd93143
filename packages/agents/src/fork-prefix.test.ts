import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import type { SessionEvent } from "palimpsest";
import { expect, test } from "vitest";
import { forkTask, IN_PARENT } from "./agent-prompts.ts";
import { openTeam } from "./testing/open-team.ts";

interface Sent {
  readonly tools: unknown;
  readonly system: unknown;
  readonly messages: readonly unknown[];
}

/** The bytes that count for the cache: marks are not part of them. */
const bytes = (value: unknown): string =>
  JSON.stringify(value, (key, part) => (key === "cache_control" ? undefined : part));
const textsOf = (content: ReturnType<typeof forkTask>): readonly string[] =>
  typeof content === "object" && "blocks" in content
    ? content.blocks.flatMap((block) => (block.kind === "text" ? block.text : []))
    : [];

test("three forks of one response read all that their parent left in the cache", async () => {
  const fork = (prompt: string) => callTool("Agent", { way: "fork", description: prompt, prompt });
  const script: Script = ({ userText }) =>
    userText === "Begin." ? callTools(fork("left"), fork("middle"), fork("right")) : answer("Ok.");
  const { turn, agents, session } = await openTeam({ script, system: "You lead with care. ".repeat(2_000) });
  const missed: SessionEvent[] = [];
  session.events.listen((event) => event.kind === "fork-missed-cache" && missed.push(event));
  await turn("Begin.");
  while ((await agents.idle()) === "waiting") await turn();

  const lines = await Array.fromAsync(session.ledger.lines());
  const leftTokens = lines[0]!.cacheWriteTokens;
  expect(leftTokens).toBeGreaterThan(5_000);
  const forks = lines.filter(({ source }) => source === "agent");
  expect(forks.map((line) => [line.forkExpectedTokens, line.cacheReadTokens >= leftTokens])).toEqual([
    [leftTokens, true],
    [leftTokens, true],
    [leftTokens, true],
  ]);
  expect(missed).toEqual([]);
  expect((await session.ledger.cost()).forksMissedUsd).toBe(0);
});

test("a fork's first request is its parent's, byte for byte; then placeholders, the directive, and the task last", async () => {
  const fork = (prompt: string) => callTool("Agent", { way: "fork", description: prompt, prompt });
  const script: Script = ({ userText }) =>
    userText === "Begin." ? callTools(fork("left-part"), fork("right-part")) : answer("Ok.");
  const { turn, agents, sent } = await openTeam({ script });
  await turn("Begin.");
  while ((await agents.idle()) === "waiting") await turn();

  const requests = sent.map((body) => JSON.parse(body) as Sent);
  const [parent] = requests;
  const [directive] = textsOf(forkTask(""));
  const forks = requests.filter((one) => bytes(one.messages.at(-1)).includes(JSON.stringify(directive).slice(1, -1)));
  expect(forks).toHaveLength(2);
  for (const { tools, system, messages } of forks) {
    expect(bytes(tools)).toBe(bytes(parent!.tools));
    expect(bytes(system)).toBe(bytes(parent!.system));
    expect(bytes(messages.slice(0, parent!.messages.length))).toBe(bytes(parent!.messages));
    // What is new: the answer with its calls, and one message for all of the rest.
    expect(messages).toHaveLength(parent!.messages.length + 2);
    expect(bytes(messages.at(-1)).split(IN_PARENT)).toHaveLength(3);
  }
  const [left, right] = forks.map(({ messages }) => bytes(messages));
  const shared = left!.indexOf("left-part", left!.indexOf(directive!.slice(0, 40)));
  expect(right!.slice(0, shared)).toBe(left!.slice(0, shared));
  // The directive says what a fork is, and what it must not do.
  expect(directive).toMatch(/You are now a fork .* start no agents/);
});
