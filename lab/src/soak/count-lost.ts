import type { Block } from "palimpsest";
import { readPayload } from "palimpsest/inspect";
import { fromLine } from "palimpsest/store-parts";

/** What was said to a session, by the names of its marked texts. */
export interface SentTexts {
  readonly prompts: number;
  readonly results: number;
}

/** How much of what was said to a session does not stand in its log exactly once. */
export interface Lost {
  readonly prompts: number;
  readonly results: number;
  /** Calls without a result, and results without a call. */
  readonly unpaired: number;
}

const MARK = /«(prompt|result) (\d+)»/;

/** @param lines the log, as the session exports it */
export async function countLost(lines: AsyncIterable<string>, said: SentTexts): Promise<Lost> {
  const times = { prompt: new Map<number, number>(), result: new Map<number, number>() };
  const open = new Map<string, number>();
  let strays = 0;

  function count(text: string): void {
    const [, name, number] = MARK.exec(text) ?? [];
    if (name !== "prompt" && name !== "result") return;
    times[name].set(Number(number), (times[name].get(Number(number)) ?? 0) + 1);
  }

  function take(block: Block): void {
    if (block.kind === "text") count(block.text);
    if (block.kind === "tool_call") open.set(block.id, (open.get(block.id) ?? 0) + 1);
    if (block.kind !== "tool_result") return;
    count(typeof block.content === "string" ? block.content : JSON.stringify(block.content));
    const waiting = open.get(block.callId) ?? 0;
    if (waiting === 0) strays++;
    else if (waiting === 1) open.delete(block.callId);
    else open.set(block.callId, waiting - 1);
  }

  for await (const line of lines) {
    // Boundaries are most of a log's bytes, and are no messages.
    if (!line.includes('"kind":"message"')) continue;
    const entry = fromLine(line);
    const read = entry && readPayload(entry);
    if (read?.kind === "message") read.payload.blocks.forEach(take);
  }
  const notOnce = (counts: ReadonlyMap<number, number>, expected: number): number =>
    Array.from({ length: expected }, (_, index) => counts.get(index)).filter((found) => found !== 1).length;
  return {
    prompts: notOnce(times.prompt, said.prompts),
    results: notOnce(times.result, said.results),
    unpaired: strays + [...open.values()].reduce((sum, calls) => sum + calls, 0),
  };
}
