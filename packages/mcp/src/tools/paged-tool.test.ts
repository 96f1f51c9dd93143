import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { pagedTool } from "./paged-tool.ts";

/** A tool over a session that is found at once, and then read for ever: until its signal is aborted. */
function endless(rowsBefore: number) {
  let stop: AbortSignal | undefined;
  const finder = {
    async find(signal?: AbortSignal) {
      stop = signal;
      return { sessions: [], leftOut: new Map<string, number>() };
    },
    close: async () => {},
  };
  async function* pieces() {
    for (let entry = 0; entry < rowsBefore; entry++)
      yield { text: `row ${entry}\n`, at: { session: "one", entry, character: 0 } };
    for (;;) {
      await wait(5);
      stop?.throwIfAborted();
    }
  }
  const read = () => ({ head: "Rows.", empty: "No rows.", pieces: pieces() });
  const words = { name: "rows", title: "Rows", description: "Reads rows.", fields: {} };
  return pagedTool({ finder, callMs: 50 }, { ...words, read });
}

test("a call that takes too long is given up, and says what to do", async () => {
  const answer = await endless(0).execute({});
  expect(answer).toEqual({
    status: "error",
    content: expect.stringMatching(/^The call was given up after .* one session/),
  });
});

test("what was found before the time was over is shown", async () => {
  const { content, status } = await endless(2).execute({});
  expect(status).toBe("ok");
  expect(content).toMatch(/row 0\nrow 1\n[\s\S]*What comes after this was not read\.$/);
});

test("a client that gives up gets its own reason, as before", async () => {
  await expect(endless(2).execute({}, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
});
