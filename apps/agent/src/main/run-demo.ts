import { openAgent } from "../agent/open-agent.ts";
import { COMMANDS } from "../commands/definitions.ts";
import { inDemo, run as playLog } from "../commands/demo.ts";
import { readArguments } from "../commands/read-arguments.ts";
import type { Terminal } from "../commands/terminal.ts";
import type { TourStep } from "../terminal/tour.ts";

/** The steps of the tour on the screen. Each step shows one feature of the terminal. */
const DEMO_TOUR: readonly TourStep[] = [
  {
    hint: "Step 1 of 5. This is the real terminal on a simulated model: no key, no cost. Press Enter to send the task that waits in the prompt. The log is huge: it is stored in a file, and the model sees a preview.",
    prompt: "The nightly build failed. What does build.log say?",
  },
  {
    hint: "Step 2 of 5. Press Enter. The model reads the modules and asks before it edits a file. You decide: 1 allows the edit, 3 denies it.",
    prompt: "Compare all the modules, then fix the wrong limit.",
  },
  { hint: "Step 3 of 5. Press Enter to summarize the conversation and free up context.", prompt: "/compact" },
  {
    hint: "Step 4 of 5. Press Ctrl-O to open the transcript: c goes to the summary, o shows what it replaced, q closes. Nothing is lost. Then press Enter to undo the compaction.",
    prompt: "/undo",
  },
  { hint: "Step 5 of 5. Press Enter to see the bill, also for cache misses.", prompt: "/cost" },
  {
    hint: 'That was the tour. You can go on: "read FILE", "run COMMAND" and "edit" make the simulated model use its tools; /help lists all commands, /exit leaves.',
  },
];

/**
 * The demo in the terminal, with steps that guide the person. Afterwards the person can go on with the simulated model.
 * Without a screen, the demo prints the same story as lines.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { screen } = terminal;
  if (screen === undefined) return playLog(args, terminal);
  readArguments(args, COMMANDS.demo);
  const { loadTerminal } = await import("../terminal/load-terminal.ts");
  const runTerminal = await loadTerminal();
  return inDemo(terminal, (options) => {
    const { places, folder, store, provider, model, environment } = options;
    return runTerminal({
      project: { folder, places, store },
      terminal: { ...terminal, folder, environment: { ...terminal.environment, ...environment }, screen },
      provider,
      model,
      listModels: async () => [model],
      start: "new",
      style: "full",
      tour: DEMO_TOUR,
      parting: PARTING,
      open: (ports, wanted, id) =>
        openAgent({ ...options, ...ports, model: wanted, mode: "default", ...(id === undefined ? {} : { id }) }),
    });
  });
}

const PARTING =
  "That was the demo; nothing of it is kept. To use the agent in your project, run palimpsest there: it asks for an API key.";
