import { workWithAgents } from "./drives/agents.ts";
import { askForDreams, extract } from "./drives/memory.ts";
import { type Experiment, experiment } from "./experiment.ts";
import type { AboveEngine } from "./settings.ts";

/** For each setting of memory and agents, an experiment that shows it to be alive. A setting without one does not compile. */
export const ABOVE_EXPERIMENTS: Readonly<Record<AboveEngine, Experiment>> = {
  "memory.extraction": experiment(extract, ["on", "off"]),
  "dream.enabled": experiment(askForDreams, ["on", "off"]),
  "agents.enabled": experiment(workWithAgents, ["on", "off"]),
  "agents.running": experiment(workWithAgents, [100, 1]),
  "agents.tokens": experiment(workWithAgents, [2_000_000, 500]),
};
