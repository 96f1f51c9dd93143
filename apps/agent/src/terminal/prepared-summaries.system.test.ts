import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callTool, callTools, manualClock, type Script, stallStream } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { barePath } from "../testing/bare-path.ts";
import { startCli } from "../testing/run-cli.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { openTmux } from "../testing/tmux-screen.ts";

const IDLE = "Type a message";
/** Small enough that a turn does not jump over the sizes at which a summary is prepared. */
const TABLE = Array.from({ length: 40 }, (_, index) => `row ${index + 1} of a table that fills the window`).join("\n");
const SUMMARY_MS = 60_000;
const MOST_TABLES = 120;
/** A file that was read before would be answered with a stub. */
const TABLES = Object.fromEntries(Array.from({ length: MOST_TABLES }, (_, index) => [`table-${index + 1}.txt`, TABLE]));

/** Reads a table if it is asked to. A summary takes so long by the clock of the service. */
const readsTables =
  (summaryMs: number): Script =>
  (ask) => {
    if (ask.purpose === "summary" && summaryMs > 0) return { ...scriptedModel(ask), fault: stallStream(1, summaryMs) };
    const [, table] = /table (\d+)$/.exec(ask.userText.trim()) ?? [];
    if (table === undefined || ask.toolResults.length > 0) return scriptedModel(ask);
    return callTools(callTool("Read", { file_path: `table-${table}.txt` }));
  };

async function open(settings: object = {}, summaryMs = SUMMARY_MS) {
  const clock = manualClock(Date.now());
  const project = temporaryProject(TABLES, "/tmp");
  const home = join(project.home, ".palimpsest");
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, "engine.json"), JSON.stringify({ compactAt: 4 }));
  writeFileSync(join(home, "settings.json"), JSON.stringify(settings));
  const cli = await startCli(project, readsTables(summaryMs), { clock });
  const screen = await openTmux(cli, { columns: 120, rows: 40, environment: { PATH: barePath(project) } });
  await screen.see(IDLE);
  const summaries = (): number =>
    cli.server.recorder.exchanges.filter(({ body }) => body.includes("a <summary> block, and nothing")).length;
  let tables = 0;
  /** Reads tables until something is true. Each turn ends without a wait for a summary. */
  async function readUntil(isTrue: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isTrue())) {
      if (++tables > MOST_TABLES) throw new Error(`not true after ${MOST_TABLES} tables`);
      await screen.say(`table ${tables}`);
      await screen.see(new RegExp(`table ${tables}\\b[\\s\\S]*The tool said`), "esc stops");
    }
  }
  return { clock, cli, screen, summaries, readUntil };
}

test("a summary that takes a minute is prepared between turns and installed without a wait", async () => {
  const { clock, cli, screen, summaries, readUntil } = await open();
  await readUntil(() => summaries() === 1);
  clock.advance(SUMMARY_MS);
  await screen.see("Prepared a summary for the next compaction");
  await readUntil(async () => (await screen.capture("history")).includes("── Compacted"));
  expect(await screen.capture("history")).toContain("summary prepared by the model");
  // Installing it took no other call: the clock of the service stood still.
  expect(summaries()).toBe(1);
  expect(cli.refused()).toEqual([]);
});

test("a prepared summary is dropped with its price when the user goes back to before it", async () => {
  const { screen, readUntil } = await open({}, 0);
  await readUntil(async () => (await screen.capture("history")).includes("Prepared a summary for the next compaction"));
  await screen.say("/rewind");
  await screen.asks("Choose the message to go back to");
  await screen.type("table 2");
  await screen.see("search: table 2");
  await screen.press("Enter");
  await screen.asks("Go back to before this message");
  await screen.press("Enter");
  await screen.see(/Dropped the prepared summary \(\$[\d.]+\): the session went back/);
});

test("a PreCompact hook blocks a summary that is prepared, and the screen says so", async () => {
  const hooks = [{ event: "PreCompact", command: "echo 'not today' >&2; exit 2" }];
  const { screen, summaries, readUntil } = await open({ hooks });
  await readUntil(async () => (await screen.capture("history")).includes("Could not prepare a summary"));
  expect(await screen.capture("history")).toContain("not today");
  expect(summaries()).toBe(0);
});
