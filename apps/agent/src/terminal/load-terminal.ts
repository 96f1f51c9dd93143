type RunTerminal = typeof import("./run-terminal.ts")["runTerminal"];

/**
 * Loads the screen, and React with it. NODE_ENV selects React's production build, which takes half the time. The variable is
 * set only while React loads, since commands that the agent runs inherit the environment.
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
