import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { openTeam } from "./testing/open-team.ts";
import { waitingInbox } from "./waiting-inbox.ts";

const NEVER = new AbortController().signal;

/** A team with an agent that works until the test ends its work. */
async function openBusyTeam() {
  let isOver = false;
  const script: Script = ({ request }) => {
    if (JSON.stringify(request["system"]).includes("You lead.")) return answer("Ok.");
    return isOver ? answer("It is done.") : callTools(callTool("Look", { what: "x" }));
  };
  const team = await openTeam({ script, limits: { maxRounds: 100_000 } });
  await team.session.append("Begin.");
  await team.agents.start({ prompt: "p", description: "d", way: "background", name: "worker" });
  return {
    ...team,
    end: () => {
      isOver = true;
    },
  };
}

test("a turn waits until a background agent has a report, and delivers the report", async () => {
  const { agents, session, end } = await openBusyTeam();
  const waited: number[] = [];
  const inbox = waitingInbox({ agents, onWait: (running) => waited.push(running) });
  const settled = inbox.settle!(NEVER);
  end();
  await settled;
  expect(waited).toEqual([1]);
  expect(await inbox.deliver(session)).toBe(1);
  expect(session.view.attached("agent-result")[0]).toContain("It is done.");
  await inbox.settle!(NEVER);
  expect(waited).toEqual([1]);
});

test.each([
  [undefined, 1_800_000],
  [5_000, 5_000],
])("a turn with waitMs %j stops waiting after %i ms, while the agent still runs", async (waitMs, expected) => {
  const { agents } = await openBusyTeam();
  const waits: number[] = [];
  const clock = {
    now: () => 0,
    async wait(ms: number) {
      waits.push(ms);
    },
  };
  await waitingInbox({ agents, waitMs, clock }).settle!(NEVER);
  expect(waits).toEqual([expected]);
  expect(agents.list()[0]?.live).toBeDefined();
  await agents.close();
});

test("a turn that is aborted stops waiting", async () => {
  const { agents } = await openBusyTeam();
  await waitingInbox({ agents }).settle!(AbortSignal.abort());
  expect(agents.list()[0]?.live).toBeDefined();
  await agents.close();
});

test("waitingInbox refuses a negative time", async () => {
  const { agents } = await openBusyTeam();
  expect(() => waitingInbox({ agents, waitMs: -1 })).toThrow(
    "waitingInbox({ waitMs }) is -1; it must be a whole number, at least 0.",
  );
  await agents.close();
});
