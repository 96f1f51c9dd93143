import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { commandHook } from "./command.ts";
import { createHooks } from "./run.ts";

/** Passes only in tests that advance the clock: no command takes this long, even on a busy machine. */
const DEADLINE_MS = 300_000;
/** Takes longer than a test may take, so a hook that waits for its end never answers. */
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

/** Starts one command as a hook. The command may write its process ids to the file `pids`. */
function startCommand(
  command: Parameters<typeof commandHook>[0],
  { folder = temporaryFolder(), ...more }: CommandRun = {},
) {
  const run = commandHook(command, { folder });
  const hooks = createHooks([{ event: "PreCompact", run, name: "it", timeoutMs: DEADLINE_MS }]);
  return { results: hooks.run("PreCompact", { ...input, ...more }), pids: () => readPids(folder) };
}

async function runCommand(command: Parameters<typeof commandHook>[0], options?: CommandRun) {
  const { results, pids } = startCommand(command, options);
  return { ...(await results), pids: pids() };
}

/** Lets the deadline pass as soon as the command has written this number of process ids. */
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

/** A zombie process counts as ended. */
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

describe("the answer of a command", () => {
  test.each([
    ["reads a text", "echo Keep the numbers.", { newCustomInstructions: "Keep the numbers." }],
    [
      "reads JSON",
      `echo '{"newCustomInstructions": "Keep.", "userDisplayMessage": "Kept.", "unknown": 1}'`,
      { newCustomInstructions: "Keep.", userDisplayMessage: "Kept." },
    ],
    ["removes colors", `printf '\\033[31mRed.\\033[0m'`, { newCustomInstructions: "Red." }],
  ])("%s", async (_, command, output) => {
    const { outputs, failures } = await runCommand(command);
    expect(failures).toEqual([]);
    expect(outputs).toEqual([{ by: "it", output }]);
  });

  test("is empty if the command writes nothing", async () => {
    expect(await runCommand("cat > /dev/null")).toMatchObject({ outputs: [], failures: [], messages: [] });
  });

  test("blocks on exit code 2, with standard error as the reason", async () => {
    const { blocked, failures } = await runCommand("echo 'Not on Fridays.' >&2; exit 2");
    expect(blocked).toEqual({ reason: "Not on Fridays.", by: "it" });
    expect(failures).toEqual([]);
  });

  test.each([
    ["another exit code", "echo broken >&2; exit 3", "error", "exit code 3: broken"],
    ["a signal", "kill -9 $$", "error", "SIGKILL"],
    ["an unknown command", "no-such-command-at-all", "error", "exit code 127"],
    ["incomplete JSON", `echo '{"newCustomInstructions":'`, "invalid", "begins like JSON"],
    ["a wrong field", `echo '{"block": 5}'`, "invalid", "block cannot be of type number"],
  ])("is a failure after %s", async (_, command, kind, message) => {
    const { outputs, failures, blocked } = await runCommand(command);
    expect(blocked).toBeUndefined();
    expect(outputs).toEqual([]);
    expect(failures).toEqual([{ by: "it", kind, message: expect.stringContaining(message) }]);
  });

  test("is a failure if the program does not exist, without a shell", async () => {
    const { failures } = await runCommand(["no-such-program-at-all", "x"]);
    expect(failures).toEqual([{ by: "it", kind: "error", message: expect.stringContaining("could not be started") }]);
  });

  test("keeps the beginning of a long output, without an incomplete character", async () => {
    const { outputs, failures } = await runCommand("yes é | tr -d '\\n' | head -c 200001; exit 0");
    expect(failures).toEqual([]);
    const text = outputs[0]!.output.newCustomInstructions!;
    expect(text).toBe("é".repeat(32_768));
  });
});

describe("the input of a command", () => {
  const hostile = [
    "$(touch canary)",
    "`touch canary`",
    "'; touch canary; '",
    '"; touch canary; "',
    "a\ntouch canary\n",
    "%s \\n $IFS && touch canary || touch canary | touch canary > canary",
    "\u0000 \u2028 \ud83d\ude00 \\",
  ];

  test.each(hostile)("arrives unchanged on standard input, and never in the command line: %j", async (text) => {
    const folder = temporaryFolder();
    const run = commandHook("cat > message", { folder, environment: { PATH: process.env["PATH"] } });
    const hooks = createHooks([{ event: "PreCompact", run }]);
    const { failures } = await hooks.run("PreCompact", { ...input, customInstructions: text });
    expect(failures).toEqual([]);
    expect(JSON.parse(readFileSync(join(folder, "message"), "utf8"))).toEqual({
      event: "PreCompact",
      ...input,
      customInstructions: text,
    });
    expect(existsSync(join(folder, "canary"))).toBe(false);
  });

  test("includes only the environment variables of the host", async () => {
    const run = commandHook("echo $GREETING $HOME", { environment: { PATH: process.env["PATH"], GREETING: "hi" } });
    const { outputs } = await createHooks([{ event: "PreCompact", run }]).run("PreCompact", input);
    expect(outputs[0]!.output.newCustomInstructions).toBe("hi");
  });
});

