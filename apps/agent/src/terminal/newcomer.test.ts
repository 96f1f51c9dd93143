import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { barePath } from "../testing/bare-path.ts";
import { startCli } from "../testing/run-cli.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { sentRequests } from "../testing/sent-requests.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { hasTmux, openTmux } from "../testing/tmux-screen.ts";

// What a new user met in the first hour. Real processes in real terminals, on machines that have other things to do.
vi.setConfig({ testTimeout: 300_000 });

const FILES = { "limit.ts": "export const limit = 10;\n" };
const IDLE = "Type a message";

test.runIf(hasTmux)(
  "answers are read as Markdown, and long results and pastes are folded with true counts",
  async () => {
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
  },
);

test.runIf(hasTmux)("the keys of readline edit the prompt, and an editor of one's own does", async () => {
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
  await screen.keeps("history-search", "enter takes it");
  await screen.press("Enter");
  await screen.see("> one and more");
});

test.runIf(hasTmux)(
  "what waits is seen, withdrawn and edited; a command waits, too; Escape brings it back",
  async () => {
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
  },
);

test.runIf(hasTmux)("models are listed with window and price, typos are named, and refusals are in words", async () => {
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
  await screen.type("/");
  await screen.keeps("menu", "1-8 of ");
  await screen.press("Up");
  await screen.keeps("menu-end", "❯ /exit");
  await screen.press("Escape");
});

test.runIf(hasTmux)("--resume without an ID lets the person choose", async () => {
  const project = temporaryProject(FILES, "/tmp");
  const cli = await startCli(project, scriptedModel);
  for (const text of ["the first task", "the second task"]) await cli.run(["-p", text]);
  const refused = await cli.run(["--resume", "-p", "hello"]);
  expect(refused).toMatchObject({ code: 2, said: expect.stringContaining("palimpsest sessions") });
  const screen = await openTmux(cli, {
    columns: 80,
    rows: 24,
    args: ["--resume"],
    environment: { PATH: barePath(project) },
  });
  await screen.asks("Choose a session", "resume-picker");
  await screen.type("first");
  await screen.see("search: first", "the second task");
  await screen.press("Enter");
  await screen.see("You said: the first task");
});

test.runIf(hasTmux)("a session is named, exported, reviewed; a command goes on in the background", async () => {
  const project = temporaryProject(FILES, "/tmp");
  const cli = await startCli(project, scriptedModel);
  const args = ["--allow", "Bash(sleep *)"];
  const screen = await openTmux(cli, { columns: 80, rows: 24, args, environment: { PATH: barePath(project) } });
  await screen.see(IDLE);
  await screen.say("todo list");
  await screen.see("Bash sleep 600");
  await screen.press("C-b");
  await screen.keeps("backgrounded", /in the background: b1 sleep 600/, "esc stops");
  expect(sentRequests(cli).at(-1)?.texts.at(-1)).toContain("The user moved the command to the background as b1.");
  // No shell waits for this program, so the system does not stop it; the screen comes back.
  await screen.press("C-z");
  await screen.pressUntil("x", "> x");
  await screen.press("C-u");
  await screen.see(IDLE);
  await screen.say("/rename The limits");
  await screen.see('This session is now called "The limits".');
  await screen.say("/export notes.md");
  await screen.see("Wrote the conversation to");
  expect(readFileSync(join(project.folder, "notes.md"), "utf8")).toMatch(/^## You\n\ntodo list\n/);
  await screen.say("/export notes.md");
  await screen.see("exists already");
  await screen.say("/export log.jsonl");
  await screen.see("log.jsonl (");
  expect(JSON.parse(readFileSync(join(project.folder, "log.jsonl"), "utf8").split("\n")[0]!)).toBeTypeOf("object");
  await screen.say("/review limit.ts");
  await screen.see("say what you looked at", "esc stops");
  await screen.say("/init");
  await screen.see("what you could not find out", "esc stops");
  const [review, init] = sentRequests(cli)
    .slice(-2)
    .map(({ texts }) => texts.join("\n"));
  expect(review).toContain("Review limit.ts. Change nothing.");
  expect(init).toContain("Write AGENTS.md for this project");
  await screen.say("/exit");
  await screen.see(/This session cost ~?\$0\.\d{4}\. To resume it: palimpsest --resume [0-9a-f]{8}/);
  await screen.ended();
  expect((await cli.run(["sessions"])).out).toContain("The limits");
  expect(cli.refused()).toEqual([]);
});
