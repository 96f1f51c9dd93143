import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { AgentToolContext } from "../../permissions/agent-tool.ts";
import { call, temporaryProject, textOf } from "../../testing/temporary-project.ts";
import { commandEnvironment } from "../../workspace/command-environment.ts";
import { createPathGuard } from "../../workspace/path-guard.ts";
import { createBackgroundCommands } from "./background-commands.ts";
import { type BashPorts, bashOutputTool, bashTool, killBashTool } from "./bash.ts";

async function setUp(ports: Partial<BashPorts> = {}) {
  const project = temporaryProject({ "in/a.txt": "a" });
  const background = createBackgroundCommands(join(project.home, "background"));
  onTestFinished(() => background.close());
  const tool = bashTool({
    guard: await createPathGuard(project.folder),
    sandbox: { kind: "none", reason: "This is a test." },
    environment: commandEnvironment(process.env),
    background,
    shell: "/bin/bash",
    ...ports,
  });
  const { folder } = project;
  return {
    ...project,
    background,
    bash: (command: string, input: object = {}, context: Partial<AgentToolContext> = {}) =>
      call(tool, { command, ...input }, { folder, ...context }),
    output: async (id: string) => textOf(await call(bashOutputTool(background), { id }, { folder })),
    kill: async (id: string) => textOf(await call(killBashTool(background), { id }, { folder })),
  };
}

/** Whether a process runs. A killed process that was not yet reaped counts as ended. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

async function expectGone(file: string): Promise<void> {
  const pids = readFileSync(file, "utf8").trim().split("\n").map(Number);
  expect(pids.length).toBeGreaterThan(1);
  await expect.poll(() => pids.filter(isRunning), { interval: 10 }).toEqual([]);
}

/** Waits until the test creates the file `go`. */
const WHEN_TOLD = "until [ -e go ]; do sleep 0.02; done;";

describe("the end of a command", () => {
  test.each([
    ["well", "echo one; echo two >&2; echo three", { content: "one\ntwo\nthree", status: "ok" }],
    ["without a word", "true", { content: "(no output)", status: "ok" }],
    ["with an exit code", "echo no; exit 3", { content: "no\n[exit code 3]", status: "error" }],
    ["by a signal", "kill -9 $$", { content: "[SIGKILL]", status: "error" }],
    [
      "with an error of bash",
      "no-such-command",
      { content: expect.stringContaining("[exit code 127]"), status: "error" },
    ],
    ["with half a quote", "echo '", { content: expect.stringContaining("unexpected EOF"), status: "error" }],
    ["with colours", String.raw`printf '\033[31mred\033[0m \033]52;c;eA==\007x\n'`, { content: "red x", status: "ok" }],
    ["at the end of its input", "cat; read line; echo end", { content: "end", status: "ok" }],
  ])("%s", async (_, command, outcome) => {
    const { bash } = await setUp();
    expect(await bash(command)).toEqual(outcome);
  });
});

test("keeps the working folder between commands, inside the project", async () => {
  const { bash, folder } = await setUp();
  await bash("cd in; exit 1");
  expect(await textOf(await bash("pwd"))).toBe(join(folder, "in"));
  expect(await textOf(await bash("cd /"))).toContain("/ lies outside of the project: the next command begins in");
  expect(await textOf(await bash("pwd"))).toBe(folder);
  mkdirSync(join(folder, "b c'd"));
  await bash(`cd "b c'd"`);
  expect(await textOf(await bash("pwd"))).toBe(join(folder, "b c'd"));
});

test("passes only known variables and variables from the settings", async () => {
  const environment = commandEnvironment({
    PATH: process.env["PATH"],
    SOME_API_KEY: "k",
    GITHUB_TOKEN: "t",
    AWS_SECRET_ACCESS_KEY: "s",
    KEYBOARD: "us",
    BASH_ENV: "/evil",
    MONKEY: "m",
    DB_PASSWORD: "p",
    KEPT_TOKEN: "kept",
    GITHUB_PAT: "g",
    DB_PASS: "d",
    BW_SESSION: "b",
    REDIS_URL: "r",
    LC_ALL: "C",
    GOPATH: "/go",
  });
  const { bash } = await setUp({ environment });
  const text = await textOf(await bash("env"));
  expect(text).toContain("LC_ALL=C");
  expect(text).toContain("GOPATH=/go");
  expect(text).not.toMatch(/API_KEY|TOKEN|SECRET|PASSWORD|BASH_ENV|KEYBOARD|MONKEY|PAT=|PASS|SESSION|REDIS/);
  expect(commandEnvironment({ KEPT_TOKEN: "kept" }, ["KEPT_TOKEN"])).toMatchObject({ KEPT_TOKEN: "kept" });
});

