import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { manualClock } from "@palimpsest/provider-simulator";
import { type Cli, type Ended, startCli } from "../../apps/agent/src/testing/run-cli.ts";
import { createHere, type Talk } from "../../apps/agent/src/testing/run-here.ts";
import type { TemporaryProject } from "../../apps/agent/src/testing/temporary-project.ts";
import { createModelScript } from "./model-script.ts";
import type { Span } from "./replay-edits.ts";
import { STARTED, TASKS } from "./tasks.ts";

/** What was done in a day, for whoever judges it. Places are numbers of the provider's exchanges. */
export interface Day {
  readonly cli: Cli;
  /** How each turn of the long talk in the morning ended. */
  readonly talked: readonly string[];
  readonly commands: readonly (Ended & { readonly args: readonly string[] })[];
  readonly pausedAt: number;
  /** What was asked and taken back later, with the files before it and after going back. */
  readonly wrong: Span;
  readonly filesBeforeWrong: Files;
  readonly filesAfterRewind: Files;
  /** The compaction that was taken back. */
  readonly undone: Span;
  /** The process that was killed, and the first exchange after it. */
  readonly killed: { readonly code: number | null; readonly at: number };
  readonly log: readonly LogLine[];
  readonly costs: { readonly breaks: readonly { readonly causes: readonly string[] }[] };
  readonly sessions: readonly unknown[];
  /** What lies in the repository. */
  files(): Files;
  git(...args: readonly string[]): string;
}

type Files = Readonly<Record<string, string>>;

interface LogLine {
  readonly sequence: number;
  readonly kind: string;
  readonly atMs: number;
  readonly payload: Readonly<Record<string, unknown>> & { readonly compaction?: { readonly trigger: string } };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
// A star stands for operands, so an option of Node that runs code needs its own rule.
const RULES = ["--allow", "Bash(node *)", "--allow", "Bash(node --test)"];
const PERMITTED = ["--mode", "accept-edits", ...RULES, "--max-rounds", "12"];
/** So that a day with small files fills what may be filled: 2.5% of a million. */
const ENGINE = { compactAt: 2.5 };

/** Forty turns, a long pause, a wrong way, a process that dies. The provider's clock and the session's are one. */
export async function runADay(project: TemporaryProject): Promise<Day> {
  // Processes of their own have the system's clock. They come last, so the day began some time ago.
  const clock = manualClock(Date.now() - 12 * HOUR_MS);
  const cli = await startCli(project, createModelScript(TASKS), { clock });
  const here = createHere({ ...cli, clock });
  const service = ["--base-url", cli.server.url];
  const options = [...PERMITTED, ...service];
  const talked: string[] = [];
  const commands: (Ended & { readonly args: readonly string[] })[] = [];

  mkdirSync(join(project.home, ".palimpsest"), { mode: 0o700 });
  writeFileSync(join(project.home, ".palimpsest/engine.json"), JSON.stringify(ENGINE), { mode: 0o600 });
  git("init", "-q");
  commit("begun");

  // The morning: one process, message after message. It stays open through a pause of eight hours.
  const talk = here.talk(options);
  await talkAbout(talk, 1, 16);
  commit("the morning");
  const pausedAt = exchanges();
  await passQuietly(8 * HOUR_MS);
  await talkAbout(talk, 17, 20);
  await talk.leave();
  commit("after the pause");

  // A command for each turn. The conversation is folded; then a wrong way is gone, and taken back.
  await command(["sessions", "compact", "Keep", "the", "names.", ...service]);
  await runTasks(21, 24);
  const filesBeforeWrong = files();
  const wrongFrom = exchanges();
  await runTasks(25, 27);
  const wrong = { from: wrongFrom, to: exchanges() };
  await command(["sessions", "rewind", String(await entryOf(25))]);
  const filesAfterRewind = files();
  await runTasks(28, 31);
  commit("the afternoon");

  // Folded once more, and taken back: the conversation stands there as before.
  const undoneFrom = exchanges();
  await command(["sessions", "compact", ...service]);
  await command(["sessions", "undo"]);
  const undone = { from: undoneFrom, to: exchanges() };
  await runTasks(32, 34);

  // Processes of their own: one is killed in the middle of a command, the next goes on.
  clock.set(Date.now());
  const killed = await killInTheMiddle(35);
  await command(["--continue", ...options], cli.run);
  await runTasks(36, 36, cli.run);
  clock.set(Date.now());
  await runTasks(37, 40);
  commit("the evening");

  const lines = (await command(["sessions", "export"])).out.split("\n");
  return {
    cli,
    talked,
    commands,
    pausedAt,
    wrong,
    filesBeforeWrong,
    filesAfterRewind,
    undone,
    killed,
    files,
    git,
    log: lines.map((line) => JSON.parse(line)),
    costs: JSON.parse((await command(["sessions", "cost", "--json"])).out),
    sessions: JSON.parse((await command(["sessions", "--json"])).out),
  };

  async function talkAbout({ say }: Talk, from: number, to: number): Promise<void> {
    for (let task = from; task <= to; task++) {
      workFor(task);
      talked.push((await say(ask(task))).outcome);
    }
  }

  async function runTasks(from: number, to: number, run = here.run): Promise<void> {
    for (let task = from; task <= to; task++) {
      if (run === here.run) workFor(task);
      await command(["-c", "-p", ask(task), ...options], run);
    }
  }

  async function command(args: readonly string[], run = here.run): Promise<Ended> {
    const ended = await run(args);
    commands.push({ args, ...ended });
    return ended;
  }

  async function killInTheMiddle(task: number): Promise<Day["killed"]> {
    const { process: child, ended } = cli.start(["-c", "-p", ask(task), ...options]);
    while (!existsSync(join(project.folder, STARTED)) && child.exitCode === null) await sleep(10);
    child.kill("SIGKILL");
    const { code } = await ended;
    return { code, at: exchanges() };
  }

  function ask(task: number): string {
    return `Task ${task}: ${TASKS[task - 1]!.ask}`;
  }

  /** The number that `palimpsest sessions show` has for it. */
  async function entryOf(task: number): Promise<number> {
    const { out } = await here.run(["sessions", "show"]);
    const [shown] = out.split("\n--- ").filter((one) => one.includes(ask(task)));
    return Number.parseInt(shown!, 10);
  }

  /** What the user does before he asks for it. */
  function workFor(task: number): void {
    clock.advance(((task * 7) % 11) * MINUTE_MS + 20_000);
  }

  /** Minute by minute, so that whatever is to happen in a pause happens at its time. */
  async function passQuietly(forMs: number): Promise<void> {
    for (let passedMs = 0; passedMs < forMs; passedMs += MINUTE_MS) {
      clock.advance(MINUTE_MS);
      await sleep(1);
    }
  }

  function exchanges(): number {
    return cli.server.recorder.exchanges.length;
  }

  function git(...args: readonly string[]): string {
    const who = ["-c", "user.name=a", "-c", "user.email=a@b"];
    return execFileSync("git", [...who, ...args], { cwd: project.folder, encoding: "utf8" });
  }

  function commit(message: string): void {
    git("add", "-A");
    git("commit", "-qm", message);
  }

  function files(): Files {
    const paths = git("ls-files", "--cached", "--others", "--exclude-standard").trim().split("\n");
    const there = paths.filter((path) => existsSync(join(project.folder, path)));
    return Object.fromEntries(there.map((path) => [path, project.text(path)]));
  }
}
