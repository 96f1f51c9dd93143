import type { Store, ToolCall, ToolResult } from "palimpsest";
import { type LogReader, type NamedText, readPayload } from "palimpsest/core";
import { EXIT_PLAN, PLAN_APPROVED } from "../extensions/plan/plan-mode.ts";
import { NOTHING_LEFT } from "../extensions/todos/todo.ts";

/** What the model was at, for what is put back after a compaction. */
export interface Work {
  /** The newest list of what is to be done; undefined if there is none, or nothing is left. */
  todos(): Promise<string | undefined>;
  /** Skills that were used, the newest first. */
  skills(): Promise<readonly NamedText[]>;
  /** The newest plan that was approved; undefined if none was. */
  plan(): Promise<string | undefined>;
}

const MOST_SKILLS = 20;
/** Entries that are read at once, and at all: what lies further back is not what is being worked on. */
const CHUNK_ENTRIES = 500;
const MOST_ENTRIES = 50_000;

/**
 * Reads it from the log each time, along the branch that the session is on: a session that was opened again knows what a live
 * one does, and one that was taken back knows no more.
 */
export function readWork(store: Store, session: () => string): Work {
  async function reading<Result>(read: (reader: LogReader) => Promise<Result>, none: Result): Promise<Result> {
    const reader = await store.openReader(session());
    if (reader === undefined) return none;
    try {
      return await read(reader);
    } finally {
      await reader.close();
    }
  }
  return {
    todos: () =>
      reading(async (reader) => {
        for await (const { call, text } of callsBackwards(reader)) {
          if (call.name === "Todo") return text === NOTHING_LEFT ? undefined : text;
        }
        return undefined;
      }, undefined),
    plan: () =>
      reading(async (reader) => {
        for await (const { call, text } of callsBackwards(reader)) {
          const { plan } = (call.input ?? {}) as { readonly plan?: unknown };
          if (call.name === EXIT_PLAN && typeof plan === "string" && text.startsWith(PLAN_APPROVED)) return plan;
        }
        return undefined;
      }, undefined),
    skills: () =>
      reading<readonly NamedText[]>(async (reader) => {
        const used = new Map<string, string>();
        for await (const { call, text } of callsBackwards(reader)) {
          const { skill } = (call.input ?? {}) as { readonly skill?: unknown };
          if (call.name === "Skill" && typeof skill === "string" && !used.has(skill)) used.set(skill, text);
          if (used.size >= MOST_SKILLS) break;
        }
        return [...used].map(([name, text]) => ({ name, text }));
      }, []),
  };
}

interface AnsweredCall {
  readonly call: ToolCall;
  readonly text: string;
}

/** Calls that went well, with what they answered, the newest first. */
async function* callsBackwards(reader: LogReader): AsyncGenerator<AnsweredCall> {
  const answers = new Map<string, string>();
  let at = (await reader.head()).sequence;
  for (let looked = 0; at > 0 && looked < MOST_ENTRIES; looked += CHUNK_ENTRIES) {
    const from = Math.max(1, at - CHUNK_ENTRIES + 1);
    const chunk = await reader.read(from, at);
    while (at >= from) {
      const entry = chunk[at - from]!;
      // A rewind leads to the entry that it went back to.
      at = entry.parent;
      const read = readPayload(entry);
      if (read.kind !== "message") continue;
      for (const block of read.payload.blocks.toReversed()) {
        if (block.kind === "tool_result" && block.status === "ok") answers.set(block.callId, textOf(block));
        const text = block.kind === "tool_call" ? answers.get(block.id) : undefined;
        if (block.kind !== "tool_call" || text === undefined) continue;
        // Some servers use one id for many calls: an answer belongs to the call right before it.
        answers.delete(block.id);
        yield { call: block, text };
      }
    }
  }
}

function textOf({ content }: ToolResult): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}
