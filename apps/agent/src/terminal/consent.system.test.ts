import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { barePath } from "../testing/bare-path.ts";
import { startCli } from "../testing/run-cli.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { openTmux } from "../testing/tmux-screen.ts";
import { QUERY_SERVER } from "../testing/tool-server.ts";

const SIZES = [
  [80, 24],
  [140, 45],
] as const;
const FILES = { "limit.ts": "export const limit = 10;\n" };
const IDLE = "Type a message";

async function open([columns, rows]: readonly [number, number], settings: object = {}) {
  const project = temporaryProject(FILES, "/tmp");
  mkdirSync(join(project.home, ".palimpsest"), { mode: 0o700 });
  writeFileSync(join(project.home, ".palimpsest", "settings.json"), JSON.stringify(settings));
  const cli = await startCli(project, scriptedModel);
  const screen = await openTmux(cli, { columns, rows, environment: { PATH: barePath(project) } });
  await screen.see(IDLE);
  return { project, cli, screen };
}

test.for(SIZES)("every kind of question shows what would be done: %i columns, %i rows", async (size) => {
  const servers = { db: { command: [process.execPath, "--input-type=module", "--eval", QUERY_SERVER] } };
  const { screen, project, cli } = await open(size, { servers });

  // A call of a server: all its fields, and no talk of commands.
  await screen.say("query the users");
  await screen.asks("Call query on the MCP server db?", "server-permission");
  await screen.answer(3);
  await screen.see("(denied)", "esc stops");

  await screen.say("read it");
  await screen.see("export const", "esc stops");
  await screen.say("overwrite it");
  await screen.asks("Overwrites limit.ts (1 line)", "overwrite-permission");
  await screen.answer(1);
  await screen.see("Replaced limit.ts (2 lines).", "esc stops");

  // Longer than the screen: yes can be said once its end, with what was planted there, has been seen.
  await screen.say("plant a file");
  await screen.asks("Create this file?", "long-start");
  // Each key is seen to have arrived: on a busy machine two may come as one piece, which counts as a paste.
  await screen.press("2");
  await screen.see("❯ 2. ");
  await screen.press("1");
  await screen.see("❯ 1. ");
  await screen.press("Enter");
  await screen.see("not yet: see the end first");
  expect(await screen.capture()).not.toContain("evil.example");
  expect(existsSync(join(project.folder, "long.ts"))).toBe(false);
  await screen.pressUntil("PageDown", /lines [2-9]\d+-\d+ of 217|lines 1\d+-\d+ of 217/);
  await screen.press("End");
  await screen.see("evil.example", "not yet");
  await screen.asks("Create this file?", "long-end");
  await screen.press("Home");
  await screen.see("value0 =");
  await screen.answer(1);
  await screen.see("Wrote the new file long.ts (213 lines).", "esc stops");

  // An agent that works in the background asks under its name.
  await screen.say("help me");
  await screen.asks("Asked by the background agent helper.", "agent-permission");
  await screen.press("Escape");
  await screen.see(IDLE, "esc stops");
  expect(existsSync(join(project.folder, "approved"))).toBe(false);
  expect(cli.refused()).toEqual([]);
});

test("keys that are typed as a question opens approve nothing", async () => {
  const { screen, project } = await open(SIZES[0]);
  await screen.say("touch it");
  // Whoever types goes on doing so, with the keys that used to say yes.
  for (let shown = ""; !shown.includes("Run this command?"); shown = await screen.capture()) await screen.press("1");
  await screen.press("1", "1", "3", "y", "Enter", "1", "2", "Enter", "1");
  await screen.asks("Run this command?");
  await screen.paste("1\n");
  await screen.paste("pasted");
  await screen.see("pasted");
  await screen.asks("Run this command?");
  expect(existsSync(join(project.folder, "approved"))).toBe(false);
  await screen.answer(1);
  await screen.see("✓ Bash echo yes > approved");
  expect(existsSync(join(project.folder, "approved"))).toBe(true);
});

test("a question that is read goes with the window, and what was read stays read", async () => {
  const { screen, project } = await open(SIZES[1]);
  await screen.say("plant a file");
  await screen.asks("Create this file?");
  await screen.press("End");
  await screen.see("evil.example", "not yet");
  await screen.resize(80, 24);
  await screen.see(/lines \d+-\d+ of \d+/, /─{90}/);
  await screen.answer(1);
  await screen.see("Wrote the new file long.ts (213 lines).", "esc stops");
  expect(project.text("long.ts")).toContain("evil.example");
});
