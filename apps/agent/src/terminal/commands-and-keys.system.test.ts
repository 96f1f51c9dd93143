import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { barePath } from "../testing/bare-path.ts";
import { startCli } from "../testing/run-cli.ts";
import { createHere } from "../testing/run-here.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { sentRequests } from "../testing/sent-requests.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { openTmux } from "../testing/tmux-screen.ts";

const FILES = { "limit.ts": "export const limit = 10;\n", "docs/limits.md": "The limit is 20.\n" };
const IDLE = "Type a message";

test.for([
  [80, 24],
  [140, 45],
] as const)(
  "a session is chosen, continued, reviewed, named and left in a terminal of %i columns and %i rows",
  async ([columns, rows]) => {
    const project = temporaryProject(FILES, "/tmp");
    const cli = await startCli(project, scriptedModel);
    const environment = { PATH: barePath(project) };
    const here = createHere({ ...cli, environment: { ...cli.environment, ...environment }, clock: { now: Date.now } });
    const start = ["--mode", "default", "--base-url", cli.server.url];
    for (const text of ["the first task", "the second task"]) await here.run([...start, "-p", text]);
    await expect(here.run(["--resume", "-p", "hello"])).rejects.toThrow("To list the sessions: palimpsest sessions.");

    const args = ["--resume", "--allow", "Bash(sleep *)"];
    const screen = await openTmux(cli, { columns, rows, args, environment });
    await screen.asks("Choose a session", "resume-picker");
    await screen.type("first");
    await screen.see("search: first", "the second task");
    await screen.press("Enter");
    await screen.see("You said: the first task");
    // On an empty screen, so that the screens do not depend on how far it has scrolled.
    const clear = async (gone: string): Promise<void> => {
      await screen.press("C-l");
      await screen.see(IDLE, gone);
    };

    await clear("You said: the first task");
    await screen.say("/review limit.ts");
    await screen.keeps("review", "say what you looked at", "esc stops");
    await clear("/review");
    await screen.say("/init");
    await screen.keeps("init", /what you could not find out[\s\S]*esc stops/);
    // The screen waits for the model before the request is sent.
    const newest = () => sentRequests(cli).at(-1)?.texts.join("\n");
    await expect.poll(newest).toContain("Write AGENTS.md for this project");
    await screen.press("Escape");
    await screen.see("Stopped.", "esc stops");
    const [review, init] = sentRequests(cli)
      .slice(-2)
      .map(({ texts }) => texts.join("\n"));
    expect(review).toContain("Review limit.ts. Change nothing.");
    expect(init).toContain("Write AGENTS.md for this project");

    await clear("AGENTS.md");
    await screen.say("todo list");
    await screen.see("Bash sleep 600");
    await screen.press("C-b");
    await screen.keeps("backgrounded", /in the background: b1 sleep 600/, "esc stops");
    expect(sentRequests(cli).at(-1)?.texts.at(-1)).toContain("The user moved the command to the background as b1.");
    await screen.say("/tasks");
    await screen.asks("In the background");
    await screen.press("Enter");
    await screen.asks("the end of its output");
    await screen.answer(2);
    await screen.see("b1 was stopped.", "(/tasks)");

    await clear("b1 was stopped.");
    await screen.say("todo list");
    await screen.see("Bash sleep 600");
    await screen.press("Escape");
    await screen.see("Stopped.", "esc stops");
    await screen.say("/continue");
    await screen.keeps("continue", "The tool said", "esc stops");

    await clear("/continue");
    await screen.say("/inspect");
    await screen.keeps("inspect", "It lets one browser in, once.");
    await screen.say("/undo");
    await screen.keeps("undo", "Nothing to undo");
    await screen.say("/rename The limits");
    await screen.keeps("rename", 'This session is now called "The limits".');
    await screen.say("/export notes.md");
    await screen.keeps("export", "Wrote the conversation to");
    expect(readFileSync(join(project.folder, "notes.md"), "utf8")).toMatch(/^## You\n\nthe first task\n/);
    await screen.say("/export notes.md");
    await screen.see("exists already");
    await screen.say("/export log.jsonl");
    await screen.see("log.jsonl (");
    expect(JSON.parse(readFileSync(join(project.folder, "log.jsonl"), "utf8").split("\n")[0]!)).toBeTypeOf("object");

    await clear("/export");
    await screen.press("C-r");
    await screen.see("enter takes it");
    await screen.type("todo");
    await screen.keeps("history-search", "todo list");
    await screen.press("Escape");
    await screen.see(IDLE);
    await screen.type("look at @lim");
    await screen.keeps("files", "@docs/limits.md");
    await screen.press("C-u");
    await screen.see(IDLE);
    await screen.type("/");
    await screen.keeps("menu", "1-8 of ");
    await screen.press("Up");
    await screen.keeps("menu-end", "❯ /exit");
    await screen.press("Enter");
    await screen.see(/This session cost ~?\$0\.\d{4}\. To resume it: palimpsest --resume [0-9a-f]{8}/);
    await screen.ended();
    expect((await here.run(["sessions"])).out).toContain("The limits");
    expect(cli.refused()).toEqual([]);
  },
);
