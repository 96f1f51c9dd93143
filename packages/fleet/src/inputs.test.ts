import type { SessionInbox } from "@palimpsest/coordination";
import { answer, type Script } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { runTurns } from "./run-turns.ts";
import { say, stop } from "./session-input.ts";
import { openWorld, shareFolder, type World } from "./testing/open-world.ts";

const script: Script = ({ userText }) => answer(`You said: ${userText.trim().split("\n").at(-1)}`);

/** An inbox whose process is killed at an operation: before it takes place, or behind it. */
function mortalInbox(inbox: SessionInbox, killedAt: number, when: "before" | "behind"): SessionInbox {
  let operations = 0;
  const mortal =
    <Args extends readonly unknown[], Result>(operation: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const isKilled = ++operations === killedAt;
      if (isKilled && when === "before") throw new Error("killed");
      const result = await operation(...args);
      if (isKilled) throw new Error("killed");
      return result;
    };
  return { add: mortal(inbox.add), read: mortal(inbox.read), acknowledge: mortal(inbox.acknowledge) };
}

/** Runs the session until a run ends. The first one is killed. */
async function live({ dispatch, open }: World, killedAt: number, when: "before" | "behind"): Promise<void> {
  const inboxes = [mortalInbox(dispatch.inbox, killedAt, when), dispatch.inbox];
  for (const [index, inbox] of inboxes.entries()) {
    const session = await open("s");
    const left = new AbortController().signal;
    const run = {
      tenant: "local",
      session: "s",
      number: index + 1,
      attempt: 1,
      reminders: [],
      left,
      onWoken: () => () => {},
    };
    try {
      await runTurns(session, run, { dispatch: { ...dispatch, inbox }, turn: {}, isCurrent: async () => true });
    } catch (error) {
      expect((error as Error).message).toBe("killed");
    } finally {
      await session.close();
    }
  }
}

const PLANS = [
  ["One.", "stop", "Two."],
  ["One.", "Two.", "stop"],
  ["stop", "One.", "Two."],
  ["One.", "stop", "Two.", "stop", "Three."],
];

test.each(PLANS.map((plan) => [plan.join(" "), plan] as const))(
  "%s: whoever dies meanwhile, all of it is in the log once and in order, and a stop ends what was before it alone",
  async (_, plan) => {
    const spoken = plan.filter((item) => item !== "stop");
    const last = plan.at(-1)!;
    const answers = last === "stop" ? [] : [`assistant: You said: ${last}`];
    for (let killedAt = 1; killedAt <= 12; killedAt++) {
      for (const when of ["before", "behind"] as const) {
        const world = openWorld(await shareFolder(), script);
        try {
          for (const [index, item] of plan.entries()) {
            if (item === "stop") await stop(world.dispatch.inbox, "s", { key: `${index}` });
            else await say(world.dispatch.inbox, "s", { key: `${index}`, content: item });
          }
          await live(world, killedAt, when);
          const said = await world.conversation("s");
          const where = `killed ${when} operation ${killedAt}`;
          const users = said.filter((line) => line.startsWith("user"));
          expect(users, where).toEqual(spoken.map((text) => `user: ${text}`));
          expect(
            said.filter((line) => line.startsWith("assistant")),
            where,
          ).toEqual(answers);
          expect(await world.dispatch.inbox.read("s"), where).toEqual([]);
        } finally {
          await world.close();
        }
      }
    }
  },
);
