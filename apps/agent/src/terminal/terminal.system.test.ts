import { expect, test } from "vitest";
import { barePath } from "../testing/bare-path.ts";
import { startCli } from "../testing/run-cli.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { openTmux } from "../testing/tmux-screen.ts";

const FILES = { "limit.ts": "export const limit = 10;\n", "docs/limits.md": "The limit is 20.\n" };
const IDLE = "Type a message";

test.for([
  [80, 24],
  [140, 45],
] as const)("a conversation in a terminal of %i columns and %i rows", async ([columns, rows]) => {
  const project = temporaryProject(FILES, "/tmp");
  const cli = await startCli(project, scriptedModel);
  const screen = await openTmux(cli, { columns, rows, environment: { PATH: barePath(project) } });

  await screen.keeps("start", IDLE);
  await screen.say("explain the limit");
  await screen.keeps("answer", "fit.", "esc stops");

  await screen.say("run the checks");
  await screen.asks("Run this command?", "permission");
  await screen.answer(2);
  await screen.asks("Stop asking?", "permission-always");
  await screen.press("Escape");
  await screen.asks("Run this command?");
  await screen.answer(2);
  await screen.asks("Stop asking?");
  await screen.answer(1);
  await screen.keeps("tool-output", "The tool said", "esc stops");
  // Allowed for this session: it is not asked again.
  await screen.say("run the checks");
  await screen.see(/The tool said[\s\S]*The tool said/, "esc stops");

  await screen.say("read it first");
  await screen.see("export const", "esc stops");
  await screen.say("edit the limit");
  await screen.asks("Change this file?", "edit-permission");
  await screen.answer(1);
  await screen.keeps("edit-done", "Edited limit.ts", "esc stops");

  await screen.say("write a file");
  await screen.asks("Create this file?", "create-permission");
  await screen.press("4");
  await screen.see("❯ 4.");
  await screen.type("not now");
  await screen.keeps("denied-with-words", "not now");
  await screen.press("Enter");
  await screen.keeps("denied", "(denied)", "esc stops");

  await screen.say("ask me");
  await screen.asks("The main agent asks", "question");
  await screen.press("Down", "Enter");
  await screen.see("answer: 50", "esc stops");

  await screen.say("escape the screen");
  await screen.keeps("escapes", "not red", "esc stops");

  await screen.type("!echo mine && exit 3");
  await screen.press("Enter");
  await screen.keeps("shell", "(exit code 3)");

  await screen.say("/hepl");
  await screen.keeps("unknown-command", "Did you mean /help?");
  await screen.type("/he");
  await screen.keeps("suggestions", "show this list");
  await screen.press("Enter");
  await screen.keeps("help", "ctrl-c twice");
  expect(cli.refused()).toEqual([]);
});

test("what runs is stopped at once, what waited comes back to the prompt, and a resize leaves no garbage", async () => {
  const project = temporaryProject(FILES, "/tmp");
  const cli = await startCli(project, scriptedModel);
  const screen = await openTmux(cli, { columns: 140, rows: 45, environment: { PATH: barePath(project) } });
  await screen.see(IDLE);
  await screen.say("stall please");
  await screen.see("Line 26");
  await screen.resize(80, 24);
  await screen.keeps("resized-in-mid-stream", "Line 26", /─{90}/);
  await screen.resize(140, 45);
  await screen.keeps("resized-back", /─{140}/);

  await screen.say("say this next");
  await screen.keeps("queued", "queued: say this next");
  await screen.press("Escape");
  await screen.see("Stopped.");
  await screen.see("> say this next", "esc stops");
  await screen.press("Enter");
  await screen.keeps("stopped", "You said: say this next", "esc stops");

  await screen.say("todo list");
  await screen.asks("Run this command?");
  await screen.answer(1);
  await screen.keeps("todos", "Change the limit", "Run this command?");
  await screen.press("C-c");
  await screen.see("Stopped.", "esc stops");
  await screen.press("C-c");
  await screen.see("Press Ctrl-C again to exit.");
  await screen.press("C-c");
  await screen.ended();
});
