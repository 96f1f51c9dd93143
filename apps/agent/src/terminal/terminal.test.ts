import { expect, test, vi } from "vitest";
import { barePath } from "../testing/bare-path.ts";
import { expectScreen } from "../testing/expect-screen.ts";
import { startCli } from "../testing/run-cli.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { hasTmux, openTmux, type TmuxScreen } from "../testing/tmux-screen.ts";

// Real processes in real terminals, on machines that have other things to do.
vi.setConfig({ testTimeout: 120_000 });

const FILES = { "limit.ts": "export const limit = 10;\n", "docs/limits.md": "The limit is 20.\n" };
const IDLE = "Ask something";

async function say(screen: TmuxScreen, text: string): Promise<void> {
  await screen.type(text);
  await screen.see(text);
  await screen.press("Enter");
}

test.runIf(hasTmux).for([
  [80, 24],
  [140, 45],
] as const)("a conversation in a terminal of %i columns and %i rows", async ([columns, rows]) => {
  const size = `${columns}x${rows}`;
  const project = temporaryProject(FILES, "/tmp");
  const cli = await startCli(project, scriptedModel);
  const screen = await openTmux(cli, { columns, rows, environment: { PATH: barePath(project) } });
  const keep = async (name: string, seen: Promise<string>): Promise<void> => expectScreen(size, name, await seen);

  await keep("start", screen.see(IDLE));
  await say(screen, "explain the limit");
  await keep("answer", screen.see("fit.", "esc stops"));

  await say(screen, "run the checks");
  await keep("permission", screen.see("Run this command?"));
  await screen.press("2");
  await keep("tool-output", screen.see("The tool said", "esc stops"));
  // Allowed for this session: it is not asked again.
  await say(screen, "run the checks");
  await screen.see(/The tool said[\s\S]*The tool said/, "esc stops");

  await say(screen, "read it first");
  await screen.see("export const", "esc stops");
  await say(screen, "edit the limit");
  await keep("edit-permission", screen.see("Change this file?"));
  await screen.press("1");
  await keep("edit-done", screen.see("Edited limit.ts", "esc stops"));

  await say(screen, "write a file");
  await screen.see("Write this file?");
  await screen.press("5");
  await screen.see("❯ 5.");
  await screen.type("not now");
  await keep("denied-with-words", screen.see("not now"));
  await screen.press("Enter");
  await keep("denied", screen.see("not allowed", "esc stops"));

  await say(screen, "ask me");
  await keep("question", screen.see("The model asks"));
  await screen.press("Down", "Enter");
  await screen.see("answer: 50", "esc stops");

  await say(screen, "escape the screen");
  await keep("escapes", screen.see("not red", "esc stops"));

  await screen.type("!echo mine && exit 3");
  await screen.press("Enter");
  await keep("shell", screen.see("(exit code 3)"));

  await say(screen, "/hepl");
  await keep("unknown-command", screen.see("Did you mean /help?"));
  await screen.type("/he");
  await keep("suggestions", screen.see("this list"));
  await screen.press("Enter");
  await keep("help", screen.see("ctrl-c twice"));
  expect(cli.refused()).toEqual([]);
});

test.runIf(hasTmux)(
  "what runs is stopped within a second, what was said meanwhile is sent, and a resize leaves no garbage",
  async () => {
    const project = temporaryProject(FILES, "/tmp");
    const cli = await startCli(project, scriptedModel);
    const screen = await openTmux(cli, { columns: 140, rows: 45, environment: { PATH: barePath(project) } });
    await screen.see(IDLE);
    await say(screen, "stall please");
    await screen.see("Line 26");
    await screen.resize(80, 24);
    await expectScreen("80x24", "resized-in-mid-stream", await screen.see("Line 26", /─{90}/));
    await screen.resize(140, 45);
    await expectScreen("140x45", "resized-back", await screen.see(/─{140}/));

    await say(screen, "say this next");
    await expectScreen("140x45", "queued", await screen.see("waits: say this next"));
    const pressedMs = performance.now();
    await screen.press("Escape");
    await screen.see("Stopped.");
    expect(performance.now() - pressedMs).toBeLessThan(1_000 + 500);
    await expectScreen("140x45", "stopped", await screen.see("You said: say this next", "esc stops"));

    await say(screen, "todo list");
    await screen.see("Run this command?");
    await screen.press("1");
    await expectScreen("140x45", "todos", await screen.see("Change the limit", "Run this command?"));
    await screen.press("C-c");
    await screen.see("Stopped.", "esc stops");
    await screen.press("C-c");
    await screen.see("Ctrl-C again leaves.");
    await screen.press("C-c");
    await screen.ended();
  },
);
