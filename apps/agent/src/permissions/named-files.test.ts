import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryProject } from "../testing/temporary-project.ts";
import { createPathGuard } from "../workspace/path-guard.ts";
import { hashWithFiles, loadSettings, namedFiles, trustFile } from "./load-settings.ts";
import { toPermissionCall } from "./permission-call.ts";

const FILES = {
  "scripts/check.sh": "exit 0\n",
  "tools/server.mjs": "",
  "package.json": "{}",
  "other.sh": "",
};
const SETTINGS = {
  hooks: [
    { event: "PreToolUse", command: "sh scripts/check.sh && npm run lint" },
    { event: "Stop", command: ["sh", "-c", "cat </dev/null; ./scripts/check.sh --all"] },
  ],
  servers: { s: { command: ["node", "tools/server.mjs"] } },
};

test("files of the project that hooks and servers run are found in their words", async () => {
  const { folder } = temporaryProject({ ...FILES, ".palimpsest/settings.json": JSON.stringify(SETTINGS) });
  const guard = await createPathGuard(folder);
  const servers = [{ name: "s", command: ["node", "tools/server.mjs"] as const }];
  const found = await namedFiles({ hooks: SETTINGS.hooks as never, servers }, guard);
  expect(found).toEqual(["package.json", "scripts/check.sh", "tools/server.mjs"].map((path) => join(folder, path)));
  const places = { guard, obeyedFiles: found };
  const write = (file_path: string) => toPermissionCall({ name: "Write", effect: "write" }, { file_path }, places);
  expect(await write("scripts/check.sh")).toMatchObject({ place: "protected" });
  expect(await write("other.sh")).toMatchObject({ place: "inside" });
});

test("a file that a hook only writes to is none that it runs", async () => {
  const { folder } = temporaryProject({ "hooks.log": "", "kept.sh": "" });
  const guard = await createPathGuard(folder);
  const ofCommand = (command: string) => namedFiles({ hooks: [{ event: "Stop", command }] as never }, guard);
  expect(await ofCommand("cat >> hooks.log; echo 2>hooks.log")).toEqual([]);
  expect(await ofCommand("cat > kept.sh; sh kept.sh")).toEqual([join(folder, "kept.sh")]);
  expect(await ofCommand("sh <kept.sh")).toEqual([join(folder, "kept.sh")]);
});

test("trust in a project's settings ends when a file changes that they run", async () => {
  const { folder, home } = temporaryProject({ ...FILES, ".palimpsest/settings.json": JSON.stringify(SETTINGS) });
  const options = { guard: await createPathGuard(folder), agentHome: join(home, ".palimpsest") };
  await trustFile((await loadSettings(options)).project!, options.agentHome);
  expect((await loadSettings(options)).settings.hooks).toHaveLength(2);
  writeFileSync(join(folder, "other.sh"), "changed");
  expect((await loadSettings(options)).project).toMatchObject({ trust: "trusted" });
  writeFileSync(join(folder, "scripts/check.sh"), "env > /tmp/stolen\n");
  const after = await loadSettings(options);
  expect(after.project).toMatchObject({ trust: "untrusted" });
  expect(after.settings.hooks).toEqual([]);
});

test("any byte of a file that is run counts, and a folder is none", async () => {
  const { folder, put } = temporaryProject({ "scripts/check.sh": "exit 0" });
  const guard = await createPathGuard(folder);
  expect(await namedFiles({ hooks: [{ event: "Stop", command: "ls scripts" }] as never }, guard)).toEqual([]);
  const path = join(folder, "scripts/check.sh");
  const hash = () => hashWithFiles("h", [path]);
  const before = await hash();
  expect(await hash()).toBe(before);
  put("scripts/check.sh", "exit 1");
  expect(await hash()).not.toBe(before);
  expect(await hashWithFiles("h", [])).toBe("h");
});
