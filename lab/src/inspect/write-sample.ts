import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import {
  answer,
  callTool,
  callTools,
  createAnthropic,
  type Reply,
  serve,
  summarize,
} from "@palimpsest/provider-simulator";
import { openSession, query, recallFrom, tool } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { sqliteStore } from "palimpsest/sqlite";

const SOURCES = fileURLToPath(new URL("../../../packages/palimpsest/src/", import.meta.url));
const MODEL = "claude-opus-5-5";
/** Small, so that a session of minutes is compacted several times. */
const WINDOW_TOKENS = 24_000;

interface Task {
  readonly question: string;
  /** Files that the model reads, in this order. */
  readonly files: readonly string[];
  readonly answer: string;
}

/** Questions about this project: the model of the sample reads real files. */
const TASKS: readonly Task[] = [
  {
    question: "Why does a request sometimes lose the prompt cache after a resume? Never change the log format.",
    files: ["cache/find-changes.ts", "session/load-view.ts", "session/requests.ts"],
    answer: "The head is rendered from the settings at the time. A changed tool list moves every byte behind it.",
  },
  {
    question: "Which code decides that a compaction is due?",
    files: [
      "session/compact/is-compaction-due.ts",
      "session/compact/plan-compaction.ts",
      "settings/setting-definitions.ts",
    ],
    answer:
      "`isCompactionDue` does: the window is nearly full, or the rest of the session would cost more without one.",
  },
  {
    question: "Show me how the evidence beside a summary is collected.",
    files: [
      "stages/compact/evidence/evidence.ts",
      "stages/compact/evidence/evidence-lines.ts",
      "stages/compact/evidence/find-facts.ts",
    ],
    answer: "Paths, commands, names and numbers are collected while entries are appended, each with its entry number.",
  },
  {
    question: "And how are user messages kept word for word?",
    files: ["stages/compact/user-messages.ts", "stages/compact/summary-ladder.ts", "session/compact/compactions.ts"],
    answer: "They are copied from the log, newest first, up to a budget. The first message always stays.",
  },
  {
    question: "What happens if the model writes no usable summary?",
    files: [
      "session/compact/model-calls.ts",
      "stages/compact/summary/read-sections.ts",
      "session/compact/rehydrate.ts",
    ],
    answer: "The ladder goes one rung down. The last rung asks no model: the digest is written from the log.",
  },
];

const SUMMARY = [
  "The user asks how compaction works and where its decisions are made.",
  "Append-only log, view, prompt cache, compaction.",
  "session/compact/is-compaction-due.ts, stages/compact/evidence/evidence.ts, session/requests.ts were read.",
  "None.",
  "The cause of the lost cache is a changed tool list.",
  "“Never change the log format.”",
  "The remaining questions.",
  "Reading the code of the compaction.",
  "Answer the next question.",
]
  .map((text, index) => `## ${index + 1}. Section\n${text}`)
  .join("\n");

/** Writes a session for pictures through the engine and the simulator: five questions, fifteen files, and the compactions that they need. */
export async function writeSample(folder: string, id: string): Promise<void> {
  const replies: Reply[] = TASKS.flatMap(({ files, answer: text }) => [
    ...files.map((path) => callTools(callTool("read_file", { path }))),
    answer(text),
  ]);
  const server = await serve({
    faces: [
      createAnthropic({
        script: ({ purpose }) =>
          purpose === "summary" ? summarize(SUMMARY) : (replies.shift() ?? answer("All is said.")),
      }),
    ],
  });
  const store = sqliteStore({ folder });
  const provider = anthropic(new Anthropic({ apiKey: "none", baseURL: server.url }), {
    models: { [MODEL]: { windowTokens: WINDOW_TOKENS } },
  });
  const readTool = tool({
    name: "read_file",
    description: "Reads a file of the project.",
    concurrency: "safe",
    inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    execute: (input) => readFile(join(SOURCES, (input as { readonly path: string }).path), "utf8"),
  });
  const session = await openSession({ store, id, provider, model: MODEL, system: "You are a careful engineer." });
  for (const { question } of TASKS) {
    for await (const event of query(session, { prompt: question, tools: [readTool, recallFrom(session)] })) {
      if (event.kind === "turn-ended" && event.outcome.kind !== "done") throw new Error(JSON.stringify(event.outcome));
    }
  }
  await session.close();
  await store.close();
  await server.close();
}
