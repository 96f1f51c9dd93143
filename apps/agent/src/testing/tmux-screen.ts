import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { agentHomeOf } from "@palimpsest/coordination/project-places";
import { onTestFinished } from "vitest";
import { readUserSettings } from "../permissions/load-settings.ts";
import { mergeJsonFile } from "../workspace/private-files.ts";
import { AGENT_PROGRAM } from "./agent-program.ts";
import { expectScreen } from "./expect-screen.ts";
import type { Cli } from "./run-cli.ts";
import { controlTmux, quoted } from "./tmux-control.ts";

const run = promisify(execFile);
/** A generous limit: on a busy machine each look takes longer, too. */
const MOST_LOOKS = 1_000;
const MOST_PRESSES = 200;
const LOOK_EVERY_MS = 40;
/** A look starts a program: who has waited for long looks less often. */
const LOOK_AT_LEAST_EVERY_MS = 200;
const PRESS_EVERY_MS = 1_000;
/** Faster than anybody types. */
const KEY_EVERY_MS = 20;

export interface TmuxOptions {
  readonly columns: number;
  readonly rows: number;
  /** Of the program. @default none */
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The words that start the program. @default the agent of this repository, in the mode in which questions are asked */
  readonly program?: readonly string[];
  /** `asked`: the home may say nothing of the memory, so the first start asks. @default "read": it does not ask */
  readonly memory?: "read" | "asked";
}

/** The program in a real terminal. Tests wait for texts on the screen and never sleep. */
export interface TmuxScreen {
  /** Keys by their names in tmux: Enter, Escape, C-c, Up. */
  press(...keys: readonly string[]): Promise<void>;
  /**
   * Presses a key again and again until the screen shows a text. For a key that comes behind others whose effect cannot be seen: on a busy
   * machine they arrive as one piece, which counts as a paste.
   */
  pressUntil(key: string, text: string | RegExp): Promise<void>;
  type(text: string): Promise<void>;
  /** Types a text, and presses return once the screen shows it. */
  say(text: string): Promise<void>;
  /** Pastes a text with bracketed paste, like a terminal. */
  paste(text: string): Promise<void>;
  /** Waits until the screen shows a text and does not show `gone`. */
  see(text: string | RegExp, gone?: string | RegExp): Promise<void>;
  /** Waits like `see`, and then until the screen equals the kept screen of this name. */
  keeps(name: string, text: string | RegExp, gone?: string | RegExp): Promise<void>;
  /** Waits for a question until it takes keys. @param name the screen that is then kept */
  asks(question: string, name?: string): Promise<void>;
  /** Chooses an answer by its number, and confirms it. */
  answer(number: number): Promise<void>;
  /** Columns and rows, like "80x24". */
  size(): string;
  /** The current screen. `history`: with the lines that have scrolled away. */
  capture(from?: "screen" | "history"): Promise<string>;
  resize(columns: number, rows: number): Promise<void>;
  /** Waits until the program has ended. */
  ended(): Promise<void>;
  /** The process that runs in it. */
  pid(): Promise<number>;
  /** Starts the program again in the same terminal, after it has ended. */
  start(args?: readonly string[]): Promise<void>;
}

