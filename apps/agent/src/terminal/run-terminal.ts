import { join } from "node:path";
import type { Provider } from "palimpsest";
import type { Agent } from "../agent/agent.ts";
import { EXIT } from "../commands/exit-codes.ts";
import type { Project } from "../commands/open-project.ts";
import type { Terminal } from "../commands/terminal.ts";
import { themeOf } from "../text/paint.ts";
import { readVersion } from "../workspace/version.ts";
import { App, type ScreenPorts, type SessionStart } from "./app.ts";
import { type Drawing, draw } from "./draw.ts";
import { promptFile } from "./prompt/prompt-history.ts";
import { createScreen } from "./screen.ts";
import { startItems } from "./start-items.ts";
import { startState } from "./state.ts";
import type { TourStep } from "./tour.ts";

interface TerminalRun {
  readonly project: Project;
  readonly terminal: Terminal & Required<Pick<Terminal, "screen">>;
  readonly provider: Provider;
  readonly model: string;
  readonly open: (ports: ScreenPorts, model: string, id?: string) => Promise<Agent>;
  /** Asks the provider for the ids of its models. */
  readonly listModels: (signal: AbortSignal) => Promise<readonly string[]>;
  readonly start: SessionStart;
  /** Leads the person through steps. @default none */
  readonly tour?: readonly TourStep[];
  /** What is printed at the end. @default the cost, and how to resume the session */
  readonly parting?: string;
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
  listModels,
  start,
  style,
  ...run
}: TerminalRun): Promise<number> {
  const { stdin, stdout } = terminal.screen;
  const prompts = promptFile(join(project.places.project, "prompts.jsonl"));
  let drawing: Drawing | undefined;
  const screen = createScreen(
    startState({
      columns: stdout.columns,
      rows: stdout.rows,
      style,
      nowMs: terminal.clock.now(),
      history: await prompts.read(),
      commands: [],
    }),
  );
  screen.emit({ kind: "printed", items: startItems({ version: readVersion(), folder: project.folder, model }) });
  const drawNow = (): Drawing =>
    draw({ screen, theme: themeOf(terminal.environment), stdin, stdout, clock: terminal.clock });
  // A session that is known is opened before the prompt is drawn: whoever sees the prompt starts to type.
  if (start === "choose") drawing = drawNow();
  const app = await App.open({
    project,
    terminal,
    provider,
    model,
    open,
    listModels,
    start,
    tour: run.tour ?? [],
    history: prompts,
    screen,
    drawing: {
      show: async (what) => drawing?.show(what),
      redraw: () => drawing?.redraw(),
      suspend: async (work) => (drawing === undefined ? work() : drawing.suspend(work)),
    },
  });
  drawing ??= drawNow();
  // The status line counts down the cache's lifetime while nothing else happens.
  const ticking = setInterval(() => screen.emit({ kind: "tick", nowMs: terminal.clock.now() }), 1_000);
  const interrupted = terminal.interruption();
  const told = new Promise<number>((resolve) =>
    interrupted.addEventListener("abort", () => resolve(Number(interrupted.reason))),
  );
  try {
    return await Promise.race([app.left.then(() => EXIT.done), told]);
  } finally {
    clearInterval(ticking);
    const parting = await app.close();
    await drawing.close();
    const text = run.parting ?? parting;
    if (text !== undefined) await terminal.print(text);
  }
}
