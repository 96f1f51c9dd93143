import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { barePath } from "../testing/bare-path.ts";
import { startCli } from "../testing/run-cli.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { openTmux } from "../testing/tmux-screen.ts";

const BIG = Array.from({ length: 900 }, (_, index) => `row ${index + 1} of a table that fills the window`).join("\n");
const IDLE = "Type a message";
/** So that three files are enough. */
const SMALL_WINDOW = { compactAt: 4 };

const readsTables: Script = (ask) => {
  const [, table] = /table (\d)$/.exec(ask.userText.trim()) ?? [];
  if (table === undefined || ask.toolResults.length > 0) return scriptedModel(ask);
  return callTools(callTool("Read", { file_path: `table-${table}.txt` }));
};

async function open([columns, rows]: readonly [number, number], engine: object, settings: object = {}) {
  const project = temporaryProject({ "table-1.txt": BIG, "table-2.txt": BIG, "table-3.txt": BIG }, "/tmp");
  const home = join(project.home, ".palimpsest");
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, "engine.json"), JSON.stringify(engine));
  writeFileSync(join(home, "settings.json"), JSON.stringify(settings));
  const cli = await startCli(project, readsTables);
  const screen = await openTmux(cli, { columns, rows, environment: { PATH: barePath(project) } });
  await screen.see(IDLE);
  return { screen, engineFile: join(home, "engine.json"), cli };
}

/** Waits for the answer about this table: that of an earlier one may still be on the screen. */
async function readTable({ say, see }: Awaited<ReturnType<typeof openTmux>>, table: number): Promise<void> {
  await say(`table ${table}`);
  await see(new RegExp(`Read table-${table}[\\s\\S]*The tool said`), "esc stops");
}

const SIZES = [
  [80, 24],
  [140, 45],
] as const;

test.for(SIZES)("the first compaction is announced before it is made: %i columns, %i rows", async (size) => {
  const { screen, cli } = await open(size, SMALL_WINDOW);
  for (const table of [1, 2]) {
    await readTable(screen, table);
  }
  await screen.say("table 3");
  await screen.see("── Compacted", "esc stops");
  await screen.keeps("announced", "To undo it: /undo");
  expect(cli.refused()).toEqual([]);
});

test.for(SIZES)("a compaction is asked about: %i columns, %i rows", async (size) => {
  const { screen, engineFile } = await open(size, { ...SMALL_WINDOW, compaction: "ask" });
  for (const table of [1, 2]) {
    await readTable(screen, table);
  }
  await screen.say("table 3");
  await screen.asks("Compact the conversation now?", "compaction-asked");
  await screen.answer(3);
  await screen.asks("Choose a profile", "profile-asked");
  await screen.answer(1);
  await screen.see("Profile quality. It applies from your next message on", "esc stops");
  expect(JSON.parse(readFileSync(engineFile, "utf8"))).toMatchObject({ profile: "quality", compaction: "ask" });
  await screen.say("explain it");
  await screen.asks("Compact the conversation now?");
  await screen.answer(1);
  await screen.see("── Compacted", "esc stops");
  await screen.say("/config");
  await screen.asks("Settings (type to search)", "config");
  await screen.type("compactA");
  await screen.see("search: compactA");
  await screen.press("Enter");
  await screen.asks("Compact at this percentage", "config-setting");
  await screen.press("Down");
  await screen.type("55");
  await screen.see("New value: 55");
  await screen.press("Enter");
  await screen.see("compactAt is 55 from your next message on.");
  expect(JSON.parse(readFileSync(engineFile, "utf8"))).toMatchObject({ compactAt: 55 });
  await screen.say("/config compction");
  await screen.see('Did you mean "compaction"?');
  await screen.see(IDLE);
});

test.for([
  [80, 24, 4, "Compact from here on"],
  [140, 45, 5, "Compact up to here"],
] as const)("a part is compacted at a message: %i columns, %i rows, answer %s", async ([columns, rows, key, label]) => {
  const { screen } = await open([columns, rows], {});
  for (const table of [1, 2]) {
    await readTable(screen, table);
  }
  await screen.say("/rewind");
  await screen.asks("Choose the message to go back to");
  await screen.type("table 2");
  await screen.see("search: table 2");
  await screen.press("Enter");
  await screen.asks(label);
  await screen.answer(key);
  await screen.see("── Compacted", "esc stops");
});

test("what goes wrong while the session is opened is on the screen", async () => {
  const hooks = [{ event: "SessionStart", command: "exit 7" }];
  const { screen } = await open([80, 24], { compactoin: "ask" }, { hooks });
  await screen.keeps("opened-with-problems", "Hook failed (SessionStart: exit 7)");
  await screen.see('"compactoin"');
});
