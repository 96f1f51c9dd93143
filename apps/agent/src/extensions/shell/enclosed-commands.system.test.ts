import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Ask, answer, callTool, callTools } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startCli } from "../../testing/run-cli.ts";
import { temporaryProject } from "../../testing/temporary-project.ts";

/** Runs the command line that the user names. */
function think({ userText, toolResults }: Ask) {
  const command = /^Run (.+)$/m.exec(userText)?.[1];
  return toolResults.length > 0 || command === undefined ? answer("Done.") : callTools(callTool("Bash", { command }));
}

test("notifies the person and the model about a protected file that a command created", async () => {
  const project = temporaryProject({ "a.txt": "" }, "/var/tmp");
  const cli = await startCli(project, think);
  const ended = await cli.run([
    "-p",
    "Run mkdir -p lib sub/.vscode && git init -q lib",
    "--mode",
    "bypass",
    "--output-format",
    "json",
  ]);
  expect(ended).toMatchObject({ code: 0 });
  const lines = [
    "A command made or replaced a protected name: new repository: lib/.git. Its hooks and settings decide what your git runs. Look at it before you use it.",
    "A command made or replaced a protected name: changed: sub/.vscode. It decides what your editor runs. Look at it before you use it.",
  ];
  for (const line of lines) expect(ended.said).toContain(line);
  expect(JSON.parse(ended.out)).toMatchObject({ notices: expect.arrayContaining(lines) });
});

test("two sessions in one project keep each other's protected names covered", async () => {
  const project = temporaryProject({ "a.txt": "" }, "/var/tmp");
  const cli = await startCli(project, think);
  const evil = "touch begun; until test -e go; do sleep 0.1; done; mkdir -p .idea; echo evil > .idea/x; true";
  const first = cli.start(["-p", `Run ${evil}`, "--mode", "bypass"]);
  await expect.poll(() => existsSync(join(project.folder, "begun"))).toBe(true);
  const second = await cli.run(["-p", "Run mkdir .idea/y; ls a.txt", "--mode", "bypass"]);
  expect(second).toMatchObject({ code: 0 });
  expect(second.said).not.toContain("protected name");
  // The first session's covers and mounts are still there.
  expect(existsSync(join(project.folder, ".idea"))).toBe(true);
  project.put("go", "");
  const ended = await first.ended;
  expect(ended).toMatchObject({ code: 0 });
  expect(ended.said).not.toContain("protected name");
  expect(readdirSync(project.folder).sort()).toEqual(["a.txt", "begun", "go"]);
});
