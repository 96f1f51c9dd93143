import { expect } from "vitest";
import { startCli } from "../../apps/agent/src/testing/run-cli.ts";
import { scriptedModel } from "../../apps/agent/src/testing/scripted-model.ts";
import { temporaryProject } from "../../apps/agent/src/testing/temporary-project.ts";
import { openTmux } from "../../apps/agent/src/testing/tmux-screen.ts";

const IDLE = "Type a message";

/**
 * A newcomer's path in a real terminal, in an empty home: no key, the demo, the first question, an edit refused, an edit accepted, a
 * queued message withdrawn, and a session that is resumed after kill -9. test/packages has installed the program from its tarballs.
 * @param program the words that start it
 */
export async function firstFiveMinutes(program: readonly string[]): Promise<void> {
  const project = temporaryProject({ "limit.ts": "export const limit = 10;\n" }, "/tmp");
  const cli = await startCli(project, scriptedModel);
  const { ANTHROPIC_API_KEY: _, ...environment } = cli.environment;
  const asking = ["--mode", "default"];
  const options = { columns: 80, rows: 24, program, args: asking, memory: "asked" } as const;
  const screen = await openTmux({ folder: cli.folder, environment }, options);

  // No key: the program says so, and whoever leaves has left nothing behind.
  await screen.see("Choose 1 to 2 (Enter alone leaves):");
  await screen.press("Enter");
  await screen.ended();

  await screen.start(["demo"]);
  await screen.see(/Step 1 of 5[\s\S]*The nightly build failed/, "Pane is dead");
  await screen.press("Enter");
  await screen.see(/Step 2 of 5[\s\S]*Compare all the modules/, "esc stops");
  await screen.press("Enter");
  await screen.asks("Change this file?");
  await screen.answer(1);
  await screen.see(/Step 3 of 5[\s\S]*> \/compact/, "esc stops");
  await screen.press("Enter");
  await screen.see(/Step 4 of 5[\s\S]*> \/undo/, "esc stops");
  await screen.press("C-o");
  await screen.see("Transcript:");
  await screen.press("q");
  await screen.see("> /undo", "Transcript:");
  await screen.press("Enter");
  await screen.see(/Step 5 of 5[\s\S]*> \/cost/, "esc stops");
  await screen.press("Enter");
  await screen.see(/That was the tour[\s\S]*Type a message/, "esc stops");
  await screen.say("read cart.js");
  await screen.see(/The tool said: +1 +export const limit = 100;/, "esc stops");
  await screen.say("/exit");
  await screen.ended();
  await screen.see("nothing of it is kept");

  // The first question, with a key that is asked for, tested and kept.
  await screen.start(asking);
  await screen.see("Choose 1 to 2 (Enter alone leaves):", "Pane is dead");
  await screen.type("1");
  await screen.press("Enter");
  await screen.see("API key for Anthropic");
  await screen.type("sk-newcomer");
  await screen.press("Enter");
  await screen.see("Model (Enter: claude-sonnet-5-5;", "sk-newcomer");
  await screen.press("Enter");
  // Then whether memories are saved, which is asked once.
  await screen.see("[Y/n]");
  await screen.type("n");
  await screen.see("[Y/n] n");
  await screen.press("Enter");
  await screen.see(IDLE);
  await screen.say("read the limit");
  await screen.see(/The tool said: +1 +export const limit = 10;/, "esc stops");

  await screen.say("edit the limit");
  await screen.asks("Change this file?");
  await screen.answer(3);
  await screen.see("(denied)", "esc stops");
  expect(project.text("limit.ts")).toContain("limit = 10");
  await screen.say("edit the limit");
  await screen.asks("Change this file?");
  await screen.answer(1);
  await screen.see("Edited limit.ts at line 1.\n", "esc stops");
  expect(project.text("limit.ts")).toContain("limit = 20");

  await screen.say("stall please");
  await screen.see("Line 26");
  await screen.say("and one more thing");
  await screen.see("queued: and one more thing");
  await screen.press("Up");
  await screen.see("❯ queued: and one more thing");
  await screen.press("DC");
  await screen.see("Line 26", "queued: and one more thing");

  process.kill(await screen.pid(), "SIGKILL");
  await screen.ended();
  await screen.start([...asking, "--continue"]);
  await screen.see(/The last turn was interrupted\. To continue it: \/continue[\s\S]*Type a message/);
  await screen.say("thanks");
  await screen.see("You said: thanks", "esc stops");
  await screen.say("/exit");
  await screen.see(/This session cost ~?\$0\.\d{4}\. To resume it: palimpsest --resume [0-9a-f]{8}/);
  expect(cli.refused()).toEqual([]);
  expect(cli.server.recorder.exchanges.every(({ body }) => !body.includes("and one more thing"))).toBe(true);
}
