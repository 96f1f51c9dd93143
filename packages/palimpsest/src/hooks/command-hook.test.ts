import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { commandHook } from "./command-hook.ts";
import { createHooks } from "./create-hooks.ts";

const DEADLINE_MS = 1_500;
/** Of a command that ends by itself. */
const LONG_DEADLINE_MS = 30_000;
/** What a hook may cost beyond its deadline, on a machine that has much to do: less than what it would wait for. */
const OVERRUN_MS = 30_000;

const input = { sessionId: "s", trigger: "auto" } as const;

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-hooks-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs one command as a hook; it may write the numbers of its processes to the file `pids`. */
async function runCommand(command: Parameters<typeof commandHook>[0], timeoutMs = 10_000) {
  const folder = temporaryFolder();
  const run = commandHook(command, { folder });
  const hooks = createHooks([{ event: "PreCompact", run, name: "it", timeoutMs }]);
  const startedAt = performance.now();
  const results = await hooks.run("PreCompact", input);
  const elapsedMs = performance.now() - startedAt;
  const pids = existsSync(join(folder, "pids")) ? readFileSync(join(folder, "pids"), "utf8") : "";
  return { ...results, elapsedMs, folder, pids: pids.split("\n").filter(Boolean).map(Number) };
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
  await expect.poll(() => pids.filter(isRunning), { timeout: 60_000, interval: 10 }).toEqual([]);
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
    ["hangs", `${note} sleep 60`, "timeout"],
    ["ignores every signal that it can", `${note} trap '' TERM INT HUP; while :; do sleep 0.05; done`, "timeout"],
    ["hangs with children", `${note} sleep 60 & echo $! >> pids; sleep 60`, "timeout"],
    ["closes its input and its outputs, and hangs", `${note} exec <&- >&- 2>&-; sleep 60`, "timeout"],
    ["floods its output", `${note} exec yes`, "error"],
    ["floods its errors", `${note} exec yes >&2`, "error"],
    ["crashes", `${note} kill -SEGV $$`, "error"],
  ])("when a command %s", async (_, command, kind) => {
    const { failures, elapsedMs, pids } = await runCommand(
      command,
      kind === "timeout" ? DEADLINE_MS : LONG_DEADLINE_MS,
    );
    expect(failures).toEqual([{ by: "it", kind, message: expect.any(String) }]);
    expect(elapsedMs).toBeLessThanOrEqual(DEADLINE_MS + OVERRUN_MS);
    expect(pids.length).toBeGreaterThan(0);
    await expectGone(pids);
  });

  test("when it leaves a child behind that holds its output: the answer counts, the child is gone", async () => {
    const { outputs, elapsedMs, pids } = await runCommand(`sleep 60 & echo $! >> pids; echo Done.`, LONG_DEADLINE_MS);
    expect(outputs).toEqual([{ by: "it", output: { newCustomInstructions: "Done." } }]);
    expect(elapsedMs).toBeLessThanOrEqual(OVERRUN_MS);
    await expectGone(pids);
  });

  test("when that child has left the group, so that it cannot be reached", async () => {
    // It has left the group when it writes: until then it would be killed with the command.
    const command = `setsid sh -c 'echo $$ >> pids; exec sleep 90' & until [ -s pids ]; do sleep 0.01; done; echo Done.`;
    const { outputs, elapsedMs, pids } = await runCommand(command, LONG_DEADLINE_MS);
    for (const pid of pids) process.kill(pid, "SIGKILL");
    expect(pids).toHaveLength(1);
    expect(outputs).toEqual([{ by: "it", output: { newCustomInstructions: "Done." } }]);
    expect(elapsedMs).toBeLessThanOrEqual(OVERRUN_MS);
  });

  test("when this process got no turn while its last words came: they are read", async () => {
    const kill = vi.spyOn(process, "kill");
    onTestFinished(() => kill.mockRestore());
    // As on a machine that has too much to do: the group is killed as soon as the command has ended, and then nothing happens for long.
    kill.mockImplementationOnce(() => {
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000));
      return true;
    });
    const command = `setsid sh -c 'sleep 0.3; echo Done.; exec sleep 5' & exit 0`;
    const { outputs } = await runCommand(command, LONG_DEADLINE_MS);
    expect(outputs).toEqual([{ by: "it", output: { newCustomInstructions: "Done." } }]);
  });

  test.each([
    ["and ends", `${note} exit 0`, LONG_DEADLINE_MS, []],
    ["and hangs", `${note} sleep 60`, DEADLINE_MS, [{ by: "it", kind: "timeout", message: expect.any(String) }]],
  ])("when it never reads the much that it is told %s", async (_, command, timeoutMs, expected) => {
    const folder = temporaryFolder();
    const run = commandHook(command, { folder });
    const hooks = createHooks([{ event: "PreCompact", run, name: "it", timeoutMs }]);
    const startedAt = performance.now();
    const { failures } = await hooks.run("PreCompact", { ...input, customInstructions: big });
    expect(performance.now() - startedAt).toBeLessThanOrEqual(OVERRUN_MS);
    expect(failures).toEqual(expected);
    await expectGone(readFileSync(join(folder, "pids"), "utf8").trim().split("\n").map(Number));
  });

  test("and a caller that gives up ends all of them at once", async () => {
    const folder = temporaryFolder();
    const run = commandHook(`${note} trap '' TERM; sleep 60`, { folder });
    const hooks = createHooks(Array.from({ length: 3 }, () => ({ event: "SessionEnd", run }) as const));
    const giveUp = new AbortController();
    const running = hooks.run("SessionEnd", { sessionId: "s" }, { signal: giveUp.signal });
    const pids = () => (existsSync(join(folder, "pids")) ? readFileSync(join(folder, "pids"), "utf8") : "");
    await expect.poll(() => pids().trim().split("\n").length, { timeout: 60_000, interval: 10 }).toBe(3);
    const startedAt = performance.now();
    giveUp.abort();
    const { failures } = await running;
    expect(performance.now() - startedAt).toBeLessThanOrEqual(OVERRUN_MS);
    expect(failures.map(({ kind }) => kind)).toEqual(["aborted", "aborted", "aborted"]);
    await expectGone(pids().trim().split("\n").map(Number));
  });

  test("and nothing is started for a caller that has given up before", async () => {
    const folder = temporaryFolder();
    const hooks = createHooks([{ event: "SessionEnd", run: commandHook("touch started", { folder }) }]);
    const { failures } = await hooks.run("SessionEnd", { sessionId: "s" }, { signal: AbortSignal.abort() });
    expect(failures.map(({ kind }) => kind)).toEqual(["aborted"]);
    expect(existsSync(join(folder, "started"))).toBe(false);
  });
});
