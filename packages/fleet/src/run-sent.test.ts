import type { Run, RunQueue } from "@palimpsest/coordination";
import { expect, onTestFinished, test, vi } from "vitest";
import { runSent } from "./run-sent.ts";
import type { Work } from "./scheduler.ts";
import { NO_SUSPECTS } from "./suspects.ts";

const SENT = { tenant: "t", session: "s", from: 1 };
const renewEveryMs = 10;

/** A run of a database that answers, or does not, from now on. */
function runOf(answers: () => Promise<unknown>, givenBack: string[]): Run {
  const renew: Run["renew"] = async () => {
    await answers();
    return "held";
  };
  const release: Run["release"] = async () => {
    givenBack.push("given back");
    return "waiting";
  };
  const finish: Run["finish"] = async () => "finished";
  return { ...SENT, number: 2, attempt: 1, reminders: [], renew, release, finish } as Partial<Run> as Run;
}

function queueOf(takeOver: RunQueue["takeOver"]): RunQueue {
  return { takeOver } as Partial<RunQueue> as RunQueue;
}

function options() {
  const told: string[] = [];
  const onSilent = (): void => void told.push("silent");
  return { left: new AbortController(), suspects: NO_SUSPECTS, renewEveryMs, onSilent, told };
}

const never = new Promise<never>(() => undefined);

test("a worker that is cut off from the queue while it runs a session leaves it to another", async () => {
  const run = runOf(() => never, []);
  const own = options();
  const work: Work = () => never;
  await expect(
    runSent(
      queueOf(async () => ({ runs: [run], setAside: [] })),
      SENT,
      work,
      own,
    ),
  ).rejects.toThrow("has not answered for 70 ms");
  expect([own.left.signal.aborted, own.told]).toEqual([true, ["silent"]]);
});

test("one that was cut off before it had the session gives back what it gets too late", async () => {
  const [answer, givenBack]: [PromiseWithResolvers<void>, string[]] = [Promise.withResolvers(), []];
  const queue = queueOf(async () => {
    await answer.promise;
    return { runs: [runOf(async () => undefined, givenBack)], setAside: [] };
  });
  const work: Work = () => Promise.reject(new Error("It runs elsewhere."));
  await expect(runSent(queue, SENT, work, options())).rejects.toThrow("has not answered");
  answer.resolve();
  await expect.poll(() => givenBack).toEqual(["given back"]);
});

test("a run that lasts long is not cut off while the queue answers", async () => {
  // In real time, a machine that stands still for 70 ms would pass for a queue that does.
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const run = runOf(async () => undefined, []);
  const work: Work = async ({ left }) => {
    await new Promise((resolve) => setTimeout(resolve, 30 * renewEveryMs));
    return { kind: left.aborted ? "left" : "ended" };
  };
  const own = options();
  const running = runSent(
    queueOf(async () => ({ runs: [run], setAside: [] })),
    SENT,
    work,
    own,
  );
  await vi.advanceTimersByTimeAsync(30 * renewEveryMs);
  await running;
  expect([own.left.signal.aborted, own.told]).toEqual([false, []]);
});
