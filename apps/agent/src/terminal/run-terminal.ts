import { join } from "node:path";
import type { Provider } from "palimpsest";
import type { Agent } from "../agent/agent.ts";
import { EXIT } from "../cli/exit-codes.ts";
import type { Project } from "../cli/open-project.ts";
import type { Terminal } from "../cli/terminal.ts";
import { themeOf } from "../text/paint.ts";
import { readVersion } from "../workspace/version.ts";
import { createController, type ScreenPorts } from "./controller.ts";
import { type Drawing, draw } from "./draw.ts";
import { promptFile } from "./prompt-history.ts";
import { createScreen } from "./screen.ts";
import { startItems } from "./start-items.ts";
import { startState } from "./state.ts";

export interface TerminalRun {
  readonly project: Project;
  readonly terminal: Terminal & Required<Pick<Terminal, "screen">>;
  readonly provider: Provider;
  readonly model: string;
  readonly open: (ports: ScreenPorts, model: string, id?: string) => Promise<Agent>;
  /** The session to resume. @default a new session */
  readonly id?: string;
  /** `plain`: for screen readers. */
  readonly style: "full" | "plain";
}

/** Runs the agent with a screen until the user exits. Resolves to the exit code. */
export async function runTerminal({
  project,
  terminal,
  provider,
  model,
  open,
  id,
  style,
}: TerminalRun): Promise<number> {
  const { stdin, stdout } = terminal.screen;
  const history = await promptFile(join(project.places.project, "prompts.jsonl")).read();
  let drawing: Drawing | undefined;
  const controller = createController({
    project,
    terminal,
    provider,
    model,
    open,
    screen: () => screen,
    show: async (what) => drawing?.show(what),
    redraw: () => drawing?.redraw(),
  });
  const screen = createScreen(
    startState({
      columns: stdout.columns,
      rows: stdout.rows,
      style,
      nowMs: terminal.clock.now(),
      history,
      commands: [],
    }),
    controller.act,
  );
  screen.emit({ kind: "printed", items: startItems({ version: readVersion(), folder: project.folder, model }) });
  await controller.start(id);
  drawing = draw({ screen, theme: themeOf(terminal.environment), stdin, stdout, clock: terminal.clock });
  // The status line counts down the cache's lifetime while nothing else happens.
  const ticking = setInterval(() => screen.emit({ kind: "tick", nowMs: terminal.clock.now() }), 1_000);
  const interrupted = terminal.interruption();
  const told = new Promise<number>((resolve) =>
    interrupted.addEventListener("abort", () => resolve(Number(interrupted.reason))),
  );
  try {
    return await Promise.race([controller.left.then(() => EXIT.done), told]);
  } finally {
    clearInterval(ticking);
    await controller.close();
    await drawing.close();
  }
}
