import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type TemporaryProject, temporaryProject } from "../../testing/temporary-project.ts";
import { commandEnvironment } from "../../workspace/command-environment.ts";
import { planSandbox } from "./plan-sandbox.ts";
import { findSandbox } from "./sandbox.ts";
import { startCommand } from "./start-command.ts";
import { startWatched } from "./start-watched.ts";

function optionsOf({ folder, home, base }: TemporaryProject) {
  return { roots: [folder], home, sandboxFolder: join(base, "sandbox") };
}

test("the line is a function of what is to be enclosed", () => {
  const line = planSandbox({
    folder: "/p/in",
    roots: ["/p"],
    temporaryFolder: "/t",
    emptyFile: "/e",
    network: "none",
    hidden: [
      { path: "/h/.ssh", kind: "folder" },
      { path: "/h/.netrc", kind: "file" },
    ],
    bound: ["/p/.git"],
    readOnly: ["/p/.git/hooks"],
  }).join(" ");
  expect(line).toContain("--unshare-net");
  expect(line).toContain(
    "--bind /t /tmp --tmpfs /h/.ssh --ro-bind /e /h/.netrc --bind /p /p --bind /p/.git /p/.git --ro-bind /p/.git/hooks /p/.git/hooks",
  );
  expect(line).toMatch(/--chdir \/p\/in --$/);
});

test("where it is not installed, that is said, with what to do", async () => {
  const project = temporaryProject();
  const path = process.env["PATH"];
  onTestFinished(() => {
    process.env["PATH"] = path;
  });
  process.env["PATH"] = project.folder;
  expect(await findSandbox(optionsOf(project))).toEqual({
    kind: "none",
    reason:
      "bubblewrap (bwrap) is not installed: commands run with all the rights of your user. " +
      "Install it (on Debian and Ubuntu: apt-get install bubblewrap) to keep them inside the project.",
  });
});

const probeFolder = realpathSync(dirname(new URL(import.meta.url).pathname));
const probeScratch = mkdtempSync(join(tmpdir(), "palimpsest-probe-"));
const probe = await findSandbox({
  roots: [probeFolder],
  home: "/nonexistent",
  sandboxFolder: probeScratch,
});
rmSync(probeScratch, { recursive: true });
if (probe.kind === "none") console.log(`Tests of the sandbox are skipped: ${probe.reason}`);

