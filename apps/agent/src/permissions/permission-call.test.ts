import { symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { temporaryProject } from "../testing/temporary-project.ts";
import { createPathGuard } from "../workspace/path-guard.ts";
import type { ToolAccess } from "./agent-tool.ts";
import { decidePermission } from "./decide-permission.ts";
import { type CallPlaces, toPermissionCall } from "./permission-call.ts";

const BASH: ToolAccess = { name: "Bash", effect: "run", commands: "sandbox" };
const EDIT: ToolAccess = { name: "Edit", effect: "write" };
const READ: ToolAccess = { name: "Read", effect: "read" };

async function setUp() {
  const { folder } = temporaryProject({ "a.txt": "", "sub/b.txt": "", "run.sh": "", "AGENTS.md": "" });
  const guard = await createPathGuard(folder);
  const root = guard.roots[0]!;
  const places: CallPlaces = { guard, home: "/home/user", enclosure: "sandbox" };
  symlinkSync("/srv", join(folder, "link"));
  return {
    root,
    places,
    call: (tool: ToolAccess, input: unknown, more: Partial<CallPlaces> = {}) =>
      toPermissionCall(tool, input, { ...places, ...more }),
  };
}

test("in the sandbox a command runs in the project, and is asked about where it names more", async () => {
  const { call, root } = await setUp();
  const decide = async (command: string) => decidePermission("auto", [], await call(BASH, { command })).decision;
  for (const command of [
    "ls",
    "cat a.txt",
    `cat ${root}/a.txt`,
    "rm a.txt",
    "cat /etc/hosts",
    "ls > /tmp/x",
    "ls > /dev/null",
  ])
    expect([command, await decide(command)]).toEqual([command, "allow"]);
  for (const command of [
    ...[
      `cat ${relative(root, "/srv/x")}`,
      "cat ~/.ssh/id",
      "cat $HOME/.ssh/id",
      "ls ~",
      "rm /usr/bin/x",
      "ls > /etc/x",
      "cat /srv/x",
      "cat link/x",
    ],
    ...["rm .git/config", "echo > .envrc", "git config core.pager ./x", "'a"],
  ])
    expect([command, await decide(command)]).toEqual([command, "ask"]);
});

test.each([
  ...[
    "/usr/lib/a",
    "/bin/a",
    "/sbin/a",
    "/lib/a",
    "/lib64/a",
    "/etc/a",
    "/opt/a",
    "/proc/a",
    "/sys/a",
    "/nix/a",
    "/dev/a",
  ].map((path) => [path, "system", "outside"] as const),
  ...[
    "/tmp/a",
    "/var/tmp/a",
    "/var/folders/a",
    "/private/tmp/a",
    "/dev/null",
    "/dev/stdout",
    "/dev/tty",
    "/dev/fd/3",
  ].map((path) => [path, "system", "system"] as const),
  ...["/dev/zero", "/dev/random", "/dev/urandom", "/dev/full", "/dev/shm/a"].map(
    (path) => [path, "system", "system"] as const,
  ),
  ...["/srv/a", "/usrx/a", "/tmpx/a", "/x/tmp/a", "/var/a", "/x/etc/a"].map(
    (path) => [path, "outside", "outside"] as const,
  ),
])(
  "programs of the machine can be read, and what ends with the session be written: %s",
  async (path, read, written) => {
    // Nothing is looked up: what a path of the machine leads to differs from one machine to the next.
    const guard = { roots: ["/work/project"], locate: async (path: string) => ({ kind: "outside", path }) as const };
    const placeOf = async (command: string) =>
      (await toPermissionCall(BASH, { command }, { guard, home: "/home/user" })).command!.touched[0]!.place;
    expect([await placeOf(`cat ${path}`), await placeOf(`ls > ${path}`)]).toEqual([read, written]);
  },
);

test("a line that names very many files is not read", async () => {
  const { call } = await setUp();
  const naming = async (count: number) =>
    (await call(BASH, { command: `cat ${"a.txt ".repeat(count)}` })).command!.line.kind;
  expect([await naming(500), await naming(501)]).toEqual(["parsed", "unparsed"]);
});

test("what the model obeys and what hooks run is protected from edits, wherever it lies in the project", async () => {
  const { call, root } = await setUp();
  const obeyed = { obeyedFiles: [join(root, "run.sh")] };
  for (const [tool, file_path, place] of [
    [EDIT, "a.txt", "inside"],
    [EDIT, "AGENTS.md", "protected"],
    [EDIT, "sub/claude.md", "protected"],
    [READ, "AGENTS.md", "inside"],
    [EDIT, "MYAGENTS.md", "inside"],
    [EDIT, "run.sh", "protected"],
    [EDIT, "sub/../run.sh", "protected"],
    [EDIT, ".git/config", "protected"],
    [EDIT, "../x", "outside"],
    [EDIT, "/tmp/x", "outside"],
    [EDIT, "link/x", "outside"],
  ] as const)
    expect([file_path, (await call(tool, { file_path }, obeyed)).place]).toEqual([file_path, place]);
  expect((await call(EDIT, { path: "a.txt" })).paths).toEqual(["a.txt"]);
  expect((await call(EDIT, { file_path: 5 })).place).toBe("none");
  expect(await call(EDIT, null)).toMatchObject({ place: "none", paths: [], hosts: [] });
});

test("a stored result can be read only", async () => {
  const guard = { roots: ["/p"], locate: async (path: string) => ({ kind: "stored-result", path }) as const };
  const placeOf = async (tool: ToolAccess) => (await toPermissionCall(tool, { file_path: "/r" }, { guard })).place;
  expect([await placeOf(READ), await placeOf(EDIT)]).toEqual(["inside", "outside"]);
});

test("the hosts of a call are those that it names and that are not open to all", async () => {
  const { call } = await setUp();
  const openHosts = ["*.open.example"];
  const hostsOf = async (tool: ToolAccess, input: unknown) => (await call(tool, input, { openHosts })).hosts;
  const fetch: ToolAccess = { name: "Fetch", effect: "read", network: "always" };
  expect(await hostsOf(BASH, { command: "ls" })).toEqual([]);
  expect(await hostsOf(BASH, { command: "ls", network: true })).toBe("any");
  expect(await hostsOf(BASH, { command: "ls", network: "true" })).toEqual([]);
  expect(await hostsOf(BASH, { command: "ls", network: ["a.example", 5, "b.open.example"] })).toEqual(["a.example"]);
  expect(await hostsOf(fetch, { url: "https://a.example:8080/b" })).toEqual(["a.example"]);
  for (const url of ["no address", 5, "file:///a"]) expect(await hostsOf(fetch, { url })).toBe("any");
  expect(await hostsOf({ ...fetch, network: ["c.example"] }, { url: "https://a.example" })).toEqual(["c.example"]);
});
