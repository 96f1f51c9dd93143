import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ProgramServer } from "../../permissions/program-setting.ts";
import { readRule } from "../../permissions/rule.ts";
import { type ProgramPortsOptions, programPorts } from "../../testing/program-ports.ts";
import { call, temporaryProject, textOf } from "../../testing/temporary-project.ts";
import { SHELL_SERVER } from "../../testing/tool-server.ts";
import { openToolServers } from "./open-tool-servers.ts";

const NONE = { kind: "none", reason: "There is no sandbox." } as const;

/** A project with a server that runs any command. */
async function setUp(server: Partial<ProgramServer> = {}, options: ProgramPortsOptions = {}) {
  const project = temporaryProject({ "a.txt": "a\n", ".git/config": "" }, "/var/tmp");
  const { folder, home } = project;
  const putHome = (path: string, content: string): void => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content);
  };
  putHome(".ssh/id", "SECRET\n");
  putHome("bin/server.mjs", SHELL_SERVER);
  const programs = await programPorts(project, options);
  const open = async (more: Partial<ProgramServer> = {}) => {
    const command = [process.execPath, join(home, "bin/server.mjs")] as const;
    const servers = await openToolServers([{ name: "shell", command, from: "user", ...server, ...more }], {
      folder,
      programs,
      serversFolder: join(home, ".palimpsest/servers"),
      startTimeoutMs: 60_000,
    });
    onTestFinished(() => servers.close());
    const run = async (line: string): Promise<string> =>
      textOf(await call(servers.tools[0]!, { command: line }, { folder }));
    return { ...servers, run };
  };
  return { ...project, putHome, open };
}

test("a server reads the project and writes only to its own folder, which persists", async () => {
  const { open, folder, home, base } = await setUp();
  const { run, close, problems } = await open();
  expect(problems).toEqual([]);
  expect(await run(`cat a.txt; cat ${home}/.ssh/id; ls ${home}/.palimpsest`)).not.toContain("SECRET");
  const text = await run(`cat a.txt; echo evil > a.txt; echo evil > .envrc; echo evil > ${base}/x; echo kept > ~/kept`);
  expect(text).toMatch(/^a\n.*Read-only/s);
  expect(readdirSync(folder).sort()).toEqual([".git", "a.txt"]);
  expect(await run("python3 -c 'import socket; socket.socket(socket.AF_UNIX); print(\"UNIX\")'")).not.toContain("UNIX");
  expect(await run("ulimit -d; grep CapEff /proc/self/status; grep -o '^ *[a-z0-9]*:' /proc/net/dev")).toMatch(
    /^\d+\nCapEff:\s+0+\n *lo:\n$/,
  );
  await close();
  const again = await open();
  expect(await again.run("cat ~/kept")).toBe("kept\n");
  // The server's files are not visible to others, and not in the home.
  expect(existsSync(join(home, "kept"))).toBe(false);
});

test("closing a server ends every process that it started", async () => {
  const { open } = await setUp({ hosts: ["example.com"] });
  const { run, close } = await open();
  const marker = `${70_000 + process.pid}`;
  await run(`setsid sleep ${marker} >/dev/null 2>&1 & (trap '' TERM; setsid sleep ${marker}) >/dev/null 2>&1 &`);
  const found = () =>
    readdirSync("/proc").flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return /^\d+$/.test(pid) && (line.includes(marker) || /socat.*palimpsest-/.test(line)) ? [{ pid, line }] : [];
      } catch {
        return [];
      }
    });
  // Servers of other tests or runs also have network bridges, so only later ones count.
  const before = new Set(found().map(({ pid }) => pid));
  expect(found().filter(({ line }) => line.includes(marker)).length).toBeGreaterThanOrEqual(2);
  expect(before.size).toBeGreaterThan(2);
  await close();
  const left = () => found().filter(({ pid, line }) => line.includes(marker) || before.has(pid));
  await expect.poll(left).toEqual([]);
});

test("a server that may write to the project cannot change files that other programs act on", async () => {
  const { open, folder, text } = await setUp({ project: "write" });
  const { run, close } = await open();
  await run(
    "echo b > a.txt; echo evil >> .git/config; mkdir -p .vscode; echo evil > .vscode/tasks.json; echo x > .envrc",
  );
  await close();
  expect(text("a.txt")).toBe("b\n");
  expect(text(".git/config")).toBe("");
  await expect.poll(() => readdirSync(folder).sort()).toEqual([".git", "a.txt"]);
});

test("the sandbox launcher ignores variables that the settings give to a server", async () => {
  const { open, base, put } = await setUp();
  put("evil.sh", `touch ${base}/escaped-$$ 2>/dev/null\n`);
  const environment = { BASH_ENV: "./evil.sh", LD_PRELOAD: "./evil.so", PATH: process.env["PATH"], TOKEN: "a 'b\" $c" };
  const { run } = await open({ environment });
  expect(await run('printf "%s|%s" "$TOKEN" "$BASH_ENV"')).toContain(`a 'b" $c|./evil.sh`);
  expect(readdirSync(base).filter((name) => name.startsWith("escaped"))).toEqual([]);
  const wrong = await open({ environment: { "BASH_FUNC_exec%%": "() { touch x; }" } });
  expect(wrong.problems).toEqual([expect.stringMatching(/cannot pass on the variable "BASH_FUNC_exec%%"/)]);
});

test("a server reaches its hosts unless a rule denies them, and its answer names refused hosts", async () => {
  const { open } = await setUp({ hosts: ["localhost.example"] });
  const fetch = "curl -s -m 5 http://other.example/ >/dev/null; echo done";
  expect(await (await open()).run(fetch)).toBe(
    'done\n\n[refused: other.example. The user can name it under "hosts" of this server, in settings.json.]',
  );
  const denied = await setUp({ hosts: ["localhost.example"] }, { rules: [readRule("Network", "deny", "user")!] });
  // Without any host there is no network, so nothing is refused.
  expect(await (await denied.open()).run(fetch)).toBe("done\n");
});

test("a server runs without a sandbox if the user allows it, or if none is available or required", async () => {
  const read = (home: string) => `cat ${home}/.ssh/id`;
  const off = await setUp({ sandbox: "off" });
  expect(await (await off.open()).run(read(off.home))).toBe("SECRET\n");
  const none = await setUp({ from: "project" }, { sandbox: NONE });
  expect(await (await none.open()).run(read(none.home))).toBe("SECRET\n");
  const required = await setUp({}, { sandbox: NONE, wanted: "required" });
  expect((await required.open()).problems).toEqual([expect.stringMatching(/require a sandbox.*There is no sandbox/)]);
});

test("a project's server cannot see files in the home, and its failure says what may help", async () => {
  const { open } = await setUp({ from: "project" });
  const { problems } = await open();
  expect(problems).toEqual([expect.stringMatching(/MODULE_NOT_FOUND.*It ran in the sandbox.*"hosts".*readablePaths/s)]);
  expect(problems[0]).not.toContain('"sandbox": "off"');
});