/** Starts the program against the simulator, in a terminal of its own server, which is gone when the test is over. */
export async function openTmux(
  { folder, environment }: Pick<Cli, "folder" | "environment">,
  options: TmuxOptions,
): Promise<TmuxScreen> {
  const { columns, rows, args = [], memory = "read" } = options;
  if (memory === "read") await answerMemory(environment);
  const server = `palimpsest-${randomUUID().slice(0, 8)}`;
  const place = {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: environment["HOME"], TERM: "xterm-256color", LANG: "C.UTF-8" },
  };
  const client = ["-L", server, "-f", "/dev/null"];
  const tmux = async (...words: readonly string[]): Promise<void> =>
    void (await run("tmux", [...client, ...words], place));
  const variables = Object.entries({ ...environment, LANG: "C.UTF-8", ...options.environment }).flatMap(
    ([name, value]) => (value === undefined ? [] : ["-e", `${name}=${value}`]),
  );
  // tmux gives a new pane the PATH of its client, so PATH is set inside the command.
  const path = `PATH=${options.environment?.["PATH"] ?? process.env["PATH"]}`;
  // The mode in which questions are asked, whether or not the machine has a sandbox.
  const { program = [...AGENT_PROGRAM, "--mode", "default"] } = options;
  const line = (given: readonly string[]): string =>
    `exec ${["env", path, ...program, ...given].map(quoted).join(" ")}`;
  const size = ["-x", String(columns), "-y", String(rows)];
  await tmux("-u", "new-session", "-d", "-s", "main", ...size, ...variables, "-c", folder, line(args));
  await tmux("set-option", "-g", "remain-on-exit", "on");
  await tmux("set-option", "-g", "escape-time", "0");
  onTestFinished(async () => void (await tmux("kill-server").catch(() => undefined)));

  const control = controlTmux(
    ["tmux", ...client, "-u", "-C", "attach", "-f", "ignore-size,no-output", "-t", "main"],
    place,
  );
  const capture: TmuxScreen["capture"] = async (from = "screen") =>
    normalized(await control.run("capture-pane", "-p", "-t", "main", ...(from === "history" ? ["-S", "-"] : [])));
  const shows = (shown: string, wanted: string | RegExp): boolean =>
    typeof wanted === "string" ? shown.includes(wanted) : wanted.test(shown);

  let shape = `${columns}x${rows}`;
  const screen: TmuxScreen = {
    capture,
    size: () => shape,
    async press(...keys) {
      // One by one: keys that are sent together may arrive as one piece, like a paste.
      for (const key of keys) {
        await control.run("send-keys", "-t", "main", key);
        await pause(KEY_EVERY_MS);
      }
    },
    async pressUntil(key, text) {
      for (let presses = 0; presses < MOST_PRESSES && !shows(await capture(), text); presses++) {
        await screen.press(key);
        await pause(PRESS_EVERY_MS);
      }
      await screen.see(text);
    },
    type: async (text) => void (await control.run("send-keys", "-t", "main", "-l", text)),
    async say(text) {
      await screen.type(text);
      await screen.see(text);
      await screen.press("Enter");
    },
    async keeps(name, text, gone) {
      await screen.see(text, gone);
      await expectScreen(name, screen);
    },
    async asks(question, name) {
      await screen.see(new RegExp(`${RegExp.escape(question)}[\\s\\S]*enter (confirms|answers)`));
      if (name !== undefined) await expectScreen(name, screen);
    },
    async answer(number) {
      const chosen = `❯ ${number}. `;
      // A key that changes nothing on the screen cannot be waited for: with the return behind it, it would be a paste.
      if (!shows(await capture(), chosen)) await screen.press(String(number));
      await screen.see(chosen);
      await screen.press("Enter");
    },
    async paste(text) {
      await tmux("set-buffer", text);
      await tmux("paste-buffer", "-p", "-t", "main");
    },
    async see(text, gone) {
      let before = "";
      let lookEveryMs = LOOK_EVERY_MS;
      for (let looks = 1; ; looks++) {
        const shown = await capture();
        const isThere = shows(shown, text) && (gone === undefined || !shows(shown, gone));
        // Wait for two equal screens, since a frame may arrive in two pieces.
        if (isThere && shown === before) return;
        if (looks === MOST_LOOKS) throw new Error(`${text} does not come. The screen shows:\n${shown}`);
        before = shown;
        lookEveryMs = isThere ? LOOK_EVERY_MS : Math.min(1.3 * lookEveryMs, LOOK_AT_LEAST_EVERY_MS);
        await pause(lookEveryMs);
      }
    },
    async resize(wide, high) {
      shape = `${wide}x${high}`;
      await tmux("resize-window", "-t", "main", "-x", String(wide), "-y", String(high));
    },
    async ended() {
      for (
        let looks = 1;
        (await control.run("display-message", "-p", "-t", "main", "#{pane_dead}")).trim() !== "1";
        looks++
      ) {
        if (looks === MOST_LOOKS) throw new Error(`It does not end. The screen shows:\n${await capture()}`);
        await pause(LOOK_AT_LEAST_EVERY_MS);
      }
    },
    pid: async () => Number(await control.run("display-message", "-p", "-t", "main", "#{pane_pid}")),
    start: async (given = args) => void (await tmux("respawn-pane", "-k", "-t", "main", line(given))),
  };
  return screen;
}

/** Answers the question of the first start in the settings of a home, unless they answer it already. */
async function answerMemory(environment: Cli["environment"]): Promise<void> {
  const { settings, problems } = await readUserSettings(agentHomeOf(environment));
  if (settings.memory !== undefined || problems.length > 0) return;
  await mergeJsonFile(join(agentHomeOf(environment), "settings.json"), { memory: "read" });
}

/** Replaces what differs between runs: times, the spinner, the path of the project. */
function normalized(screen: string): string {
  return (
    screen
      .replaceAll(/cache (warm|\d+%) \d+:\d\d/g, "cache $1 m:ss")
      .replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "⠿")
      .replaceAll(/\((\d+) s\b/g, "(n s")
      // The running time of an agent.
      .replaceAll(/(?<=\$\d\.\d{4} {2})\d+ s\b/g, "0 s")
      .replaceAll(/\/\S*palimpsest-agent-\w+\/project/g, "/project")
      .replaceAll(/\/\S*palimpsest-agent-\w+\//g, "/")
      .replaceAll(/project-[0-9a-f]{12}/g, "project-hash")
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "YYYY-MM-DD hh:mm")
      .replaceAll(/\d{4}-\d\d-\d\d/g, "YYYY-MM-DD")
      .replaceAll(
        /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
        "00000000-0000-0000-0000-000000000000",
      )
      .replaceAll(/^[0-9a-f]{8} /gm, "00000000 ")
      .replaceAll(/\(session [0-9a-f]{8},/g, "(session 00000000,")
      .replaceAll(/--resume [0-9a-f]{8}/g, "--resume 00000000")
      .replaceAll(/(?<=127\.0\.0\.1:)\d+\/#token=[\w-]+&session=[0-9a-f]+/g, "PORT/#token=TOKEN&session=KEY")
      // The running time of a tool, shown from its first second on.
      .replaceAll(/ +\(n s\)$/gm, "")
      .replaceAll(/[ ]+$/gm, "")
      .replace(/\n+$/, "\n")
  );
}
