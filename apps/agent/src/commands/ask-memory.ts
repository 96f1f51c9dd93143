import { join } from "node:path";
import { agentHomeOf } from "@palimpsest/coordination/project-places";
import { MEMORY_LIMITS } from "../extensions/memory/memory-limits.ts";
import { readUserSettings } from "../permissions/load-settings.ts";
import { mergeJsonFile } from "../workspace/private-files.ts";
import { createPrompter, type Prompter } from "./keys/prompter.ts";
import type { Terminal } from "./terminal.ts";

const { extractionCostPercent: EXTRACTION_PERCENT, dreamRounds: DREAM_ROUNDS } = MEMORY_LIMITS;

/** Two lines of at most 80 columns. The person types the answer after the second line. */
const QUESTION = [
  "Save facts that you state for later sessions? /memory shows and removes them.",
  `Cost: up to ${EXTRACTION_PERCENT}% of a session, and ${DREAM_ROUNDS} model calls a day to tidy them up. [Y/n] `,
].join("\n");

/**
 * Asks the person at the first start whether memories are written automatically. Resolves to undefined if the person
 * leaves.
 */
export async function askMemory(
  terminal: Pick<Terminal, "environment"> & Required<Pick<Terminal, "screen">>,
): Promise<"continue" | undefined> {
  const agentHome = agentHomeOf(terminal.environment);
  const { settings, problems } = await readUserSettings(agentHome);
  // Does not write into settings with a problem: this start shows the problem, and a later start asks.
  if (settings.memory !== undefined || problems.length > 0) return "continue";
  const prompter = createPrompter(terminal.screen);
  const answer = await askForMemory(prompter).finally(() => prompter.close());
  if (answer === undefined) return undefined;
  await mergeJsonFile(join(agentHome, "settings.json"), { memory: answer });
  return "continue";
}

/** Asks for the value of the setting `memory`. Enter alone means yes. */
export async function askForMemory({ ask }: Pick<Prompter, "ask">): Promise<"on" | "read" | undefined> {
  for (;;) {
    const answer = (await ask(QUESTION))?.toLowerCase();
    if (answer === undefined) return undefined;
    if (["", "y", "yes"].includes(answer)) return "on";
    if (["n", "no"].includes(answer)) return "read";
  }
}
