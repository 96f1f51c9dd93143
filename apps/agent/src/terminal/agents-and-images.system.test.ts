import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { barePath } from "../testing/bare-path.ts";
import { startCli } from "../testing/run-cli.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { openTmux } from "../testing/tmux-screen.ts";

const FILES = { "limit.ts": "export const limit = 10;\n" };
/** One pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const IDLE = "Type a message";

test.for([
  [80, 24],
  [140, 45],
] as const)("agents, hooks and images in a terminal of %i columns and %i rows", async ([columns, rows]) => {
  const project = temporaryProject(FILES, "/tmp");
  project.put("shot.png", Buffer.from(PNG, "base64"));
  project.put("hold", "");
  // Also ends when the folder goes, however the test ends.
  const hook = 'while [ -e "$PWD/hold" ]; do sleep 0.1; done';
  mkdirSync(join(project.home, ".palimpsest"), { mode: 0o700 });
  writeFileSync(
    join(project.home, ".palimpsest", "settings.json"),
    JSON.stringify({ hooks: [{ event: "PreToolUse", tools: "Read", command: hook }] }),
  );
  const cli = await startCli(project, scriptedModel);
  const screen = await openTmux(cli, { columns, rows, environment: { PATH: barePath(project) } });
  await screen.see(IDLE);
  await screen.say("show me @shot.png");
  await screen.see("I see 1 images.", "esc stops");
  await screen.paste(join(project.folder, "shot.png"));
  await screen.see("> @");
  await screen.press("C-u");
  await screen.see(IDLE);

  await screen.say("read the limit");
  await screen.keeps("hook", "Hook PreToolUse");
  rmSync(join(project.folder, "hold"));
  await screen.see("The tool said", "esc stops");

  await screen.say("/agents");
  await screen.see("This session has started no agents.");
  await screen.say("send somebody");
  // More than "The tool said": that is still there from the turn before.
  await screen.see("The tool said: Agent", "esc stops");
  await screen.say("/agents");
  await screen.asks("Choose an agent", "agents");
  await screen.press("Enter");
  await screen.asks("Follow it live", "agents-way");
  await screen.answer(2);
  await screen.see("stall please");
  await screen.press("Escape");
  await screen.see(IDLE, "esc stops");
  await screen.say("/agents stop counter");
  await screen.see("Stopped.", "esc stops");
  // On a full screen, how far it has scrolled depends on which frames were drawn: an empty one has room.
  await screen.press("C-l");
  await screen.see(IDLE, "Stopped.");
  // What one reports is told to the model, without anybody having to ask.
  await screen.say("delegate it");
  await screen.keeps("agents-report", "It was reported: There are three.", "esc stops");
  await screen.say("/exit");
  await screen.ended();
  expect(cli.refused()).toEqual([]);
});
