import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { barePath } from "../testing/bare-path.ts";
import { startCli } from "../testing/run-cli.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { openTmux } from "../testing/tmux-screen.ts";

const FILES = { "limit.ts": "export const limit = 10;\n" };
const IDLE = "Type a message";

test.for([
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
  // Not "The tool said" alone: a large screen still shows what another tool said before.
  await screen.see("The tool said: It waits in the inbox", "esc stops");
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
