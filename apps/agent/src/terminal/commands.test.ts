import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { barePath } from "../testing/bare-path.ts";
import { expectScreen } from "../testing/expect-screen.ts";
import { startCli } from "../testing/run-cli.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { hasTmux, openTmux } from "../testing/tmux-screen.ts";

// Real processes in real terminals, on machines that have other things to do.
vi.setConfig({ testTimeout: 180_000 });

const BIG = Array.from({ length: 900 }, (_, index) => `row ${index + 1} of a table that fills the window`).join("\n");
const FILES = { "limit.ts": "export const limit = 10;\n", "big.txt": BIG };
const IDLE = "Ask something";

test.runIf(hasTmux).for([
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
  await keep("context", screen.see("Largest entries"));
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

test.runIf(hasTmux).for([
  [80, 24],
  [140, 45],
] as const)("going back and around in a terminal of %i columns and %i rows", async ([columns, rows]) => {
  const size = `${columns}x${rows}`;
  const project = temporaryProject(FILES, "/tmp");
  const settings = { hooks: [{ event: "Stop", command: "true" }], servers: {} };
  mkdirSync(join(project.home, ".palimpsest"), { mode: 0o700 });
  writeFileSync(join(project.home, ".palimpsest", "settings.json"), JSON.stringify(settings));
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
  await screen.press("BTab");
  await screen.see("· accept-edits ·");
  await say("edit the limit");
  await screen.see("Edited limit.ts at line 1.\n", "esc stops");
  expect(project.text("limit.ts")).toContain("limit = 20");

  await say("/snip 7");
  await keep("snip", screen.see("Taken out:"));
  await say("/snip undo");
  await screen.see("Back in view:");
  await say("/snip");
  await keep("snip-choose", screen.see("What is to be taken out?"));
  await screen.press("Escape");
  await screen.see(IDLE);

  await screen.press("Escape");
  await screen.see("Esc again goes back");
  await screen.press("Escape");
  await keep("rewind", screen.see("Back to before which message?"));
  await screen.type("edit");
  await screen.see("search: edit", /^ {2}read the limit$/m);
  await screen.press("Enter");
  await keep("rewind-way", screen.see("What is to be done?"));
  await screen.press("Enter");
  await keep("rewound", screen.see("restored limit.ts"));
  expect(project.text("limit.ts")).toBe(FILES["limit.ts"]);
  // The message is there to be said in other words.
  await screen.see("> edit the limit");
  await screen.press("C-u");
  await screen.see(IDLE);

  await say("serve it");
  await screen.see("Run this command?");
  await screen.press("1");
  await screen.see("in the background: b1 sleep 1000", "esc stops");
  await say("/tasks");
  await screen.see("In the background");
  await screen.press("Enter");
  await keep("tasks", screen.see("the end of its output"));
  await screen.press("2");
  await screen.see("b1 was stopped.", "(/tasks)");

  await say("/mode");
  await keep("mode", screen.see("Which mode?"));
  await screen.press("3");
  await screen.see("Mode plan");
  await say("plan the change");
  await keep("plan", screen.see("Begin with this plan?"));
  await screen.press("1");
  await screen.see("approved the plan", "esc stops");

  await say("/model");
  await keep("model", screen.see("Which model?"));
  await screen.press("2");
  await screen.type("claude-opus-4-8");
  await screen.press("Enter");
  await screen.see("· claude-opus-4-8");
  await say("/hooks");
  await screen.see("Stop");
  await say("/mcp");
  await screen.see("There are no servers.");
  await say("/doctor");
  await screen.see("provider: anthropic", "esc stops");
  await say("/memory");
  await screen.see("Nothing is remembered yet.", "esc stops");
  await say("remember something");
  await screen.see("The tool said", "esc stops");
  await say("/memory inbox");
  await keep("memory-inbox", screen.see("Keep this?"));
  await screen.press("1");
  await screen.see("registry is kept.");
  await say("/memory inbox");
  await screen.see("Nothing waits for your yes.");
  await say("/dream --dry-run");
  await screen.see("Nothing was", "esc stops");
  await say("/clear");
  await screen.see("── A new session");
  await say("/resume");
  await screen.see("Which session?");
  await screen.type("read the limit");
  await keep("resume", screen.see("search: read the limit", "Make as few"));
  await screen.press("Enter");
  await screen.see("earlier messages", "Which session?");
  await say("/exit");
  await screen.ended();
  expect(cli.refused()).toEqual([]);
});
