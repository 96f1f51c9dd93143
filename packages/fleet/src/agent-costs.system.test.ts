import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { type Session, tool } from "palimpsest";
import { expect, test } from "vitest";
import { say, stop } from "./session-input.ts";
import { agentTool } from "./start-agent.ts";
import { type MortalInbox, mortalInbox } from "./testing/mortal-inbox.ts";
import { openWorld, type StartOptions, shareFolder, until, untilEnded, type World } from "./testing/open-world.ts";

/** "Start one." starts an agent. */
const script: Script = ({ userText, toolResults, tools }) => {
  const last = userText.trim().split("\n").at(-1) ?? "";
  if (toolResults.length > 0 || userText.includes("<agent-result")) return answer("Done.");
  if (last === "Start one.") return callTools(callTool("start_agent", { goal: "look", prompt: "Look around." }));
  return tools.includes("hang") ? callTools(callTool("hang", {})) : answer(`You said: ${last}`);
};

interface Spent {
  readonly agents: readonly string[];
  /** In the ledger of the session that started the agent. */
  readonly charged: number;
  /** In the ledgers of the agents. */
  readonly used: number;
}

/** Lets a session start an agent, and waits until its report is in the log and nothing is left to do. */
async function spend(options: (world: World) => StartOptions): Promise<Spent> {
  const world = openWorld(await shareFolder(), script);
  try {
    const { dispatch, store, open } = world;
    const turn = (session: Session) => ({ tools: [agentTool(session, dispatch.inbox)] });
    const own = options(world);
    for (let workers = 0; workers < 2; workers++)
      await world.start({ turn, ...own, serve: { retryAfterMs: () => 10, ...own.serve } });
    await say(dispatch.inbox, "s", { key: "k", content: "Start one." });
    const isDone = async (): Promise<boolean> => {
      const reader = await store.openReader("s");
      const entries = (await reader?.read(1, Number.MAX_SAFE_INTEGER)) ?? [];
      await reader?.close();
      return (
        entries.some(({ payload }) => payload?.includes("<agent-result")) &&
        (await dispatch.inbox.read("s")).length === 0
      );
    };
    await until(isDone);
    const parent = await open("s");
    const agents = parent.background.agents().map(({ session }) => session);
    const { bySource } = await parent.ledger.cost();
    let used = 0;
    for (const id of agents) {
      const child = await open(id);
      used += child.ledger.totals().outputTokens;
      await child.close();
    }
    await parent.close();
    return { agents, charged: bySource["agent"]?.outputTokens ?? 0, used };
  } finally {
    await world.close();
  }
}

test("what an agent costs is in the ledger of who started it, though another worker ran it", async () => {
  const { agents, charged, used } = await spend(() => ({}));
  expect(agents).toHaveLength(1);
  expect(used).toBeGreaterThan(0);
  expect(charged).toBe(used);
});

/** The gate tries some operations, which are others after each change of the sources; ring 3 tries all. */
const EVERY = process.env["PALIMPSEST_SLOW"] === undefined ? 3 : 1;
const FIRST = 1 + (Math.abs(Number(process.env["PALIMPSEST_SEED"] ?? Date.now())) % EVERY);

test.each(["before", "behind"] as const)(
  "once, also if a worker is killed %s any operation of an inbox",
  async (when) => {
    let kills = 0;
    for (let killedAt = FIRST; ; killedAt += EVERY) {
      let mortal: MortalInbox | undefined;
      const { charged, used } = await spend(({ dispatch }) => {
        const inbox = mortalInbox(dispatch.inbox, killedAt, when);
        mortal = inbox;
        return { dispatch: () => ({ ...dispatch, inbox }) };
      });
      expect({ killedAt, charged }).toEqual({ killedAt, charged: used });
      if (mortal!.operations() < killedAt) break;
      kills++;
    }
    expect(kills * EVERY).toBeGreaterThan(10);
  },
  300_000,
);

test("once, also if a worker is killed between the costs and the report", async () => {
  let kills = 0;
  const { charged, used } = await spend(({ open }) => ({
    async open({ session: id }) {
      const session = await open(id);
      const { enterAgent } = session.background;
      const mortal: typeof enterAgent = async (step, ...told) => {
        if (step.step === "ended" && kills++ === 0) throw new Error("killed");
        return enterAgent(step, ...told);
      };
      return { ...session, background: { ...session.background, enterAgent: mortal } };
    },
  }));
  expect(kills).toBe(2);
  expect(charged).toBe(used);
});

test("also if it was stopped, and its report begins no other turn", async () => {
  const world = openWorld(await shareFolder(), script);
  try {
    const { dispatch, open } = world;
    const begun = Promise.withResolvers<void>();
    const hang = tool({
      name: "hang",
      description: "Waits.",
      inputSchema: { type: "object" },
      execute: (_, { signal }) =>
        new Promise((resolve) => {
          begun.resolve();
          signal.addEventListener("abort", () => resolve("stopped"));
        }),
    });
    let child = "";
    const { serving } = await world.start({
      turn(session, _, { inbox }) {
        if (session.id !== "s") child = session.id;
        return { tools: [agentTool(session, inbox), hang] };
      },
    });
    await say(dispatch.inbox, "s", { key: "k", content: "Start one." });
    await begun.promise;
    await stop(dispatch.inbox, "s", { key: "x" });
    const waiting = async (): Promise<number> =>
      (await dispatch.inbox.read("s")).length + (await dispatch.inbox.read(child)).length;
    await untilEnded(world, child);
    await until(async () => (await waiting()) === 0 && serving.running.length === 0);
    const [parent, agent] = [await open("s"), await open(child)];
    const { bySource } = await parent.ledger.cost();
    const { outputTokens } = agent.ledger.totals();
    expect(outputTokens).toBeGreaterThan(0);
    expect(bySource["agent"]?.outputTokens).toBe(outputTokens);
    expect(parent.turn.next().kind).toBe("nothing");
    for (const session of [parent, agent]) await session.close();
  } finally {
    await world.close();
  }
});