describe("a command", () => {
  const note = "echo $$ >> pids;";
  const big = "x".repeat(4_000_000);

  test.each([
    ["hangs", `${note} ${HANG}`, 1],
    ["ignores all signals that it can ignore", `trap '' TERM INT HUP; ${note} while :; do sleep 0.05; done`, 1],
    ["hangs with children", `${note} ${HANG} & echo $! >> pids; ${HANG}`, 2],
    ["closes its input and its outputs, and hangs", `exec <&- >&- 2>&-; ${note} ${HANG}`, 1],
  ])("is killed at the deadline if it %s", async (_, command, processes) => {
    const { failures, pids } = await runPastDeadline(command, processes);
    expect(failures).toEqual([{ by: "it", kind: "timeout", message: expect.any(String) }]);
    await expectGone(pids);
  });

  test.each([
    ["floods its output", `${note} exec yes`],
    ["floods its errors", `${note} exec yes >&2`],
    ["crashes", `${note} kill -SEGV $$`],
  ])("fails at once if it %s", async (_, command) => {
    const { failures, pids } = await runCommand(command);
    expect(failures).toEqual([{ by: "it", kind: "error", message: expect.any(String) }]);
    expect(pids).toHaveLength(1);
    await expectGone(pids);
  });

  test("answers, and its background child is killed, if the child keeps the output open", async () => {
    const { outputs, pids } = await runCommand(`${HANG} & echo $! >> pids; echo Done.`);
    expect(outputs).toEqual([{ by: "it", output: { newCustomInstructions: "Done." } }]);
    await expectGone(pids);
  });

  test("answers if a child outside of its process group keeps the output open", async () => {
    // The child writes its id after it has left the group: before that, it would be killed with the command.
    const command = `setsid sh -c 'echo $$ >> pids; exec ${HANG}' & until [ -s pids ]; do sleep 0.01; done; echo Done.`;
    const { outputs, pids } = await runCommand(command);
    for (const pid of pids) process.kill(pid, "SIGKILL");
    expect(pids).toHaveLength(1);
    expect(outputs).toEqual([{ by: "it", output: { newCustomInstructions: "Done." } }]);
  });

  test("answers with its last output if this process was busy when the output came", async () => {
    const kill = vi.spyOn(process, "kill");
    onTestFinished(() => kill.mockRestore());
    const folder = temporaryFolder();
    const sleep = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    // Simulates a busy machine: this process is blocked between the end of the command and its last output.
    kill.mockImplementationOnce(() => {
      setImmediate(() => {
        writeFileSync(join(folder, "blocked"), "");
        while (!existsSync(join(folder, "written"))) sleep(10);
        // Longer than the time that the hook waits for the last output.
        sleep(500);
      });
      return true;
    });
    // The loop also ends when the test has removed the folder.
    const left = `while [ -d ${folder} ] && [ ! -e blocked ]; do sleep 0.01; done; echo Done.; echo $$ >> pids; touch written; exec ${HANG}`;
    const { outputs, pids } = await runCommand(`setsid sh -c '${left}' & exit 0`, { folder });
    for (const pid of pids) process.kill(pid, "SIGKILL");
    expect(outputs).toEqual([{ by: "it", output: { newCustomInstructions: "Done." } }]);
  });

  test("answers if it ends without reading a large input", async () => {
    const { failures, pids } = await runCommand(`${note} exit 0`, { customInstructions: big });
    expect(failures).toEqual([]);
    await expectGone(pids);
  });

  test("is killed at the deadline if it hangs without reading a large input", async () => {
    const { failures, pids } = await runPastDeadline(`${note} ${HANG}`, 1, { customInstructions: big });
    expect(failures).toEqual([{ by: "it", kind: "timeout", message: expect.any(String) }]);
    await expectGone(pids);
  });

  test("is killed at once if the caller aborts", async () => {
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

  test("is not started if the caller has aborted before", async () => {
    const folder = temporaryFolder();
    const hooks = createHooks([{ event: "SessionEnd", run: commandHook("touch started", { folder }) }]);
    const { failures } = await hooks.run("SessionEnd", { sessionId: "s" }, { signal: AbortSignal.abort() });
    expect(failures.map(({ kind }) => kind)).toEqual(["aborted"]);
    expect(existsSync(join(folder, "started"))).toBe(false);
  });
});
