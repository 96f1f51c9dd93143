import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MEMORY_LIMITS } from "../extensions/memory/memory-limits.ts";
import { barePath } from "../testing/bare-path.ts";
import { startCli } from "../testing/run-cli.ts";
import { createHere } from "../testing/run-here.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { openTmux } from "../testing/tmux-screen.ts";

const FILES = { "limit.ts": "export const limit = 10;\n" };
const IDLE = "Type a message";

test("memory is tidied up between turns when it is time, and says so", async () => {
  const project = temporaryProject(FILES, "/tmp");
  mkdirSync(join(project.home, ".palimpsest"), { mode: 0o700 });
  writeFileSync(join(project.home, ".palimpsest", "settings.json"), JSON.stringify({ memory: "on" }));
  const cli = await startCli(project, scriptedModel);
  // A dream needs sessions to read.
  const here = createHere({ ...cli, clock: { now: Date.now } });
  for (let session = 0; session < MEMORY_LIMITS.dreamMinSessions; session++)
    await here.run(["-p", "explain the limit", "--base-url", cli.server.url]);
  const screen = await openTmux(cli, { columns: 80, rows: 24, environment: { PATH: barePath(project) } });
  await screen.see(IDLE);
  await screen.type("are you there");
  await screen.press("Enter");
  await screen.see("Tidying up the memory in the background");
  await screen.keeps("background-dream", "nothing had to change.");
  await screen.type("/resume");
  await screen.press("Enter");
  // The dream is no session that anybody goes on with.
  await screen.asks("Choose a session", "no-dreams");
  expect(cli.refused()).toEqual([]);
});
