import { expect, test } from "vitest";
import { barePath } from "../testing/bare-path.ts";
import { startCli } from "../testing/run-cli.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { openTmux } from "../testing/tmux-screen.ts";

const FILES = { "limit.ts": "export const limit = 10;\n" };
const IDLE = "Type a message";

test("answers are read as Markdown, and long results and pastes are folded with true counts", async () => {
  const project = temporaryProject(FILES, "/tmp");
  const cli = await startCli(project, scriptedModel);
  const args = ["--allow", "Bash(seq *)"];
  const screen = await openTmux(cli, { columns: 80, rows: 24, args, environment: { PATH: barePath(project) } });
  await screen.see(IDLE);
  await screen.say("tabulate it");
  await screen.keeps("markdown", "twenty", "esc stops");

  await screen.say("count the lines");
  await screen.keeps("long-result", "… 199,996 more lines (ctrl-o)", "esc stops");

  await screen.paste(Array.from({ length: 300 }, (_, index) => `pasted ${index + 1}`).join("\n"));
  await screen.see("[paste 1: 300 lines]");
  await screen.press("Enter");
  await screen.keeps("long-paste", "… 289 more lines (ctrl-o)", "esc stops");
  expect(cli.refused()).toEqual([]);
});

test("the keys of readline edit the prompt, and an editor of one's own does", async () => {
  const project = temporaryProject(FILES, "/tmp");
  const cli = await startCli(project, scriptedModel);
  const environment = { PATH: barePath(project), EDITOR: 'sh -c \'printf %s "and more" >> "$1"\' sh' };
  const screen = await openTmux(cli, { columns: 80, rows: 24, environment });
  await screen.see(IDLE);
  await screen.type("one two three");
  await screen.see("> one two three");
  await screen.press("C-Left", "C-Left", "DC");
  await screen.see("> one wo three");
  await screen.press("C-k");
  await screen.see(/> one\s*$/m);
  await screen.press("C-y");
  await screen.see("> one wo three");
  await screen.press("C-_");
  await screen.see(/> one\s*$/m);
  await screen.press("C-g");
  await screen.see("and more");
  await screen.press("Enter");
  await screen.see("You said: one and more", "esc stops");
  await screen.press("C-r");
  await screen.see("enter takes it");
  await screen.type("more");
  await screen.see(/search: more .*\n {2}one and more/);
  await screen.press("Enter");
  await screen.see("> one and more");
  // No shell waits for this program, so the system does not stop it; the screen comes back.
  await screen.press("C-z");
  await screen.pressUntil("x", "> one and morex");
});

test("what waits is seen, withdrawn and edited; a command waits, too; Escape brings it back", async () => {
  const project = temporaryProject(FILES, "/tmp");
  const cli = await startCli(project, scriptedModel);
  const screen = await openTmux(cli, { columns: 80, rows: 24, environment: { PATH: barePath(project) } });
  await screen.see(IDLE);
  await screen.say("stall please");
  await screen.see("Line 26");
  for (const text of ["first", "second", "/clear"]) {
    await screen.say(text);
    await screen.see(`queued: ${text}`);
  }
  await screen.press("Up");
  await screen.keeps("queue", "❯ queued: /clear");
  await screen.press("DC");
  await screen.see("queued: second", "queued: /clear");
  await screen.press("Up");
  await screen.see("❯ queued: second");
  await screen.press("Up");
  await screen.see("❯ queued: first");
  await screen.press("M-Down");
  await screen.see(/queued: second[\s\S]*❯ queued: first/);
  await screen.press("Enter");
  await screen.see("> first", "queued: first");
  await screen.type(" of all");
  await screen.see("> first of all");
  await screen.press("Escape");
  await screen.see(/Stopped\. Everything so far is kept\.[\s\S]*> second\s+first of all/, "esc stops");
  await screen.press("C-u");
  await screen.press("C-u");
  await screen.pressUntil("C-c", IDLE);

  await screen.say("take your time");
  await screen.see("esc stops");
  await screen.say("/cost");
  await screen.see("The next request has");
  await screen.say("/clear");
  await screen.see("── New session", "esc stops");
  expect(cli.refused()).toEqual([]);
});

test("models are listed with window and price, typos are named, and refusals are in words", async () => {
  const project = temporaryProject(FILES, "/tmp");
  const cli = await startCli(project, scriptedModel);
  const args = ["--model", "claude-sonet-5-5"];
  const screen = await openTmux(cli, { columns: 80, rows: 24, args, environment: { PATH: barePath(project) } });
  await screen.see(IDLE);
  await screen.say("hello");
  await screen.keeps("no-such-model", "Anthropic has no such model or address (404)", "esc stops");
  await screen.say("/model claude-sonet-5-5x");
  await screen.see("Did you mean claude-sonnet-5-5?");
  await screen.say("/model");
  await screen.asks("Choose a model", "models");
  await screen.type("sonnet-5-5");
  await screen.see("search: sonnet-5-5");
  await screen.press("Enter");
  await screen.see("Model switched to claude-sonnet-5-5.");
  await screen.press("M-t");
  await screen.see("sonnet-5-5 low");
  await screen.say("/effort");
  await screen.asks("How much should the model think?", "effort");
  await screen.answer(4);
  await screen.see("Effort high: most tasks");
  await screen.see("sonnet-5-5 high");
});
