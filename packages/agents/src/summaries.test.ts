import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import type { AgentLimits } from "./agents-options.ts";
import { readPhrase } from "./summaries.ts";
import { openTeam } from "./testing/open-team.ts";

const isAsked = (request: Readonly<Record<string, unknown>>): boolean =>
  JSON.stringify((request["messages"] as unknown[]).at(-1)).includes("what are you doing right now");

/** A clock whose waits are ended by hand. */
function handClock() {
  const waits: { readonly ms: number; end(): void }[] = [];
  return {
    waits,
    now: () => 0,
    wait: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve());
        waits.push({ ms, end: resolve });
      }),
  };
}

test.each(["background", "fork", "teammate"] as const)(
  "while somebody follows a %s, the agent is asked for a phrase after each wait in which it did something",
  async (way) => {
    const clock = handClock();
    const questions: string[] = [];
    let isOver = false;
    const script: Script = ({ request }) => {
      if (isAsked(request)) {
        questions.push(JSON.stringify((request["messages"] as unknown[]).at(-1)));
        return answer(questions.length === 1 ? '"Reading the config loader."' : "Renaming the config loader");
      }
      return isOver ? answer("Done.") : callTools(callTool("Look", { what: "x" }));
    };
    const limits: AgentLimits = { maxRounds: 100_000, phraseEveryMs: 31_000 };
    const { agents, session } = await openTeam({ script, clock, limits });
    await session.append("Begin.");
    const started = await agents.start({ prompt: "p", description: "d", way, name: "worker" });
    const events: string[] = [];
    agents.follow("a1", (event) => events.push(event.kind === "phrase" ? event.phrase : event.kind));
    const tick = async () => {
      // Only one that has done something new is asked.
      const before = events.length;
      while (!events.slice(before).includes("response")) await new Promise((resolve) => setTimeout(resolve, 5));
      const after = clock.waits.length;
      clock.waits.findLast(({ ms }) => ms === 31_000)!.end();
      while (!clock.waits.slice(after).some(({ ms }) => ms === 31_000))
        await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await tick();
    await tick();
    const expected = ["Reading the config loader", "Renaming the config loader"];
    expect(events.filter((event) => event.includes(" "))).toEqual(expected);
    expect(events).toContain("response");
    expect(questions).toHaveLength(2);
    expect(agents.list()[0]?.live?.phrase).toBe(expected.at(-1));
    // It is told what it said, so as to say something new.
    expect(questions[1]).toContain("Reading the config loader");
    isOver = true;
    expect(started.kind === "started" && (await started.done)).toMatchObject({ outcome: "done" });
  },
);

test("an agent is asked every 30 seconds by default, and never if phrases are off", async () => {
  for (const [limits, expected] of [
    [{}, true],
    [{ phrases: "off" }, false],
  ] as const) {
    const clock = handClock();
    const script: Script = () => callTools(callTool("Look", { what: "x" }));
    const { agents, session } = await openTeam({ script, clock, limits: { ...limits, maxRounds: 100_000 } });
    await session.append("Begin.");
    await agents.start({ prompt: "p", description: "d", way: "background" });
    agents.follow("a1", () => {});
    expect(clock.waits.some(({ ms }) => ms === 30_000)).toBe(expected);
    await agents.close();
  }
});

test.each([
  ['"Fixing the parser."', "Fixing the parser"],
  ["\n**Running all tests**\nbecause", "Running all tests"],
  ["", undefined],
  ["I am doing a lot of things here at the same time", undefined],
])("%j is read as %j", (said, phrase) => {
  expect(readPhrase(said)).toBe(phrase);
});
