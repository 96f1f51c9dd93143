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

/** A killed process is there until it was reaped; one that is only that does nothing any more. */
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

/** Goes on when the test has written a file. */
const WHEN_TOLD = "until [ -e go ]; do sleep 0.02; done;";

describe("how a command ended", () => {
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

test("the working folder is kept from one command to the next, and stays in the project", async () => {
  const { bash, folder } = await setUp();
  await bash("cd in; exit 1");
  expect(await textOf(await bash("pwd"))).toBe(join(folder, "in"));
  expect(await textOf(await bash("cd /"))).toContain("/ lies outside of the project: the next command begins in");
  expect(await textOf(await bash("pwd"))).toBe(folder);
  mkdirSync(join(folder, "b c'd"));
  await bash(`cd "b c'd"`);
  expect(await textOf(await bash("pwd"))).toBe(join(folder, "b c'd"));
});

test("its environment is what programs need to run, and what the settings name", async () => {
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
  // They would run for longer than a test may: a tool that waited for them would not return.
  const family =
    "echo $$ > pids; (trap '' TERM; echo $BASHPID >> pids; sleep 900) & (echo $BASHPID >> pids; sleep 900) &";
  const countPids = (folder: string): number =>
    existsSync(join(folder, "pids")) ? readFileSync(join(folder, "pids"), "utf8").trim().split("\n").length : 0;

  test("when its time is up, even those that do not listen", async () => {
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

  test("when it is aborted", async () => {
    const { bash, folder } = await setUp();
    const abort = new AbortController();
    const running = bash(`${family} wait`, {}, { signal: abort.signal });
    await expect.poll(() => countPids(folder)).toBe(3);
    abort.abort();
    await expect(running).rejects.toThrow("aborted");
    await expectGone(join(folder, "pids"));
  });

  test("when it has ended itself and left them behind", async () => {
    const { bash, folder } = await setUp();
    const left = `${family} until [ $(wc -l < pids) = 3 ]; do sleep 0.02; done; echo done`;
    expect(await textOf(await bash(left, { timeout_ms: 600_000 }))).toBe("done");
    await expectGone(join(folder, "pids"));
  });
});

describe("much output", () => {
  test("is passed on as it comes, all of it, with the end behind it", async () => {
    const { bash } = await setUp();
    const outcome = await bash("seq 1 200000; exit 3");
    expect(typeof outcome.content).toBe("object");
    // A slow reader loses nothing, though the command has ended long before.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const lines = (await textOf(outcome)).split("\n");
    expect(lines.length).toBe(200_002);
    expect(lines.slice(-3)).toEqual(["200000", "", "[exit code 3]"]);
  });

  test("of a flood is not held in memory, and who wants no more ends it", async () => {
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

  test("is told to the screen meanwhile", async () => {
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
  test("a command runs on; its output is read piece by piece; it can be ended", async () => {
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

  test("a command is moved there that has begun, and one that is only about to begin", async () => {
    const { bash, background } = await setUp();
    const running = bash("sleep 600");
    expect(await background.take()).toBe(1);
    expect(await textOf(await running)).toContain("moved the command to the background as b1");
    expect(background.list()).toEqual([{ id: "b1", command: "sleep 600" }]);
    expect(await background.take()).toBe(0);
    await background.close();
  });

  test("it is told how a command ended, and more output than fits comes in parts", async () => {
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

test("without a sandbox nothing is run where one is required", async () => {
  const { bash, folder } = await setUp({ refusal: () => "the settings require a sandbox, and there is none." });
  expect(await bash("touch canary")).toEqual({
    content: "Nothing was run: the settings require a sandbox, and there is none.",
    status: "error",
  });
  expect(existsSync(join(folder, "canary"))).toBe(false);
});

test("a working folder that is gone does not break what follows", async () => {
  const { bash, folder } = await setUp();
  await bash("mkdir build && cd build");
  await bash("rm -rf ../build");
  expect(await textOf(await bash("pwd"))).toBe(`${folder}\n[${folder}/build is gone: this command began in ${folder}]`);
  expect(await textOf(await bash("pwd"))).toBe(folder);
  await bash("trap - EXIT; echo nowhere >&3");
  await bash("trap - EXIT; echo $PWD/nowhere >&3");
  expect(await textOf(await bash("pwd"))).toBe(folder);
});
