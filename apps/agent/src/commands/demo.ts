import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  answer,
  callTool,
  callTools,
  createAnthropic,
  type Reply,
  type Script,
  serve,
  summarize,
} from "@palimpsest/provider-simulator";
import { query } from "palimpsest";
import { bySize, coding, type Policy } from "palimpsest/policy";
import { sqliteStore } from "palimpsest/sqlite";
import type { Agent, AgentOptions } from "../agent/agent.ts";
import { openAgent } from "../agent/open-agent.ts";
import { readRule } from "../permissions/rule.ts";
import { summaryWayName } from "../text/plain-names.ts";
import { placesOf } from "../workspace/places.ts";
import { makePrivateFolder } from "../workspace/private-files.ts";
import { contextText } from "./context.ts";
import { costText } from "./cost.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { readArguments } from "./read-arguments.ts";
import { eventLine } from "./stream/turn-report.ts";
import type { Terminal } from "./terminal.ts";

const MODEL = "claude-sonnet-4-6";
/** A small window that a short story fills. */
const WINDOW_TOKENS = 60_000;
/** A policy that clears results in a short story. By default, results are cleared when the prompt cache has expired. */
const POLICY: Policy = {
  ...coding(),
  name: "demo",
  clear: [bySize({ keepNewest: 3, targetTokens: 8_000, minTokens: 4_000, nearLimitTokens: 35_000 })],
};
const PAUSE_MS = 700;

/** Plays a long session with a simulated model: no key, no network, no cost. Everything except the model is real. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  readArguments(args, COMMANDS.demo);
  return inDemo(terminal, async (options) => {
    const agent = await openAgent({ ...options, mode: "accept-edits" });
    try {
      await emit(agent, terminal);
      return EXIT.done;
    } finally {
      await agent.close();
    }
  });
}

/**
 * Creates a project with an error in a temporary folder, and a simulated model that finds the error. Removes both at
 * the end.
 */
export async function inDemo<Result>(
  terminal: Terminal,
  work: (options: AgentOptions) => Promise<Result>,
): Promise<Result> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "palimpsest-demo-")));
  const [folder, home] = [join(base, "project"), join(base, "home")];
  for (const path of [folder, join(home, ".palimpsest")]) await makePrivateFolder(path);
  for (const [name, content] of Object.entries(demoFiles())) await writeFile(join(folder, name), content);
  const places = placesOf(folder, { HOME: home });
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
  try {
    const policy = POLICY;
    return await work({
      places,
      folder,
      environment,
      store,
      provider,
      policy,
      model: MODEL,
      rules,
      modelFacts: "table",
    });
  } finally {
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

  await print(
    `A simulated model works in a real folder with the real tools. Its context window has ${WINDOW_TOKENS.toLocaleString("en-US")} tokens.`,
  );
  await act("1. A tool result that is too large is stored in a file; the model sees a preview");
  await say("The nightly build failed. What does build.log say?");
  await act("2. The work continues; old tool results are cleared from the context");
  await say("Compare all the modules, then fix the wrong limit.");
  await act("3. The session takes notes, with one cheap call that reads the cached prompt");
  const notes = await session.notes.update();
  await print(
    `   notes ${notes.kind}${"markdown" in notes ? `: ${notes.markdown.length} characters` : `: ${notes.why}`}`,
  );
  await act("4. Compaction: a summary replaces the conversation; facts that a summary could lose are kept beside it");
  await print(`   before: ${size()}`);
  const outcome = await session.compact();
  if (outcome.kind !== "compacted") throw new Error(`The demo could not compact: ${JSON.stringify(outcome)}`);
  await print(`   after: ${size()}, ${summaryWayName(outcome.summary.way)}, ${outcome.modelCalls} model calls`);
  await act("5. Recall: everything that was stored, cleared or compacted can be read again");
  await say("Which error code did the log name, exactly?");
  await act("6. Undo: the whole conversation is back");
  await session.history.restore(outcome.boundary, "demo");
  await print(`   after the undo: ${size()}`);
  await act("7. What fills the context window (palimpsest sessions context)");
  await print(contextText(session.view.size(), session.view.accounting(), session.history.decision()));
  await act("8. The bill (palimpsest sessions cost)");
  await print(costText(await session.ledger.cost()));
  await print(
    `\nThat was the demo. To use the agent in your project, set an API key and run palimpsest there. To see all commands: palimpsest --help`,
  );
}

const MODULES = 9;
const ERROR = "E4711: limit of cart.js is 10, must be 100";

