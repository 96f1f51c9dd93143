import { readEntries, readPayload } from "palimpsest/inspect";
import type { LogReader } from "palimpsest/store-parts";

import { type Statement, toStatement } from "../trust/statement.ts";
import { MEMORY_TOOL } from "./memory-tool.ts";

/** The messages in a range of a log, and whether the model has written memory in it by itself. */
export interface StatementsInLog {
  readonly said: readonly Statement[];
  readonly wroteMemory: "yes" | "no";
}

/** Reads what people said in a part of a log, and whether the memory was written there. */
export async function readStatements(log: LogReader, from: number, to: number): Promise<StatementsInLog> {
  const said: Statement[] = [];
  let wroteMemory: StatementsInLog["wroteMemory"] = "no";
  for await (const entry of readEntries(log, from, to)) {
    const read = readPayload(entry);
    const one = toStatement(read);
    if (one !== undefined) said.push(one);
    if (read.kind === "message" && read.payload.blocks.some((block) => isWrite(block))) wroteMemory = "yes";
  }
  return { said, wroteMemory };
}

function isWrite(block: { readonly kind: string }): boolean {
  const { kind, name, input } = block as { kind: string; name?: string; input?: { command?: unknown } };
  return kind === "tool_call" && name === MEMORY_TOOL && (input?.command === "save" || input?.command === "forget");
}
