import { expect, test } from "vitest";
import { barePath } from "../testing/bare-path.ts";
import { startCli } from "../testing/run-cli.ts";
import { createHere } from "../testing/run-here.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { openTmux } from "../testing/tmux-screen.ts";

const BIG = Array.from({ length: 900 }, (_, index) => `row ${index + 1} of a table that fills the window`).join("\n");
const FILES = { "limit.ts": "export const limit = 10;\n", "docs/limits.md": "The limit is 20.\n", "big.txt": BIG };
const IDLE = "Type a message";

test("input: several lines, history, files behind @, large pastes, wide letters", async () => {
  const project = temporaryProject(FILES, "/tmp");
  const cli = await startCli(project, scriptedModel);
  const screen = await openTmux(cli, { columns: 80, rows: 24, environment: { PATH: barePath(project) } });
  await screen.see(IDLE);
  await screen.type("one");
  await screen.see("> one");
  await screen.press("C-j");
  await screen.type("日本語 and 🎉");
  await screen.keeps("several-lines", "日本語");
  await screen.press("Enter");
  await screen.see("You said: 日本語 and 🎉", "esc stops");

  await screen.type("look at @lim");
  await screen.see("@docs/limits.md");
  await screen.press("Tab");
  await screen.see("look at @limit.ts");
  await screen.press("Enter");
  await screen.see("You said: look at @limit.ts", "esc stops");

  await screen.paste(Array.from({ length: 40 }, (_, index) => `pasted ${index + 1}`).join("\n"));
  await screen.keeps("paste", "[paste 1: 40 lines]");
  await screen.press("Enter");
  await screen.see("You said: [paste 1]", "esc stops");

  await screen.press("Up");
  await screen.see("> [paste 1: 40 lines]");
  await screen.press("Up");
  await screen.see("> look at @limit.ts");
  await screen.press("C-u");
  await screen.see(IDLE);
  await screen.type("/exit");
  await screen.press("Enter");
  await screen.ended();

  await screen.start(["--screen-reader"]);
  await screen.see(/Type \/help[\s\S]*to compaction ·/, "Pane is dead");
  // What was said in another session, pastes included.
  await screen.press("Up", "Up");
  await screen.see("[earlier paste 1: 40 lines]");
  await screen.press("C-c");
  await screen.see(">", "earlier paste");
  await screen.type("look at @limit.ts ");
  await screen.see("look at @limit.ts");
  await screen.press("Enter");
  await screen.keeps("screen-reader", "You said: look at @limit.ts", "esc stops");
  expect(cli.refused()).toEqual([]);
});

test("a killed session goes on, and after a long pause it says what that costs", async () => {
  const project = temporaryProject(FILES, "/tmp");
  const cli = await startCli(project, scriptedModel);
  // The day before: nothing of it is in the cache any more.
  const clock = { now: () => Date.now() - 86_400_000 };
  await createHere({ ...cli, clock }).run(["-p", "big file please", "--base-url", cli.server.url]);
  const environment = { PATH: barePath(project), NO_COLOR: "1" };
  const screen = await openTmux(cli, { columns: 80, rows: 24, environment, args: ["--continue"] });
  await screen.keeps("continued", "cache cold");
  await screen.type("explain the limit");
  await screen.press("Enter");
  await screen.asks("The prompt cache expired", "pause");
  await screen.answer(2);
  // The rest of it may have scrolled away.
  await screen.see("/undo undoes it");
  await screen.see("fit.", "esc stops");

  await screen.type("stall please");
  await screen.press("Enter");
  await screen.see("Line 20");
  process.kill(await screen.pid(), "SIGKILL");
  await screen.ended();
  await screen.start(["--continue"]);
  await screen.keeps("resumed-after-kill", "was interrupted");
  await screen.type("/continue");
  await screen.see("/continue");
  await screen.press("Enter");
  await screen.see("Line 20", "was interrupted");
  await screen.press("Escape");
  await screen.see("Stopped.", "esc stops");
  await screen.type("are you there");
  await screen.press("Enter");
  await screen.see("You said: are you there", "esc stops");
  expect(cli.refused()).toEqual([]);
});
