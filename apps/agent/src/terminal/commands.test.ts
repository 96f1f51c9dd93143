import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { barePath } from "../testing/bare-path.ts";
import { startCli } from "../testing/run-cli.ts";
import { createHere } from "../testing/run-here.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { hasTmux, openTmux } from "../testing/tmux-screen.ts";

const BIG = Array.from({ length: 900 }, (_, index) => `row ${index + 1} of a table that fills the window`).join("\n");
const FILES = { "limit.ts": "export const limit = 10;\n", "big.txt": BIG };
/** One pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const IDLE = "Type a message";

test.runIf(hasTmux).for([
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

test.runIf(hasTmux).for([
  [80, 24],
  [140, 45],
] as const)("going back and around in a terminal of %i columns and %i rows", async ([columns, rows]) => {
  const project = temporaryProject(FILES, "/tmp");
  const started = { event: "SessionStart", command: "cat >> ../starts" };
  const settings = { hooks: [{ event: "Stop", command: "true" }, started], servers: {} };
  mkdirSync(join(project.home, ".palimpsest"), { mode: 0o700 });
  writeFileSync(join(project.home, ".palimpsest", "settings.json"), JSON.stringify(settings));
  const cli = await startCli(project, scriptedModel);
  const screen = await openTmux(cli, { columns, rows, environment: { PATH: barePath(project) } });
  await screen.see(IDLE);
  await screen.say("read the limit");
  await screen.see("The tool said", "esc stops");
  await screen.press("BTab");
  await screen.see("· accept-edits ·");
  await screen.say("edit the limit");
  await screen.see("Edited limit.ts at line 1.\n", "esc stops");
  expect(project.text("limit.ts")).toContain("limit = 20");

  await screen.say("/snip 8");
  await screen.keeps("snip", "Removed from the context:");
  await screen.say("/snip undo");
  await screen.see("Back in the context:");
  await screen.say("/snip");
  await screen.asks("Choose an entry to remove", "snip-choose");
  await screen.press("Escape");
  await screen.see(IDLE);

  await screen.press("Escape");
  await screen.see("Press Esc again to go back");
  await screen.press("Escape");
  await screen.asks("Choose the message to go back to", "rewind");
  await screen.type("edit");
  await screen.see("search: edit", /^ {2}read the limit$/m);
  await screen.press("Enter");
  await screen.asks("Go back to before this message", "rewind-way");
  await screen.press("Enter");
  await screen.keeps("rewound", "restored limit.ts");
  expect(project.text("limit.ts")).toBe(FILES["limit.ts"]);
  // The message is there to be said in other words.
  await screen.see("> edit the limit");
  await screen.press("C-u");
  await screen.see(IDLE);

  await screen.say("serve it");
  await screen.asks("Run this command?");
  await screen.answer(1);
  await screen.see("in the background: b1 sleep 1000", "esc stops");
  await screen.say("/tasks");
  await screen.asks("In the background");
  await screen.press("Enter");
  await screen.asks("the end of its output", "tasks");
  await screen.answer(2);
  await screen.see("b1 was stopped.", "(/tasks)");

  await screen.say("/mode");
  await screen.asks("Choose a mode", "mode");
  await screen.answer(4);
  await screen.see("Mode plan");
  await screen.say("plan the change");
  await screen.asks("Begin with this plan?", "plan");
  await screen.answer(2);
  await screen.see("approved the plan", "esc stops");

  await screen.say("/model");
  await screen.asks("Choose a model", "model");
  await screen.type("opus-4-8");
  await screen.see("search: opus-4-8");
  await screen.press("Enter");
  await screen.see("· claude-opus-4-8");
  await screen.say("/hooks");
  await screen.keeps("hooks", "Stop");
  await screen.say("/mcp");
  await screen.keeps("mcp", "There are no MCP servers.");
  await screen.say("/doctor");
  await screen.keeps("doctor", "provider: anthropic", "esc stops");
  await screen.say("/memory");
  await screen.keeps("memory", "The memory is empty.", "esc stops");
  await screen.say("remember something");
  await screen.see("The tool said", "esc stops");
  await screen.say("/memory inbox");
  await screen.asks("Save this memory?", "memory-inbox");
  await screen.answer(1);
  await screen.see("Saved use-registry-example.");
  await screen.say("/memory inbox");
  await screen.see("No memory waits for your yes.");
  await screen.say("/dream --dry-run");
  await screen.keeps("dream", "Nothing had to change", "esc stops");
  await screen.say("/clear");
  await screen.keeps("clear", "── New session");
  expect(readFileSync(join(project.base, "starts"), "utf8")).toMatch(/"startup"[\s\S]*"clear"/);
  await screen.say("/resume");
  await screen.asks("Choose a session");
  await screen.type("read the limit");
  await screen.keeps("resume", "search: read the limit", "Make as few");
  await screen.press("Enter");
  await screen.see("earlier messages", "Choose a session");
  await screen.say("/exit");
  await screen.ended();
  expect(cli.refused()).toEqual([]);
});

test.runIf(hasTmux).for([
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

test.runIf(hasTmux)("memory is tidied up between turns when it is time, and says so", async () => {
  const project = temporaryProject(FILES, "/tmp");
  mkdirSync(join(project.home, ".palimpsest"), { mode: 0o700 });
  const put = (name: string, settings: object): void =>
    writeFileSync(join(project.home, ".palimpsest", name), JSON.stringify(settings));
  put("settings.json", { memory: "on" });
  put("engine.json", { "dream.sessions": 1 });
  const cli = await startCli(project, scriptedModel);
  // Somebody has to have worked here before.
  await createHere({ ...cli, clock: { now: Date.now } }).run(["-p", "explain the limit", "--base-url", cli.server.url]);
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
