import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { encloseProject } from "../testing/enclose.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { commandEnvironment } from "../workspace/command-environment.ts";
import { openSandbox } from "./open-sandbox.ts";
import { createPolicy, refusalOfRoots } from "./policy.ts";
import { startCommand } from "./start-command.ts";

/** Not in /tmp, of which enclosed commands have their own. */
async function setUp(files: Readonly<Record<string, string>> = {}, options: Parameters<typeof encloseProject>[1] = {}) {
  const project = temporaryProject(files, "/var/tmp");
  const putHome = (path: string, content: string): void => {
    mkdirSync(dirname(join(project.home, path)), { recursive: true });
    writeFileSync(join(project.home, path), content);
  };
  return { ...project, putHome, ...(await encloseProject(project, options)) };
}

test("where bubblewrap lies in the project only, there is none", async () => {
  const { folder, home, base, put } = temporaryProject();
  const ran = join(base, "ran");
  put("bin/bwrap", `#!/bin/sh\ntouch ${ran}\n`);
  execFileSync("chmod", ["+x", join(folder, "bin/bwrap")]);
  const policy = createPolicy({
    roots: [folder],
    home,
    ownFolders: [],
    hiddenPatterns: [],
    readOnly: [],
    readable: [],
    environment: [],
    hosts: [],
  });
  const open = (path: string) =>
    openSandbox({ policy, path, sandboxFolder: join(base, "s"), coversFile: join(base, "c"), isHidden: () => false });
  expect(await open(join(folder, "bin"))).toEqual({
    kind: "none",
    reason: "bubblewrap (bwrap) is not installed (apt-get install bubblewrap).",
  });
  expect((await open(`${join(folder, "bin")}:${process.env["PATH"]}`)).kind).toBe("bubblewrap");
  expect(existsSync(ran)).toBe(false);
});

