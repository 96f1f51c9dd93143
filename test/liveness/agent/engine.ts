import { setTimeout as sleep } from "node:timers/promises";
import { openMemory } from "@palimpsest/memory";
import { type Ask, answer, callTool, callTools, type ManualClock, stallStream } from "@palimpsest/provider-simulator";
import type { SettingName } from "palimpsest";
import { placesOf } from "../../../apps/agent/src/workspace/places.ts";
import { isExtraction } from "../drives/memory.ts";
import { type Drive, type Experiment, experiment } from "../experiment.ts";
import type { AgentOnly } from "../settings.ts";
import { prose, type Values } from "../world.ts";
import { withAgent } from "./world.ts";

const DAY_MS = 86_400_000;
const STREAM = ["--output-format", "stream-json", "--mode", "bypass"] as const;

/** A topic that fits what the user says. */
const recallTopic: Drive = (engine, witness) =>
  withAgent({ engine }, witness, async ({ folder, home, clock, run }) => {
    const memory = await openMemory({ folder: placesOf(folder, { HOME: home }).memory, clock });
    const topic = { name: "parser", description: "How the parser works.", type: "project" as const };
    await memory.write({ ...topic, body: "The parser was rewritten." }, "user", "none");
    await memory.close();
    await run("-p", "Why does the parser fail since it was rewritten?", ...STREAM);
  });

/** Turns that are looked through for what is worth keeping. */
const extractOften: Drive = (engine, witness) =>
  withAgent(
    { engine, settings: { memory: "on" }, mind: (ask) => (isExtraction(ask) ? answer("Nothing.") : undefined) },
    witness,
    async ({ run }) => {
      await run("-p", "Please use pnpm here, never npm.", ...STREAM);
      await run("--continue", "-p", "And use tabs.", ...STREAM);
    },
  );

/** An agent in the background that is slow, and a turn that is the last. */
const leaveAgentBehind: Drive = (engine, witness) => {
  const isAgent = ({ request }: Ask): boolean => JSON.stringify(request["messages"]).includes("count them slowly");
  const start = callTool("Agent", { description: "Count", prompt: "Please count them slowly.", way: "background" });
  return withAgent(
    {
      engine,
      replies: [callTools(start), answer("It counts.")],
      mind: (ask) =>
        isAgent(ask) && ask.toolResults.length === 0 && !ask.userText.includes("<agent-result") ? SLOWLY : undefined,
    },
    witness,
    ({ run }) => run("-p", "Have somebody count the files.", ...STREAM),
  );
};
const SLOWLY = { ...answer("There are three."), fault: stallStream(2, 800) };

/** A large result of a session that is long over. */
const comeBackLater: Drive = (engine, witness) =>
  withAgent(
    { engine, replies: [callTools(callTool("Bash", { command: "seq 1 20000" }))] },
    witness,
    async ({ run, clock }) => {
      await run("-p", "Count.", ...STREAM);
      // Files have the times of the system; of those only the day matters.
      clock.set(Math.ceil(Date.now() / DAY_MS + 40) * DAY_MS);
      await run("-p", "Hello.", ...STREAM);
    },
  );

/** Waits until nothing goes on any more that needs no time of the clock. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await sleep(1);
}

async function passMinutes(clock: ManualClock, minutes: number): Promise<void> {
  for (let passedMs = 0; passedMs < minutes * 60_000; passedMs += STEP_MS) {
    clock.advance(STEP_MS);
    await settle();
  }
}
const STEP_MS = 10_000;
const LARGE = prose("rule-", 9_000);

/** Nobody says anything for a while. */
const waitForUser: Drive = (values, witness) =>
  withAgent({ engine: { "cache.ttl": "5m", ...values } }, witness, async ({ talk, clock }) => {
    const conversation = talk();
    await conversation.say(LARGE);
    await passMinutes(clock, 20);
    await conversation.leave();
  });

/** Another session writes to one that waits for the user. */
const writeToIdle: Drive = (values, witness) => {
  const write = callTools(callTool("SendMessage", { to: "lead", message: "The build is red." }));
  const mind = ({ userText, toolResults }: Ask) =>
    userText.includes("Tell the lead") && toolResults.length === 0 ? write : undefined;
  return withAgent({ engine: values, mind }, witness, async ({ talk, run }) => {
    const lead = talk("--name", "lead");
    await lead.say("Hello.");
    const woken = lead.next();
    await run("-p", "Tell the lead.", "--name", "mate", "--output-format", "json");
    if (values["agents.wakeOnMail"] === "on") await woken;
    await lead.say("And now?");
    await lead.leave();
  });
};

/** A command that takes long. */
const waitForTool: Drive = (values, witness) => {
  const command = "while [ ! -e done ]; do sleep 0.02; done; echo done";
  const replies = [callTools(callTool("Bash", { command }))];
  return withAgent({ engine: { "cache.ttl": "5m", ...values }, replies }, witness, async (world) => {
    const running = world.run("-p", LARGE, ...STREAM);
    while (world.requests() === 0) await settle();
    await passMinutes(world.clock, 20);
    world.put("done", "");
    await running;
  });
};

/** The conversation has grown beyond what is compacted. */
const growBeyond: Drive = (engine, witness) =>
  withAgent({ engine: { "compaction.autoPercent": 2, ...engine } }, witness, async ({ run }) => {
    await run("-p", LARGE, ...STREAM);
    await run("--continue", "-p", LARGE, ...STREAM);
    await run("--continue", "-p", "And now?", ...STREAM);
  });

const sayHello: Drive = (engine, witness) =>
  withAgent({ engine }, witness, ({ run }) => run("-p", "Hello.", ...STREAM));

const WARM: Values = { "keepWarm.enabled": "on" };

/** For each setting that only the agent acts by, and for those that it has to act for, an experiment in the agent. */
export const AGENT_EXPERIMENTS: Readonly<Record<AgentOnly, Experiment> & Partial<Record<SettingName, Experiment>>> = {
  "memory.recall": experiment(recallTopic, ["on", "off"]),
  "memory.dailyTokens": experiment(extractOften, [1_000_000, 0], { "memory.extractionPercent": 100 }),
  "agents.waitSeconds": experiment(leaveAgentBehind, [1_800, 0]),
  "agents.wakeOnMail": experiment(writeToIdle, ["on", "off"]),
  "toolResults.keptDays": experiment(comeBackLater, [30, 365]),
  "toolResults.keptMegabytes": experiment(comeBackLater, [10_000, 0], { "toolResults.keptDays": 365 }),
  "compaction.auto": experiment(growBeyond, ["on", "ask"]),
  "clearing.byProvider": experiment(sayHello, ["auto", "off"]),
  "keepWarm.enabled": experiment(waitForUser, ["on", "off"]),
  "keepWarm.whileWaiting": experiment(waitForUser, [2, 1], WARM),
  "keepWarm.whileToolRuns": experiment(waitForTool, [2, 1], WARM),
  "keepWarm.capUsd": experiment(waitForUser, [0.5, 0.000_1], WARM),
};
