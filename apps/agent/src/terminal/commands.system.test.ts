import { expect, test } from "vitest";
import { barePath } from "../testing/bare-path.ts";
import { startCli } from "../testing/run-cli.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { openTmux } from "../testing/tmux-screen.ts";

const BIG = Array.from({ length: 900 }, (_, index) => `row ${index + 1} of a table that fills the window`).join("\n");
const FILES = { "limit.ts": "export const limit = 10;\n", "big.txt": BIG };
const IDLE = "Type a message";

test.for([
  [80, 24],
  [140, 45],
] as const)("every command in a terminal of %i columns and %i rows", async ([columns, rows]) => {
  const project = temporaryProject(FILES, "/tmp");
  const cli = await startCli(project, scriptedModel);
  const screen = await openTmux(cli, { columns, rows, environment: { PATH: barePath(project) } });
  await screen.see(IDLE);
  await screen.say("read the limit");
  await screen.see("The tool said", "esc stops");
  await screen.say("edit the limit");
  await screen.asks("Change this file?");
  await screen.answer(1);
  await screen.see("Edited limit.ts at line 1.\n", "esc stops");
  expect(project.text("limit.ts")).toContain("limit = 20");
  await screen.say("big file please");
  await screen.see("row 1 of a table", "esc stops");

  await screen.say("/context");
  await screen.keeps("context", "Largest entries");
  await screen.say("/cost");
  await screen.keeps("cost", "The next request has");
  await screen.say("/notes update");
  await screen.keeps("notes", "being changed", "esc stops");
  await screen.say("/pin The limit is 20.");
  await screen.keeps("pin", "Pinned (to remove one: /pin remove N)");
  await screen.say("/recall export const");
  await screen.keeps("recall", /entry \d+|const limit/);

  await screen.say("/compact keep the numbers");
  await screen.keeps("compacted", "── Compacted", "esc stops");
  await screen.press("C-o");
  await screen.see("Transcript:");
  await screen.press("c");
  await screen.keeps("transcript-summary", "## 1. Section");
  await screen.press("o");
  await screen.keeps("transcript-original", "❯ 2 ");
  await screen.press("/");
  await screen.type("row 77 ");
  await screen.press("Enter");
  await screen.keeps("transcript-search", "row 77 of a table");
  await screen.press("c", "u");
  await screen.keeps("transcript-undone", "Compaction undone:");
  await screen.press("q");
  await screen.see(IDLE, "Transcript:");
  await screen.say("/undo");
  await screen.see("Nothing to undo");

  // On an empty screen, so that the screens do not depend on how far it has scrolled.
  await screen.press("C-l");
  await screen.see(IDLE, "Nothing to undo");
  await screen.say("/permissions");
  await screen.keeps("permissions", /mode/i);
  await screen.press("C-l");
  await screen.see(IDLE, "/permissions");
  await screen.say("/effort");
  await screen.asks("How much should the model think?", "efforts");
  await screen.press("Escape");
  await screen.see(IDLE);
  expect(cli.refused()).toEqual([]);
});