describe.skipIf(probe.kind === "none")("an enclosed command", () => {
  async function setUp(files: Readonly<Record<string, string>> = {}) {
    // Not in /tmp, of which it has its own.
    const project = temporaryProject(files, "/var/tmp");
    const put = (path: string, content: string) => {
      mkdirSync(dirname(join(project.base, path)), { recursive: true });
      writeFileSync(join(project.base, path), content);
    };
    put("home/.ssh/id", "SECRET");
    put("home/.netrc", "SECRET");
    put("home/.aws/credentials", "SECRET");
    put("home/readable.txt", "fine");
    const sandbox = await findSandbox(optionsOf(project));
    if (sandbox.kind === "none") throw new Error(sandbox.reason);
    const { enclose } = sandbox;
    async function run(command: string, network: "allowed" | "none" = "none", timeoutMs = 10_000) {
      const { startedBy, names } = await enclose({ folder: project.folder, network });
      const environment = commandEnvironment(process.env);
      const running = await startWatched({ command, folder: project.folder, environment, startedBy, timeoutMs }, names);
      let text = "";
      for await (const piece of running.output) text += piece;
      return { text, ...(await running.ended) };
    }
    return { ...project, run };
  }

  test("writes to the project and its own /tmp, which lasts, and tells where it ended", async () => {
    const { run, text, folder } = await setUp();
    mkdirSync(join(folder, "in"));
    const { exitCode, folder: reached } = await run("echo x > a.txt && echo y > /tmp/palimpsest-b.txt && cd in");
    expect({ exitCode, reached }).toEqual({ exitCode: 0, reached: join(folder, "in") });
    expect(text("a.txt")).toBe("x\n");
    expect(existsSync("/tmp/palimpsest-b.txt")).toBe(false);
    expect((await run("cat /tmp/palimpsest-b.txt")).text).toBe("y\n");
  });

  test("writes nowhere else", async () => {
    const { run, base } = await setUp();
    const places = [
      `${base}/x`,
      `${base}/home/x`,
      "/etc/palimpsest-x",
      "/usr/palimpsest-x",
      "/run/../var/palimpsest-x",
      "/dev/../palimpsest-x",
    ];
    const attempts = places.flatMap((place) => [
      `echo x > ${place}`,
      `ln -s ${place} link && echo x > link; rm -f link`,
      `mount -o remount,rw / ; mount --bind ${dirname(place)} . ; echo x > ${place}`,
      `unshare -Urm sh -c 'mount -o remount,rw,bind /; echo x > ${place}'`,
      `echo x > /proc/1/root${place}; echo x > /proc/self/root${place}`,
    ]);
    for (const attempt of attempts) await run(attempt);
    expect(places.filter((place) => existsSync(place))).toEqual([]);
  }, 300_000);

  test("sees secrets of the home as empty, and the rest as it is", async () => {
    const { run, home } = await setUp();
    const { text } = await run(
      `cat ${home}/.ssh/id ${home}/.netrc ${home}/.aws/credentials ${home}/readable.txt; ls -A ${home}/.ssh`,
    );
    expect(text).not.toContain("SECRET");
    expect(text).toContain("fine");
    expect(text).not.toContain("Permission denied");
    expect((await run(`umount ${home}/.ssh; cat ${home}/.ssh/id`)).text).not.toContain("SECRET");
  });

  test("changes no hook and no settings of the project, though they do not exist yet", async () => {
    const { run, folder } = await setUp({ ".git/config": "[core]\n", ".palimpsest/settings.json": "{}" });
    await run(
      "echo evil > .git/hooks/pre-commit; echo evil >> .git/config; echo evil > .palimpsest/settings.json; echo fine > .git/HEAD",
    );
    expect(existsSync(join(folder, ".git/hooks/pre-commit"))).toBe(false);
    expect(readFileSync(join(folder, ".git/config"), "utf8")).toBe("[core]\n");
    expect(readFileSync(join(folder, ".palimpsest/settings.json"), "utf8")).toBe("{}");
    expect(readFileSync(join(folder, ".git/HEAD"), "utf8")).toBe("fine\n");
  });

  test("cannot put a repository aside and bring another with hooks", async () => {
    const { run, folder } = await setUp({ ".git/config": "[core]" });
    await run("mv .git aside; rm -rf .git; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit");
    expect(existsSync(join(folder, "aside"))).toBe(false);
    expect(existsSync(join(folder, ".git/hooks/pre-commit"))).toBe(false);
  });

  test("has no network unless it is allowed", async () => {
    const { run } = await setUp();
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    const connect = `exec 9<>/dev/tcp/127.0.0.1/${port} && echo connected`;
    expect((await run(connect)).text).not.toContain("connected");
    expect(connections).toBe(0);
    expect((await run(connect, "allowed")).text).toContain("connected");
    expect(connections).toBe(1);
  });

  test("sees no processes but its own, and none of them outlives it, whatever it does", async () => {
    const { run } = await setUp();
    expect((await run("ls /proc | grep -c '^[0-9]'")).text.trim()).toMatch(/^[1-9]$/);
    const marker = `${60_000 + process.pid}`;
    const { by } = await run(`setsid sleep ${marker} & (trap '' TERM; setsid sleep ${marker}) & wait`, "none", 500);
    expect(by).toBe("timeout");
    const { text } = await (async () => {
      const running = startCommand({
        command: `pgrep -fx 'sleep ${marker}' | wc -l`,
        folder: "/",
        environment: commandEnvironment(process.env),
      });
      let text = "";
      for await (const piece of running.output) text += piece;
      return { text };
    })();
    expect(text.trim()).toBe("0");
  });

  test("has no capability, even where root runs it", async () => {
    const { run } = await setUp();
    expect((await run("grep CapEff /proc/self/status")).text).toMatch(/CapEff:\s+0+$/m);
  });
});
