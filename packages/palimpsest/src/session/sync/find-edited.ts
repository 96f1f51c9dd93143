import type { LogReader } from "../../stores/store.ts";
import { readWithStub } from "../erase/read-with-stub.ts";

/** Of entries that came back altered, those that are no failed results. */
export async function findEdited(log: LogReader, altered: readonly number[]): Promise<readonly number[]> {
  const edited: number[] = [];
  for (const entry of altered) {
    for (const found of await log.read(entry, entry)) if (!(await isFailure(log, found))) edited.push(entry);
  }
  return edited;
}

async function isFailure(log: LogReader, entry: Parameters<typeof readWithStub>[1]): Promise<boolean> {
  const read = await readWithStub(log, entry);
  if (read.kind !== "message") return false;
  const results = read.payload.blocks.filter((block) => block.kind === "tool_result");
  return results.length > 0 && results.every(({ status }) => status === "error");
}
