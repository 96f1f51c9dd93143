import { expect, test } from "vitest";
import type { ResultDraft } from "../stores/store.ts";
import { openSink } from "./store.ts";

/** A file that notes what happens to it, and fails at one step. */
function noting(failsAt?: "write" | "discard", thrown: unknown = new Error("full")) {
  const steps: string[] = [];
  const step = async (name: string, detail: string): Promise<void> => {
    steps.push(detail);
    if (name === failsAt) throw thrown;
  };
  const draft: ResultDraft = {
    write: (bytes) => step("write", `write ${bytes.join(",")}`),
    keep: async (ending) => {
      await step("keep", `keep ${ending}`);
      return { file: "a.txt", digest: "a" };
    },
    discard: () => step("discard", "discard"),
  };
  const sink = openSink(async () => {
    await step("create", "create");
    return draft;
  });
  return { steps, sink };
}

const bytes = (...values: number[]): Uint8Array => Uint8Array.of(...values);

test("a file is made with the first write, and kept once", async () => {
  const { steps, sink } = noting();
  expect(steps).toEqual([]);
  await sink.write(bytes(1));
  await sink.writeAll([bytes(2, 3), bytes(4)]);
  expect(await sink.keep("json")).toEqual({ file: "a.txt", digest: "a" });
  expect(steps).toEqual(["create", "write 1", "write 2,3", "write 4", "keep json"]);
  // What is kept is not thrown away.
  await sink.discard();
  expect(steps).toHaveLength(5);
});

test("whatever is thrown is told as an error, and a file that cannot be thrown away stops nothing", async () => {
  const { sink } = noting("write", "no error at all");
  await sink.write(bytes(1));
  expect(await sink.keep("txt")).toEqual(new Error("no error at all"));
  const stuck = noting("discard");
  await stuck.sink.write(bytes(1));
  await expect(stuck.sink.discard()).resolves.toBeUndefined();
});
