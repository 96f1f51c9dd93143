import { manualClock } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { withTimeout } from "./host-content.ts";

const signal = new AbortController().signal;
const never = (): Promise<never> => new Promise(() => {});

test("hands on what the host answers, and leaves out what it throws", async () => {
  const host = { readFile: async (path: string) => `of ${path}`, todos: () => Promise.reject(new Error("broken")) };
  const { readFile, todos, plan } = withTimeout(host, { clock: manualClock(), signal });
  expect(await readFile?.("a")).toBe("of a");
  expect(await todos?.()).toBeUndefined();
  expect(plan).toBeUndefined();
});

test("does not wait for a host that hangs", async () => {
  const clock = manualClock();
  const asked = withTimeout({ plan: never }, { clock, signal, timeoutMs: 5_000 }).plan!();
  await clock.pass(5_000, asked);
  expect(await asked).toBeUndefined();
});

test("stops waiting at once when it is aborted", async () => {
  const ends = new AbortController();
  const asked = withTimeout({ skills: never }, { clock: manualClock(), signal: ends.signal }).skills!();
  ends.abort();
  expect(await asked).toBeUndefined();
});