test.each([
  ["/", "/home/u", /whole file system/],
  ["/home/u", "/home/u", /is your home/],
  ["/home", "/home/u", /contains your home/],
  ["/home/u/.palimpsest/x", "/home/u", /agent's own folder/],
])("%s cannot be the project of somebody at home in %s", (root, home, why) => {
  expect(refusalOfRoots(["/p", root], { home, ownFolders: ["/home/u/.palimpsest"] })).toMatch(why);
  expect(refusalOfRoots(["/home/u/p"], { home: "/home/u", ownFolders: ["/home/u/.palimpsest"] })).toBeUndefined();
});

describe("an enclosed command", () => {
  test("writes to the project, to its own /tmp and home, which last, and tells where it ended", async () => {
    const { run, text, folder, home } = await setUp();
    mkdirSync(join(folder, "in"));
    const first = await run("echo x > a.txt && echo y > /tmp/palimpsest-b && echo z > ~/c && cd in");
    expect(first).toMatchObject({ exitCode: 0, folder: join(folder, "in"), notes: [] });
    expect(text("a.txt")).toBe("x\n");
    expect(existsSync("/tmp/palimpsest-b") || existsSync(join(home, "c"))).toBe(false);
    expect((await run("cat /tmp/palimpsest-b ~/c")).text).toBe("y\nz\n");
  });

  test("writes nowhere else", async () => {
    const { run, base } = await setUp();
    const places = [`${base}/x`, "/etc/palimpsest-x", "/usr/palimpsest-x", "/run/../var/palimpsest-x"];
    for (const place of places) {
      await run(
        `echo x > ${place}; ln -s ${place} link && echo x > link; rm -f link; mount -o remount,rw /; echo x > ${place};` +
          `unshare -Urm sh -c 'mount -o remount,rw,bind /; echo x > ${place}'; echo x > /proc/1/root${place}`,
      );
    }
    expect(places.filter((place) => existsSync(place))).toEqual([]);
  });

  test("sees nothing of the home but toolchains and what the settings name", async () => {
    const { run, home, putHome } = await setUp({}, { readable: ["~/notes"] });
    const secrets = [
      ".ssh/id",
      ".netrc",
      ".claude.json",
      ".config/rclone/rclone.conf",
      ".s3cfg",
      ".env",
      "Documents/x",
    ];
    for (const path of [...secrets, ".cargo/credentials.toml"]) putHome(path, "SECRET");
    for (const path of [".cargo/bin/tool", "notes/a"]) putHome(path, "fine");
    const { text } = await run(
      `grep -r SECRET ${home}; cat ~/.ssh/id /proc/1/root${home}/.ssh/id; cat ~/.cargo/bin/tool ~/notes/a`,
    );
    expect(text.match(/SECRET$/gm)).toBeNull();
    expect(text.match(/fine/g)).toHaveLength(2);
    expect(readFileSync(join(home, ".ssh/id"), "utf8")).toBe("SECRET");
  });

  test("commits in the user's name, and knows nothing else of the user's git", async () => {
    const { run, putHome } = await setUp();
    putHome(".gitconfig", '[user]\n\tname = "Ada \\"L\\""\n\temail = a@b\n[credential]\n\thelper = "!echo SECRET"\n');
    expect((await run("git config user.name; git config user.email; git config credential.helper")).text).toBe(
      'Ada "L"\na@b\n',
    );
  });

  test("sees no file of a rule that forbids reading, and none of the agent's own, wherever they lie", async () => {
    const files = {
      ".env": "SECRET",
      "deep/er/.env": "SECRET",
      "keys/a/b": "SECRET",
      "own/token": "SECRET",
      ok: "fine",
    };
    const project = temporaryProject(files, "/var/tmp");
    const { run } = await encloseProject(project, {
      ownFolders: [join(project.folder, "own")],
      isHidden: (path) => /(^|\/)\.env$|^keys(\/|$)/.test(path),
    });
    const { text } = await run("cat .env deep/er/.env keys/a/b own/token; grep -r SECRET .; cat ok");
    expect(text).not.toMatch(/SECRET(?! ?\.)/);
    expect(text).toContain("fine");
    expect((await run("mv deep other; cat other/er/.env; cp -r own o2; cat o2/token")).text).not.toContain("SECRET");
  });

  test("has no network of its own, and reaches no port of this machine", async () => {
    const { run } = await setUp();
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.on("error", () => undefined);
      socket.end("HTTP/1.0 200 OK\r\n\r\nreached");
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    const commands = `exec 9<>/dev/tcp/127.0.0.1/${port} && echo connected; curl -s -m 5 http://localhost:${port}/ --noproxy ''`;
    expect((await run(commands)).text).not.toMatch(/connected|reached/);
    // Not even where hosts are allowed, whatever they are called.
    const { text, notes } = await run(commands, { hosts: ["example.com"] });
    expect(text).not.toMatch(/connected|reached/);
    expect(notes).toEqual(["[refused: localhost. Name it in network to ask the user for it.]"]);
    expect((await run(commands, { hosts: "any" })).text).not.toMatch(/connected|reached/);
    expect(connections).toBe(0);
    // The way itself works: who names the address of this machine gets there.
    const named = `curl -s -m 5 http://127.0.0.1:${port}/ --noproxy ''`;
    expect((await run(named, { hosts: [`127.0.0.1:${port}`] })).text).toContain("reached");
    expect(connections).toBe(1);
  });

  test("makes no Unix socket, no user namespace and no pair of datagrams; pipes of programs work", async () => {
    const { run, base } = await setUp();
    const path = join(base, "daemon");
    const server = createServer((socket) => socket.end("DAEMON")).listen(path);
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const python = (lines: string): string => `python3 -c '${lines}' 2>&1`;
    const tried = await run(
      [
        python(`import socket; s = socket.socket(socket.AF_UNIX); s.connect("${path}"); print(s.recv(99))`),
        python(`import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); print("PAIR")`),
        python(`import socket; socket.socket(40, 1); print("VSOCK")`),
        "unshare -U true && echo NAMESPACE",
        `node -e 'require("child_process").execFile("echo", ["piped"], (e, out) => console.log(out))'`,
        python(`import socket; a, b = socket.socketpair(); a.send(b"pair of streams"); print(b.recv(99))`),
      ].join("; "),
    );
    expect(tried.text).not.toMatch(/DAEMON|PAIR|VSOCK|NAMESPACE/);
    expect(tried.text).toContain("piped");
    expect(tried.text).toContain("pair of streams");
  });

  test("sees no processes but its own, and none of them outlives it, whatever it does", async () => {
    const { run } = await setUp();
    expect((await run("ls /proc | grep -c '^[0-9]'")).text.trim()).toMatch(/^[1-9]$/);
    const marker = `${60_000 + process.pid}`;
    const command = `setsid sleep ${marker} & (trap '' TERM; setsid sleep ${marker}) & wait`;
    expect((await run(command, { timeoutMs: 500 })).by).toBe("timeout");
    const isSleeper = (pid: string): boolean => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8") === `sleep\0${marker}\0`;
      } catch {
        return false;
      }
    };
    const count = (): number => readdirSync("/proc").filter(isSleeper).length;
    await expect.poll(count).toBe(0);
  });

  test("has no capability, even where root runs it, and none of root's secrets", async () => {
    const { run } = await setUp();
    expect((await run("grep CapEff /proc/self/status")).text).toMatch(/CapEff:\s+0+$/m);
    expect((await run("cat /etc/shadow")).text).not.toMatch(/^root:/m);
  });

  test("has limits for memory and files", async () => {
    const { run, policy } = await setUp();
    const { text } = await run(
      "ulimit -d; ulimit -f; ulimit -u; cat /proc/self/oom_score_adj; df -k /dev/shm | tail -1",
    );
    const { maxMemoryBytes, maxFileBytes, maxProcesses, maxTemporaryBytes } = policy.limits;
    expect(text.split("\n").slice(0, 4)).toEqual(
      [maxMemoryBytes / 1_024, maxFileBytes / 1_024, maxProcesses, 1_000].map((limit) => String(Math.floor(limit))),
    );
    expect(text).toContain(` ${maxTemporaryBytes / 1_024} `);
  });

  test("whose working folder is told with escapes tells a plain text", async () => {
    const { run } = await setUp();
    const { folder } = await run(`trap - EXIT; printf '/x/\\033]0;pwned\\007\\033[2Jevil\\342\\200\\256txt\\n' >&3`);
    expect(folder).toMatch(/^\/x\//);
    for (const character of ["\u001b", "\u0007", "\u202e"]) expect(folder).not.toContain(character);
  });
});

