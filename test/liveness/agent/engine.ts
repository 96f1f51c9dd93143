import { type Ask, answer, callTool, callTools, stallStream } from "@palimpsest/provider-simulator";
import { openMemory } from "palimpsest/memory";
import { placesOf } from "../../../apps/agent/src/cli/places.ts";
import { isExtraction } from "../drives/memory.ts";
import { type Drive, type Experiment, experiment } from "../experiment.ts";
import type { AgentOnly } from "../settings.ts";
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
      // Files have the times of the system.
      clock.set(Date.now() + 40 * DAY_MS);
      await run("-p", "Hello.", ...STREAM);
    },
  );

/** For each setting that only the agent acts by, an experiment that shows it to be alive there. */
export const AGENT_EXPERIMENTS: Readonly<Record<AgentOnly, Experiment>> = {
  "memory.recall": experiment(recallTopic, ["on", "off"]),
  "memory.dailyTokens": experiment(extractOften, [1_000_000, 0]),
  "agents.waitSeconds": experiment(leaveAgentBehind, [1_800, 0]),
  "toolResults.keptDays": experiment(comeBackLater, [30, 365]),
  "toolResults.keptMegabytes": experiment(comeBackLater, [10_000, 0], { "toolResults.keptDays": 365 }),
};
