import { openMemory } from "@palimpsest/memory";
import { type Ask, callTool, callTools } from "@palimpsest/provider-simulator";
import type { SettingName } from "palimpsest";
import { placesOf } from "../../../apps/agent/src/workspace/places.ts";
import { type Drive, type Experiment, experiment } from "../experiment.ts";
import type { AgentOnly } from "../settings.ts";
import { prose } from "../world.ts";
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

const LARGE = prose("rule-", 9_000);

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

/** The conversation has grown beyond what is compacted. */
const growBeyond: Drive = (engine, witness) =>
  withAgent({ engine: { compactAt: 2, ...engine } }, witness, async ({ run }) => {
    await run("-p", LARGE, ...STREAM);
    await run("--continue", "-p", LARGE, ...STREAM);
    await run("--continue", "-p", "And now?", ...STREAM);
  });

/** For each setting that only the agent acts by, and for those that it has to act for, an experiment in the agent. */
export const AGENT_EXPERIMENTS: Readonly<Record<AgentOnly, Experiment> & Partial<Record<SettingName, Experiment>>> = {
  "memory.recall": experiment(recallTopic, ["on", "off"]),
  "agents.wakeOnMail": experiment(writeToIdle, ["on", "off"]),
  "toolResults.keptDays": experiment(comeBackLater, [30, 365]),
  "toolResults.keptMegabytes": experiment(comeBackLater, [10_000, 0], { "toolResults.keptDays": 365 }),
  compaction: experiment(growBeyond, ["auto", "ask"]),
};
