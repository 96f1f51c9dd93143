import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { commandHook } from "./command.ts";
import { createHooks } from "./run.ts";

/** Passes only in tests that move the clock: no command takes so long, however busy the machine is. */
const DEADLINE_MS = 300_000;
/** Takes longer than a test may: a hook that waits for its end never answers. */
const HANG = "sleep 900";

const input = { sessionId: "s", trigger: "auto" } as const;

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-hooks-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface CommandRun {
  readonly folder?: string;
  readonly customInstructions?: string;
}

/** Starts one command as a hook; it may write the numbers of its processes to the file `pids`. */
function startCommand(
  command: Parameters<typeof commandHook>[0],
  { folder = temporaryFolder(), ...told }: CommandRun = {},
) {
  const run = commandHook(command, { folder });
  const hooks = createHooks([{ event: "PreCompact", run, name: "it", timeoutMs: DEADLINE_MS }]);
  return { results: hooks.run("PreCompact", { ...input, ...told }), pids: () => readPids(folder) };
}

async function runCommand(command: Parameters<typeof commandHook>[0], options?: CommandRun) {
  const { results, pids } = startCommand(command, options);
  return { ...(await results), pids: pids() };
}

/** Lets the deadline pass as soon as the command has written the numbers of so many processes. */
async function runPastDeadline(command: string, processes: number, options?: CommandRun) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { results, pids } = startCommand(command, options);
  await expect.poll(() => pids().length, { interval: 10 }).toBe(processes);
  vi.advanceTimersByTime(DEADLINE_MS);
  return { ...(await results), pids: pids() };
}

function readPids(folder: string): readonly number[] {
  const path = join(folder, "pids");
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean).map(Number) : [];
}

