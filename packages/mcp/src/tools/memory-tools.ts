import { stat } from "node:fs/promises";
import type { Memory, Topic, TopicType } from "@palimpsest/memory";
import { sanitize } from "palimpsest/sanitize";
import { asString, type JsonObject } from "palimpsest/schema";
import { type Position, readCursor } from "../page/cursor.ts";

import { fillPage, PIECE_CHARACTERS, type Piece } from "../page/fill-page.ts";
import { done, refused, type SessionTool, type ToolAnswer } from "../tool.ts";
import { answerText } from "./answer-text.ts";

/** The most that a search answers with. */
const MAX_FOUND = 10;
const TYPES: readonly TopicType[] = ["user", "feedback", "project", "reference"];
const WHY = "it was proposed by an agent over MCP";

/** Reads the project's memory. @param folder of the memory */
export function memoryTool(folder: string): SessionTool {
  return {
    name: "memory",
    title: "Read the project's memory",
    description:
      "Reads what is remembered of this project across sessions: without input the list of topics, with topic one of them " +
      "in full, with words the topics about them.",
    inputSchema: {
      type: "object",
      properties: {
        topic: { type: "string", description: "A topic, as the list names it." },
        words: { type: "string", description: "Words to find topics by." },
        cursor: { type: "string", description: "From the end of the page before." },
      },
      additionalProperties: false,
    },
    sideEffects: "none",
    async execute(input) {
      const asked = { tool: "memory", input };
      const start = readCursor(asked);
      if (start === "foreign") return refused("This cursor belongs to another call. Leave it out.");
      if (!(await isThere(folder))) return done("Nothing is remembered of this project yet.");
      const shown = await inMemory(folder, (memory) => textOf(memory, input));
      if (typeof shown === "string") return refused(shown);
      const page = await fillPage(pieces(sanitize(shown.text), start === "none" ? 0 : start.character));
      return done(answerText({ asked, head: shown.head, page, from: "memory" }));
    },
  };
}

/** Adds a proposal to the memory's inbox. */
export function rememberTool(folder: string): SessionTool {
  return {
    name: "remember",
    title: "Propose something to remember",
    description:
      "Proposes a fact about the user or this project for the memory that all sessions share. The proposal waits until the " +
      "user accepts it with `palimpsest memory`. Not for secrets, nor for what the code or its history says.",
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string", minLength: 1, maxLength: 80, description: "A few words." },
        description: {
          type: "string",
          minLength: 1,
          maxLength: 400,
          description: "When this is of use, in one sentence.",
        },
        type: {
          type: "string",
          enum: TYPES,
          description:
            "user: who they are, how they work. feedback: corrections, confirmed ways. project: ongoing work, decisions. " +
            "reference: where things are.",
        },
        body: { type: "string", minLength: 1, maxLength: 16_000, description: "The fact, and why it holds." },
      },
      required: ["name", "description", "type", "body"],
      additionalProperties: false,
    },
    sideEffects: "some",
    async execute(input): Promise<ToolAnswer> {
      const type = TYPES.find((known) => known === input["type"]);
      if (type === undefined) return refused(`type is one of ${TYPES.join(", ")}.`);
      const text = (field: string): string => asString(input[field]) ?? "";
      const draft = { name: text("name"), description: text("description"), type, body: text("body") };
      const outcome = await inMemory(folder, (memory) => memory.propose(draft, "model", WHY));
      switch (outcome.kind) {
        case "proposed":
        case "written":
          return done("Proposed. It waits until the user accepts it: palimpsest memory.");
        case "unchanged":
          return done("The memory has that already.");
        case "stale":
          return refused("The memory was changed meanwhile. Try again.");
        case "refused":
          return refused(`Nothing was proposed. ${outcome.why}`);
      }
    },
  };
}

type Shown = { readonly head: string; readonly text: string };

async function textOf(memory: Memory, input: JsonObject): Promise<Shown | string> {
  const [topic, words] = [asString(input["topic"]), asString(input["words"])];
  if (topic !== undefined && topic !== "") {
    const found = await memory.read(topic);
    return found === undefined ? "There is no such topic. Call memory without input for the list." : toShown([found]);
  }
  if (words !== undefined && words !== "") {
    const found = await memory.search(words, MAX_FOUND);
    if (found.length === 0) return { head: "No topic shares a word with these.", text: "" };
    return toShown(await memory.readAll(found.map(({ slug }) => slug)));
  }
  const topics = await memory.list();
  const rows = topics.map(({ slug, type, description }) => `${slug} (${type}): ${description}`);
  return { head: `${topics.length} topics. Each row: topic, type, what it says.`, text: rows.join("\n") };
}

function toShown(topics: readonly Topic[]): Shown {
  const names = topics.map(({ slug }) => slug).join(", ");
  return { head: `Topics: ${names}.`, text: topics.map(({ text }) => text).join("\n\n") };
}

async function* pieces(text: string, from: number): AsyncGenerator<Piece<Position>> {
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    const position = { session: "", entry: 0, character: at };
    if (at >= from) yield { text: text.slice(at, at + PIECE_CHARACTERS), at: position };
  }
}

async function inMemory<Result>(folder: string, work: (memory: Memory) => Promise<Result>): Promise<Result> {
  // It takes longer to load than all else of ours, and most calls are about sessions.
  const { openMemory } = await import("@palimpsest/memory");
  const memory = await openMemory({ folder });
  try {
    return await work(memory);
  } finally {
    await memory.close();
  }
}

async function isThere(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => true,
    () => false,
  );
}
