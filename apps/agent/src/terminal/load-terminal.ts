type RunTerminal = typeof import("./run-terminal.ts")["runTerminal"];

/**
 * Loads the screen, and React with it. React takes its build for use, which needs half the time of the other, if it is told
 * so while it is loaded; and only then, because the commands that the agent runs have the same environment.
 */
export async function loadTerminal(): Promise<RunTerminal> {
  const before = process.env["NODE_ENV"];
  process.env["NODE_ENV"] = "production";
  try {
    return (await import("./run-terminal.ts")).runTerminal;
  } finally {
    if (before === undefined) delete process.env["NODE_ENV"];
    else process.env["NODE_ENV"] = before;
  }
}
