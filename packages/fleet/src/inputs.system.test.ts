import { answer, type Script } from "@palimpsest/provider-simulator";
import { memoryStore } from "palimpsest";
import { expect, test } from "vitest";
import { runTurns } from "./run-turns.ts";
import { addInput, stop } from "./session-input.ts";
import { mortalInbox } from "./testing/mortal-inbox.ts";
import { openWorld, shareFolder, type World } from "./testing/open-world.ts";
import { UNSEEN_RUN } from "./unseen-run.ts";

const script: Script = ({ userText }) => answer(`You said: ${userText.trim().split("\n").at(-1)}`);

/** Runs the session until a run ends. The first one is killed, unless it has come to its end before. */
async function live(
  { dispatch, open }: World,
  id: string,
  killedAt: number,
  when: "before" | "behind",
): Promise<"killed" | "lived"> {
  const inboxes = [mortalInbox(dispatch.inbox, killedAt, when), dispatch.inbox];
  let outcome: "killed" | "lived" = "lived";
  for (const [index, inbox] of inboxes.entries()) {
    const session = await open(id);
    const run = {
      tenant: "local",
      session: id,
      number: index + 1,
      attempt: 1,
      reminders: [],
      left: new AbortController().signal,
      isHeld: async () => true,
      onWoken: () => () => {},
    };
    try {
      await runTurns(session, run, {
        dispatch: { ...dispatch, inbox },
        turn: {},
        isCurrent: async () => true,
        seen: UNSEEN_RUN,
        clock: { now: Date.now },
      });
    } catch (error) {
      expect((error as Error).message).toBe("killed");
      outcome = "killed";
    } finally {
      await session.close();
    }
  }
  return outcome;
}

const PLANS = [
  ["One.", "stop", "Two."],
  ["One.", "Two.", "stop"],
  ["stop", "One.", "Two."],
  ["One.", "stop", "Two.", "stop", "Three."],
];

/** All of it is in the log once and in order, is reported once, and a stop ended what was before it alone. */
async function check(world: World, plan: readonly string[], id: string): Promise<void> {
  const { inbox } = world.dispatch;
  const [last, lastStop] = [plan.at(-1)!, plan.lastIndexOf("stop")];
  const said = await world.conversation(id);
  const linesOf = (role: string): readonly string[] => said.filter((line) => line.startsWith(role));
  expect(linesOf("user"), id).toEqual(plan.filter((item) => item !== "stop").map((text) => `user: ${text}`));
  expect(linesOf("assistant"), id).toEqual(last === "stop" ? [] : [`assistant: You said: ${last}`]);
  expect(await inbox.read(id), id).toEqual([]);
  const reports = (await inbox.read(`${id}-parent`)).map(({ payload }) => {
    const { agent, outcome } = payload as { readonly agent: string; readonly outcome: string };
    return `${agent} ${outcome}`;
  });
  const expected = plan.map((item, index) =>
    item === "stop" ? "" : `${index} ${index < lastStop ? "stopped" : "done"}`,
  );
  expect(reports, id).toEqual(expected.filter((report) => report !== ""));
}

test.each(PLANS.map((plan) => [plan.join(" "), plan] as const))(
  "%s: whoever dies meanwhile, all of it is in the log and reported once and in order",
  async (_, plan) => {
    // The logs in memory: a disk that is busy makes this slow, and proves nothing here.
    const world = openWorld({ ...(await shareFolder()), store: memoryStore() }, script);
    const { inbox } = world.dispatch;
    let kills = 0;
    try {
      for (const when of ["before", "behind"] as const) {
        for (let killedAt = 1, outcome = "killed"; outcome === "killed"; killedAt++) {
          const id = `killed-${when}-operation-${killedAt}`;
          for (const [index, item] of plan.entries()) {
            const replyTo = { session: `${id}-parent`, agent: `${index}` };
            if (item === "stop") await stop(inbox, id, { key: `${index}` });
            else await addInput(inbox, id, `${index}`, { kind: "content", content: item, replyTo });
          }
          outcome = await live(world, id, killedAt, when);
          if (outcome === "killed") kills++;
          await check(world, plan, id);
        }
      }
    } finally {
      await world.close();
    }
    // Each item is read, reported and acknowledged.
    expect(kills).toBeGreaterThan(6 * plan.length);
  },
);