describe("all of a command's processes end", () => {
  // The processes run longer than a test may, so a tool that waited for them would not return.
  const family =
    "echo $$ > pids; (trap '' TERM; echo $BASHPID >> pids; sleep 900) & (echo $BASHPID >> pids; sleep 900) &";
  const countPids = (folder: string): number =>
    existsSync(join(folder, "pids")) ? readFileSync(join(folder, "pids"), "utf8").trim().split("\n").length : 0;

  test("at the timeout, even if they ignore signals", async () => {
    const { bash, folder } = await setUp();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const running = bash(`echo started; ${family} wait`, { timeout_ms: 600_000 });
    await expect.poll(() => countPids(folder), { interval: 10 }).toBe(3);
    vi.advanceTimersByTime(600_000);
    vi.useRealTimers();
    expect(await running).toEqual({
      content: "started\n[ended after 600 s; use run_in_background for what takes longer]",
      status: "error",
    });
    await expectGone(join(folder, "pids"));
  });

  test("when the call is aborted", async () => {
    const { bash, folder } = await setUp();
    const abort = new AbortController();
    const running = bash(`${family} wait`, {}, { signal: abort.signal });
    await expect.poll(() => countPids(folder)).toBe(3);
    abort.abort();
    await expect(running).rejects.toThrow("aborted");
    await expectGone(join(folder, "pids"));
  });

  test("when the command ends and leaves them running", async () => {
    const { bash, folder } = await setUp();
    const left = `${family} until [ $(wc -l < pids) = 3 ]; do sleep 0.02; done; echo done`;
    expect(await textOf(await bash(left, { timeout_ms: 600_000 }))).toBe("done");
    await expectGone(join(folder, "pids"));
  });
});

describe("large output", () => {
  test("is streamed completely, followed by how the command ended", async () => {
    const { bash } = await setUp();
    const outcome = await bash("seq 1 200000; exit 3");
    expect(typeof outcome.content).toBe("object");
    // A slow reader loses nothing, although the command ends long before.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const lines = (await textOf(outcome)).split("\n");
    expect(lines.length).toBe(200_002);
    expect(lines.slice(-3)).toEqual(["200000", "", "[exit code 3]"]);
  });

  test("is not held in memory, and the command ends when the reader stops", async () => {
    const { bash, folder } = await setUp();
    const before = process.memoryUsage().rss;
    const outcome = await bash("echo $$ > pids; echo $$ >> pids; exec yes");
    const chunks = (outcome.content as AsyncIterable<string>)[Symbol.asyncIterator]();
    let characters = 0;
    while (characters < 20_000_000) characters += (await chunks.next()).value.length;
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
    await chunks.return?.();
    await expectGone(join(folder, "pids"));
  });

  test("is shown on the screen while the command runs", async () => {
    const { bash, folder } = await setUp();
    const emitted: string[] = [];
    const onOutput = (text: string): void => {
      emitted.push(text);
      writeFileSync(join(folder, "go"), "");
    };
    await bash(`echo one; ${WHEN_TOLD} echo two`, {}, { onOutput });
    expect(emitted).toEqual(["one\n", "two\n"]);
  });
});

describe("in the background", () => {
  test("a command runs on, its output is read in pieces, and it can be ended", async () => {
    const { bash, output, kill, background, folder } = await setUp();
    const command = `echo one; ${WHEN_TOLD} echo two; sleep 600`;
    expect(await textOf(await bash(command, { run_in_background: true }))).toContain("as b1");
    await expect.poll(() => output("b1")).toBe("one\n[b1: running]");
    writeFileSync(join(folder, "go"), "");
    await expect.poll(() => output("b1")).toBe("two\n[b1: running]");
    expect(await output("b1")).toBe("[b1: running]");
    expect(await kill("b1")).toBe("b1 was ended.");
    expect(await output("b1")).toBe("[b1: was ended]");
    expect(await kill("b1")).toBe("b1 had ended already.");
    expect(background.list()).toEqual([]);
    expect(await output("b9")).toBe('There is no command "b9". Running: none.');
  });

  test("a running command, or one about to start, can be moved there", async () => {
    const { bash, background } = await setUp();
    const running = bash("sleep 600");
    expect(await background.take()).toBe(1);
    expect(await textOf(await running)).toContain("moved the command to the background as b1");
    expect(background.list()).toEqual([{ id: "b1", command: "sleep 600" }]);
    expect(await background.take()).toBe(0);
    await background.close();
  });

  test("reading tells how a command ended, and splits long output", async () => {
    const { bash, output } = await setUp();
    await bash("yes é | head -n 30000; exit 4", { run_in_background: true });
    let all = "";
    const takePart = async () => {
      const part = await output("b1");
      all += part.replace(/\n?\[b1:.*\]$/, "\n");
      return part;
    };
    await expect.poll(takePart, { interval: 10 }).toMatch(/^\[b1: ended with exit code 4\]$/);
    expect(all.replaceAll("\n", "")).toBe("é".repeat(30_000));
  });
});

test("runs nothing without a required sandbox", async () => {
  const { bash, folder } = await setUp({ refusal: () => "the settings require a sandbox, and there is none." });
  expect(await bash("touch canary")).toEqual({
    content: "Nothing was run: the settings require a sandbox, and there is none.",
    status: "error",
  });
  expect(existsSync(join(folder, "canary"))).toBe(false);
});

test("continues in the project if the working folder is gone", async () => {
  const { bash, folder } = await setUp();
  await bash("mkdir build && cd build");
  await bash("rm -rf ../build");
  expect(await textOf(await bash("pwd"))).toBe(`${folder}\n[${folder}/build is gone: this command began in ${folder}]`);
  expect(await textOf(await bash("pwd"))).toBe(folder);
  await bash("trap - EXIT; echo nowhere >&3");
  await bash("trap - EXIT; echo $PWD/nowhere >&3");
  expect(await textOf(await bash("pwd"))).toBe(folder);
});
