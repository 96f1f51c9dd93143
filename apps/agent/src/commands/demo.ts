import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createAnthropic, serve } from "@palimpsest/provider-simulator";
import { query } from "palimpsest";
import { sqliteStore } from "palimpsest/sqlite-store";
import type { Agent } from "../agent/agent.ts";
import { COMMANDS } from "../cli/command-list.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { readArguments } from "../cli/read-arguments.ts";
import type { Terminal } from "../cli/terminal.ts";
import { eventLine } from "../cli/turn-report.ts";
import { openAgent } from "../open-agent.ts";
import { readRule } from "../permissions/rule.ts";
import { placesOf } from "../workspace/places.ts";
import { makePrivateFolder } from "../workspace/private-files.ts";
import { contextText } from "./context.ts";
import { costText } from "./cost.ts";
import { demoFiles, demoScript } from "./demo-story.ts";

const MODEL = "claude-sonnet-4-6";
/** Small enough that a minute's work fills it. */
const WINDOW_TOKENS = 60_000;
/** So that a short story clears something; in earnest it is done when it pays (docs/defaults.md). */
const ENGINE = {
  "clearing.policy": "fixed",
  "clearing.bySize": "on",
  "clearing.keepNewest": 3,
  "clearing.fixedTargetTokens": 8_000,
  "clearing.fixedMinTokens": 4_000,
};
const PAUSE_MS = 700;

/** A long session against the built-in simulator: no key, no network, no cost. Everything but the model is the real thing. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  readArguments(args, COMMANDS.demo);
  const base = await realpath(await mkdtemp(join(tmpdir(), "palimpsest-demo-")));
  const [folder, home] = [join(base, "project"), join(base, "home")];
  for (const path of [folder, join(home, ".palimpsest")]) await makePrivateFolder(path);
  for (const [name, content] of Object.entries(demoFiles())) await writeFile(join(folder, name), content);
  const places = placesOf(folder, { HOME: home });
  await writeFile(places.engineSettings, JSON.stringify(ENGINE));
  const server = await serve({ faces: [createAnthropic({ script: demoScript() })] });
  const [{ Anthropic }, { anthropic }] = await Promise.all([
    import("@anthropic-ai/sdk"),
    import("palimpsest/anthropic"),
  ]);
  const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
  const provider = anthropic(client, { models: { [MODEL]: { windowTokens: WINDOW_TOKENS } } });
  const store = sqliteStore({ folder: places.sessions });
  const rules = [readRule("Bash(cat *)", "allow", "user")!];
  const environment = { PATH: terminal.environment["PATH"], HOME: home };
  const agent = await openAgent({
    places,
    folder,
    environment,
    store,
    provider,
    model: MODEL,
    mode: "accept-edits",
    rules,
    modelFacts: "table",
  });
  try {
    await emit(agent, terminal);
    return EXIT.done;
  } finally {
    await agent.close();
    await store.close();
    await server.close();
    await rm(base, { recursive: true, force: true });
  }
}

async function emit({ session, tools, permission }: Agent, terminal: Terminal): Promise<void> {
  const { print, input } = terminal;
  const { takeDenied: _, ...permissions } = permission;
  const act = async (title: string): Promise<void> => {
    if (input.isTTY) await pause(PAUSE_MS);
    await print(`\n== ${title}`);
  };
  const say = async (prompt: string): Promise<void> => {
    await print(`you: ${prompt}`);
    for await (const event of query(session, { tools, prompt, ...permissions })) {
      const line = eventLine(event);
      if (line !== undefined) await print(`   ${line}`);
      if (event.kind === "response" && event.response.text !== "") await print(`model: ${event.response.text}`);
    }
  };
  const size = (): string => `${session.view.size().tokens.toLocaleString("en-US")} tokens`;

  await print(`A simulated model works on a real folder, with the real tools, in a window of ${WINDOW_TOKENS} tokens.`);
  await act("1. A result that is too large goes to a file; the model sees a preview");
  await say("The nightly build failed. What does build.log say?");
  await act("2. Work goes on; results that are stale are cleared before a request");
  await say("Compare all the modules, then fix the wrong limit.");
  await act("3. Notes, if they are asked for, by a call on the cached prompt");
  const notes = await session.notes.update();
  await print(
    `   notes ${notes.kind}${"markdown" in notes ? `: ${notes.markdown.length} characters` : `: ${notes.why}`}`,
  );
  await act("4. Compaction: a summary by a call on the cached prompt, and beside it what no summary may lose");
  await print(`   before: ${size()}`);
  const outcome = await session.compact();
  if (outcome.kind !== "compacted") throw new Error(`The demo could not compact: ${JSON.stringify(outcome)}`);
  await print(`   after: ${size()}, by ${outcome.rung}, with ${outcome.modelCalls} model calls`);
  await act("5. Recall: what was stored, cleared and folded is still there");
  await say("Which error code did the log name, exactly?");
  await act("6. Undo: the compaction is taken back");
  await session.history.restore(outcome.boundary, "demo");
  await print(`   in view again: ${size()}`);
  await act("7. What fills the window (palimpsest context)");
  await print(contextText(session.view.size(), session.view.accounting()));
  await act("8. The bill (palimpsest cost)");
  await print(costText(await session.ledger.cost()));
  await print(
    `\nThat was the whole of it. With a key: palimpsest -p "..." in a folder of yours. palimpsest --help shows the rest.`,
  );
}