/** A killed process is there until it was reaped; one that is only that does nothing any more. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

async function expectGone(pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.filter(isRunning), { interval: 10 }).toEqual([]);
}

describe("what a command answers", () => {
  test.each([
    ["text", "echo Keep the numbers.", { newCustomInstructions: "Keep the numbers." }],
    [
      "JSON",
      `echo '{"newCustomInstructions": "Keep.", "userDisplayMessage": "Kept.", "unknown": 1}'`,
      { newCustomInstructions: "Keep.", userDisplayMessage: "Kept." },
    ],
    ["colours", `printf '\\033[31mRed.\\033[0m'`, { newCustomInstructions: "Red." }],
  ])("%s", async (_, command, output) => {
    const { outputs, failures } = await runCommand(command);
    expect(failures).toEqual([]);
    expect(outputs).toEqual([{ by: "it", output }]);
  });

  test("nothing", async () => {
    expect(await runCommand("cat > /dev/null")).toMatchObject({ outputs: [], failures: [], messages: [] });
  });

  test("exit code 2 blocks, with standard error as the reason", async () => {
    const { blocked, failures } = await runCommand("echo 'Not on Fridays.' >&2; exit 2");
    expect(blocked).toEqual({ reason: "Not on Fridays.", by: "it" });
    expect(failures).toEqual([]);
  });

  test.each([
    ["another exit code", "echo broken >&2; exit 3", "error", "exit code 3: broken"],
    ["a signal", "kill -9 $$", "error", "SIGKILL"],
    ["no such command", "no-such-command-at-all", "error", "exit code 127"],
    ["half of a JSON", `echo '{"newCustomInstructions":'`, "invalid", "begins as JSON"],
    ["a wrong field", `echo '{"block": 5}'`, "invalid", "block cannot be of type number"],
  ])("%s is a failure", async (_, command, kind, message) => {
    const { outputs, failures, blocked } = await runCommand(command);
    expect(blocked).toBeUndefined();
    expect(outputs).toEqual([]);
    expect(failures).toEqual([{ by: "it", kind, message: expect.stringContaining(message) }]);
  });

  test("a program that is not there, without a shell, is a failure", async () => {
    const { failures } = await runCommand(["no-such-program-at-all", "x"]);
    expect(failures).toEqual([{ by: "it", kind: "error", message: expect.stringContaining("could not be started") }]);
  });

  test("what fits is kept, and a character that was cut is left out", async () => {
    const { outputs, failures } = await runCommand("yes é | tr -d '\\n' | head -c 200001; exit 0");
    expect(failures).toEqual([]);
    const text = outputs[0]!.output.newCustomInstructions!;
    expect(text).toBe("é".repeat(32_768));
  });
});

describe("what a command is told", () => {
  const hostile = [
    "$(touch canary)",
    "`touch canary`",
    "'; touch canary; '",
    '"; touch canary; "',
    "a\ntouch canary\n",
    "%s \\n $IFS && touch canary || touch canary | touch canary > canary",
    "\u0000 \u2028 \ud83d\ude00 \\",
  ];

  test.each(hostile)("comes byte for byte on its standard input, and never in the line: %j", async (text) => {
    const folder = temporaryFolder();
    const run = commandHook("cat > told", { folder, environment: { PATH: process.env["PATH"] } });
    const hooks = createHooks([{ event: "PreCompact", run }]);
    const { failures } = await hooks.run("PreCompact", { ...input, customInstructions: text });
    expect(failures).toEqual([]);
    expect(JSON.parse(readFileSync(join(folder, "told"), "utf8"))).toEqual({
      event: "PreCompact",
      ...input,
      customInstructions: text,
    });
    expect(existsSync(join(folder, "canary"))).toBe(false);
  });

  test("its environment is what the host says, and only that", async () => {
    const run = commandHook("echo $GREETING $HOME", { environment: { PATH: process.env["PATH"], GREETING: "hi" } });
    const { outputs } = await createHooks([{ event: "PreCompact", run }]).run("PreCompact", input);
    expect(outputs[0]!.output.newCustomInstructions).toBe("hi");
  });
});

describe("a deadline holds", () => {
  const note = "echo $$ >> pids;";
  const big = "x".repeat(4_000_000);

  test.each([
    ["hangs", `${note} ${HANG}`, 1],
    ["ignores every signal that it can", `trap '' TERM INT HUP; ${note} while :; do sleep 0.05; done`, 1],
    ["hangs with children", `${note} ${HANG} & echo $! >> pids; ${HANG}`, 2],
    ["closes its input and its outputs, and hangs", `exec <&- >&- 2>&-; ${note} ${HANG}`, 1],
  ])("when a command %s", async (_, command, processes) => {
    const { failures, pids } = await runPastDeadline(command, processes);
    expect(failures).toEqual([{ by: "it", kind: "timeout", message: expect.any(String) }]);
    await expectGone(pids);
  });

  test.each([
    ["floods its output", `${note} exec yes`],
    ["floods its errors", `${note} exec yes >&2`],
    ["crashes", `${note} kill -SEGV $$`],
  ])("and is not waited for when a command %s", async (_, command) => {
    const { failures, pids } = await runCommand(command);
    expect(failures).toEqual([{ by: "it", kind: "error", message: expect.any(String) }]);
    expect(pids).toHaveLength(1);
    await expectGone(pids);
  });

  test("when it leaves a child behind that holds its output: the answer counts, the child is gone", async () => {
    const { outputs, pids } = await runCommand(`${HANG} & echo $! >> pids; echo Done.`);
    expect(outputs).toEqual([{ by: "it", output: { newCustomInstructions: "Done." } }]);
    await expectGone(pids);
  });

  test("when that child has left the group, so that it cannot be reached", async () => {
    // It has left the group when it writes: until then it would be killed with the command.
    const command = `setsid sh -c 'echo $$ >> pids; exec ${HANG}' & until [ -s pids ]; do sleep 0.01; done; echo Done.`;
    const { outputs, pids } = await runCommand(command);
    for (const pid of pids) process.kill(pid, "SIGKILL");
    expect(pids).toHaveLength(1);
    expect(outputs).toEqual([{ by: "it", output: { newCustomInstructions: "Done." } }]);
  });

  test("when this process got no turn while its last words came: they are read", async () => {
    const kill = vi.spyOn(process, "kill");
    onTestFinished(() => kill.mockRestore());
    const folder = temporaryFolder();
    const sleep = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    // As on a machine that has too much to do: the command has ended, and this process stands still while the last words come.
    kill.mockImplementationOnce(() => {
      setImmediate(() => {
        writeFileSync(join(folder, "stands-still"), "");
        while (!existsSync(join(folder, "said"))) sleep(10);
        // Longer than the time for last output.
        sleep(500);
      });
      return true;
    });
    // It also ends if the test has ended without it.
    const left = `while [ -d ${folder} ] && [ ! -e stands-still ]; do sleep 0.01; done; echo Done.; echo $$ >> pids; touch said; exec ${HANG}`;
    const { outputs, pids } = await runCommand(`setsid sh -c '${left}' & exit 0`, { folder });
    for (const pid of pids) process.kill(pid, "SIGKILL");
    expect(outputs).toEqual([{ by: "it", output: { newCustomInstructions: "Done." } }]);
  });

  test("when it never reads the much that it is told and ends", async () => {
    const { failures, pids } = await runCommand(`${note} exit 0`, { customInstructions: big });
    expect(failures).toEqual([]);
    await expectGone(pids);
  });

  test("when it never reads the much that it is told and hangs", async () => {
    const { failures, pids } = await runPastDeadline(`${note} ${HANG}`, 1, { customInstructions: big });
    expect(failures).toEqual([{ by: "it", kind: "timeout", message: expect.any(String) }]);
    await expectGone(pids);
  });

  test("and a caller that gives up ends all of them at once", async () => {
    const folder = temporaryFolder();
    const run = commandHook(`trap '' TERM; ${note} ${HANG}`, { folder });
    const hook = { event: "SessionEnd", run, timeoutMs: DEADLINE_MS } as const;
    const hooks = createHooks([hook, hook, hook]);
    const giveUp = new AbortController();
    const running = hooks.run("SessionEnd", { sessionId: "s" }, { signal: giveUp.signal });
    await expect.poll(() => readPids(folder).length, { interval: 10 }).toBe(3);
    giveUp.abort();
    const { failures } = await running;
    expect(failures.map(({ kind }) => kind)).toEqual(["aborted", "aborted", "aborted"]);
    await expectGone(readPids(folder));
  });

  test("and nothing is started for a caller that has given up before", async () => {
    const folder = temporaryFolder();
    const hooks = createHooks([{ event: "SessionEnd", run: commandHook("touch started", { folder }) }]);
    const { failures } = await hooks.run("SessionEnd", { sessionId: "s" }, { signal: AbortSignal.abort() });
    expect(failures.map(({ kind }) => kind)).toEqual(["aborted"]);
    expect(existsSync(join(folder, "started"))).toBe(false);
  });
});