/** The files of a small project with an error to find and fix. */
function demoFiles(): Readonly<Record<string, string>> {
  const log = Array.from(
    { length: 4_000 },
    (_, line) => `step ${line}: compiled module ${line % 97} in ${line % 13} ms`,
  );
  log[2_718] = ERROR;
  const modules = Array.from({ length: MODULES }, (_, index) => [
    `module${index}.js`,
    Array.from({ length: 250 }, (_, line) => `export const value${line} = ${line * index}; // of module ${index}`).join(
      "\n",
    ),
  ]);
  return { "build.log": log.join("\n"), "cart.js": "export const limit = 10;\n", ...Object.fromEntries(modules) };
}

/**
 * The script of the simulated model: the story in order, then simple commands. It writes notes or a summary when the
 * engine asks.
 */
function demoScript(): Script {
  const story: readonly Reply[] = [
    callTools(callTool("Bash", { command: "cat build.log" })),
    answer("The log is long and was stored in a file. The preview shows no error; I will look at the modules."),
    ...Array.from({ length: MODULES }, (_, index) => callTools(callTool("Read", { file_path: `module${index}.js` }))),
    callTools(callTool("Read", { file_path: "cart.js" })),
    callTools(callTool("Edit", { file_path: "cart.js", old_string: "limit = 10;", new_string: "limit = 100;" })),
  ];
  const recalled: readonly Reply[] = [
    callTools(callTool("recall", { search: "E4711" })),
    answer(`The log said ${ERROR.slice(0, 5)}. I recalled it from the stored result; no summary contained it.`),
  ];
  let replies = 0;
  return (ask) => {
    const { purpose, userText, toolResults } = ask;
    if (userText.includes("<session-notes>")) return notes(replies);
    if (purpose === "summary") return summarize(SUMMARY);
    const next = story[replies];
    if (next !== undefined) {
      replies++;
      return next;
    }
    if (replies === story.length) {
      replies++;
      const isEdited = toolResults.at(-1)?.text.startsWith("Edited") === true;
      return answer(isEdited ? "Fixed: cart.js has the limit 100 now." : "I left cart.js as it is.");
    }
    if (/error code/i.test(lastLine(userText)) || (toolResults.length > 0 && replies === story.length + 2)) {
      return recalled[replies++ - story.length - 1] ?? answer("Done.");
    }
    return toolResults.length > 0
      ? answer(`The tool said: ${toolResults.at(-1)!.text.split("\n")[0]}`)
      : simpleReply(lastLine(userText));
  };
}

/** The tags around text that the user did not type. */
const TAGS = ["system-reminder", "marked-data"];

function lastLine(userText: string): string {
  let own = "";
  for (let from = 0; from < userText.length; ) {
    const starts = TAGS.map((tag) => userText.indexOf(`<${tag}`, from)).filter((at) => at !== -1);
    const start = Math.min(...starts, userText.length);
    own += userText.slice(from, start);
    const tag = TAGS.find((one) => userText.startsWith(`<${one}`, start));
    const end = tag === undefined ? -1 : userText.indexOf(`</${tag}>`, start);
    from = tag === undefined || end === -1 ? userText.length : end + tag.length + 3;
  }
  return own.trim().split("\n").at(-1) ?? "";
}

/** The simulated model's reply to one of three fixed commands. */
function simpleReply(message: string): Reply {
  const [word = "", ...words] = message.split(" ");
  const rest = words.join(" ").trim();
  switch (word.toLowerCase()) {
    case "read":
      return callTools(callTool("Read", { file_path: rest || "cart.js" }));
    case "run":
      return callTools(callTool("Bash", { command: rest || "ls" }));
    case "edit":
      return callTools(callTool("Write", { file_path: "notes.txt", content: `${rest || "A note."}\n` }));
    default:
      return answer('I am a simulated model and understand only "read FILE", "run COMMAND" and "edit TEXT".');
  }
}

/** A summary without the error code, to show that recall finds the code elsewhere. */
const SUMMARY = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  .map(
    (number) => `## ${number}. Section\nThe nightly build failed; cart.js had a wrong limit, and it was changed there.`,
  )
  .join("\n");

function notes(replies: number): Reply {
  const section = (heading: string, text: string): string =>
    `<notes-section heading="${heading}">\n${text}\n</notes-section>`;
  return answer(
    `<session-notes>\n${section("Current state", `The nightly build failed; the modules are compared. ${replies} answers so far.`)}\n</session-notes>`,
  );
}