describe("names that programs of the user obey", () => {
  const NAMES = [
    ...[".vscode/tasks.json", ".claude/settings.json", ".github/workflows/x.yml", ".idea/x", ".husky/pre-commit"],
    ...[".envrc", ".npmrc", ".mcp.json", ".palimpsest/settings.json", ".cursor/mcp.json", ".git/config"],
  ];
  const write = NAMES.map((path) => `mkdir -p $(dirname ${path}); echo evil > ${path}`).join("; ");

  test("are not made at the top of a project, and no trace of the covers is left", async () => {
    const { run, folder } = await setUp({ "a.txt": "" });
    const { notes } = await run(write);
    expect(readdirSync(folder)).toEqual(["a.txt"]);
    expect(notes).toEqual([]);
  });

  test("are not changed where they exist, however deep, nor moved with the folder that they are in", async () => {
    const files = Object.fromEntries([...NAMES, "a/b/c/d/.vscode/tasks.json"].map((path) => [path, "mine"]));
    const { run, text } = await setUp(files);
    await run(`${write}; echo evil > a/b/c/d/.vscode/tasks.json; rm -rf .vscode .github; mv .github old; mv a z`);
    await run(`cp -r a z; rm -rf a; mkdir -p a/b/c/d/.vscode; echo evil > a/b/c/d/.vscode/tasks.json`);
    for (const path of Object.keys(files)) expect([path, text(path)]).toEqual([path, "mine"]);
  });

  test("that are made deeper are reported, repositories with what their settings run", async () => {
    const { run, folder } = await setUp();
    const made = "mkdir -p lib sub/.vscode bare; git init -q lib; git init -q --bare bare";
    const { notes } = await run(`${made}; git -C lib config core.fsmonitor evil; echo x > sub/.vscode/tasks.json`);
    expect(notes.join("\n")).toMatch(/new repository: lib\/\.git.*fsmonitor/);
    expect(notes.join("\n")).toMatch(/new repository: bare\./);
    expect(notes.join("\n")).toMatch(/changed: sub\/\.vscode\. It decides what the user's editor runs/);
    // Told once; from now on they are kept as well.
    const next = await run("git -C lib config core.sshCommand worse; echo y > sub/.vscode/tasks.json");
    expect(next.notes).toEqual([]);
    expect(readFileSync(join(folder, "lib/.git/config"), "utf8")).not.toContain("worse");
    expect(readFileSync(join(folder, "sub/.vscode/tasks.json"), "utf8")).toBe("x\n");
  });

  test("are not made at the top of a repository in the project either", async () => {
    const { run, folder } = await setUp({ "lib/a.txt": "" });
    execFileSync("git", ["init", "-q", join(folder, "lib")]);
    const { notes } = await run(`cd lib; ${write}; mkdir -p sub/.vscode`);
    expect(readdirSync(join(folder, "lib")).sort()).toEqual([".git", "a.txt", "sub"]);
    expect(notes).toEqual([expect.stringContaining("changed: lib/sub/.vscode")]);
  });

  test("that lie deeper than a look at a very large project goes are said to be unguarded", async () => {
    const { sandbox, run } = await setUp({ "a/b/c/d.txt": "" }, { maxFolders: 3 });
    expect(await sandbox.extent()).toBe("cut");
    expect((await run("echo fine")).text).toBe("fine\n");
    const whole = await setUp({ "a/b/c/d.txt": "" }, { maxFolders: 4 });
    expect(await whole.sandbox.extent()).toBe("complete");
    // It is known again once it changes.
    await whole.run("mkdir more");
    expect(await whole.sandbox.extent()).toBe("cut");
  });

  test("stay covered for a command in the background while others come and go", async () => {
    const { run, start, folder } = await setUp({ "a.txt": "" });
    const background = await start("sleep 3; mkdir -p .vscode; echo evil > .vscode/tasks.json; echo evil > .envrc");
    expect(await run("ls a.txt")).toMatchObject({ text: "a.txt\n", exitCode: 0 });
    expect((await run(write)).text).toContain("Read-only");
    for await (const _ of background.output);
    await background.ended;
    expect(readdirSync(folder)).toEqual(["a.txt"]);
  });

  test("leave the user's own git as it is while a command runs", async () => {
    const { start, folder } = await setUp({ "a.txt": "" });
    execFileSync("git", ["init", "-q", folder]);
    const background = await start("echo begun; sleep 3");
    const output = background.output[Symbol.asyncIterator]();
    await output.next();
    expect(execFileSync("git", ["-C", folder, "status", "--short"], { encoding: "utf8" })).toContain("a.txt");
    while ((await output.next()).done !== true);
    await background.ended;
    expect(existsSync(join(folder, ".git/commondir"))).toBe(false);
  });

  test("leave no cover when a program cannot be started", async () => {
    const { sandbox, run, folder } = await setUp({ "a.txt": "" });
    execFileSync("git", ["init", "-q", folder]);
    await expect(sandbox.enclose({ folder, hosts: [], ownFolder: join(folder, "a.txt/own") })).rejects.toThrow();
    expect(existsSync(join(folder, ".git/commondir"))).toBe(false);
    expect((await run("echo as before")).text).toBe("as before\n");
  });

  test("of hooks and servers are read-only", async () => {
    const project = temporaryProject({ "scripts/check.sh": "exit 0\n" }, "/var/tmp");
    const { run } = await encloseProject(project, { readOnly: [join(project.folder, "scripts/check.sh")] });
    await run("echo evil > scripts/check.sh; mv scripts old; mkdir scripts; echo evil > scripts/check.sh");
    expect(project.text("scripts/check.sh")).toBe("exit 0\n");
  });
});

test("a command that is not enclosed is started in its folder, with nothing to say", async () => {
  const { folder } = temporaryProject();
  const environment = commandEnvironment(process.env);
  const running = startCommand({ command: "pwd", folder, environment, shell: "/bin/bash" });
  let text = "";
  for await (const piece of running.output) text += piece;
  expect({ text, ...(await running.ended) }).toMatchObject({ text: `${folder}\n`, notes: [], folder });
});
