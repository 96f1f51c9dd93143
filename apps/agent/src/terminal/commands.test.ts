import { expect, test, vi } from "vitest";
import { barePath } from "../testing/bare-path.ts";
import { expectScreen } from "../testing/expect-screen.ts";
import { startCli } from "../testing/run-cli.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { openTmux } from "../testing/tmux-screen.ts";

// Real processes in real terminals, on machines that have other things to do.
vi.setConfig({ testTimeout: 180_000 });

const BIG = Array.from({ length: 900 }, (_, index) => `row ${index + 1} of a table that fills the window`).join("\n");
const FILES = { "limit.ts": "export const limit = 10;\n", "big.txt": BIG };
const IDLE = "Ask something";

test.for([
  [80, 24],
  [140, 45],
] as const)("every command in a terminal of %i columns and %i rows", async ([columns, rows]) => {
  const size = `${columns}x${rows}`;
  const project = temporaryProject(FILES, "/tmp");
  const cli = await startCli(project, scriptedModel);
  const screen = await openTmux(cli, { columns, rows, environment: { PATH: barePath(project) } });
  const keep = async (name: string, seen: Promise<string>): Promise<void> => expectScreen(size, name, await seen);
  const say = async (text: string): Promise<void> => {
    await screen.type(text);
    await screen.see(text);
    await screen.press("Enter");
  };
  await screen.see(IDLE);
  await say("read the limit");
  await screen.see("The tool said", "esc stops");
  await say("edit the limit");
  await screen.see("Change this file?");
  await screen.press("1");
  await screen.see("Edited limit.ts at line 1.\n", "esc stops");
  expect(project.text("limit.ts")).toContain("limit = 20");
  await say("big file please");
  await screen.see("row 1 of a table", "esc stops");

  await say("/context");
  await keep("context", screen.see("Largest entries", "/context"));
  await say("/cost");
  await keep("cost", screen.see("The next request has"));
  await say("/notes update");
  await keep("notes", screen.see("being changed", "esc stops"));
  await say("/pin The limit is 20.");
  await keep("pin", screen.see("Pinned (/pin remove N)"));
  await say("/recall export const");
  await screen.see(/entry \d+|const limit/);

  await say("/compact keep the numbers");
  await keep("compacted", screen.see("── Compacted", "esc stops"));
  await screen.press("C-o");
  await screen.see("Transcript:");
  await screen.press("c");
  await keep("transcript-summary", screen.see("## 1. Section"));
  await screen.press("o");
  await keep("transcript-original", screen.see("❯ 3 "));
  await screen.press("/");
  await screen.type("row 77 ");
  await screen.press("Enter");
  await keep("transcript-search", screen.see("row 77 of a table"));
  await screen.press("c", "u");
  await keep("transcript-undone", screen.see("Undone:"));
  await screen.press("q");
  await screen.see(IDLE, "Transcript:");
  await say("/undo");
  await screen.see("There is nothing to undo.");
  expect(cli.refused()).toEqual([]);
});
