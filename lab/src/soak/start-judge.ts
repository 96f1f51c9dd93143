import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { Handled, JudgeOptions, TimedCall } from "./create-judge.ts";
import type { ThreadData } from "./judge-thread.ts";

export interface StartedJudge {
  /** Waits for the answer: meanwhile nothing else happens here. */
  handle(timed: TimedCall): Handled;
  close(): Promise<unknown>;
}

/** Longer than any request takes to be judged: something has gone wrong there. */
const MAX_MS = 600_000;
const THREAD = new URL("./judge-thread.ts", import.meta.url);

/**
 * The judge in a thread, so that it has a heap of its own: like a real service it remembers every answer it ever gave, and
 * what is measured here is the session.
 */
export function startJudge(options: JudgeOptions): StartedJudge {
  const { port1: port, port2 } = new MessageChannel();
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const workerData: ThreadData = { options, port: port2, answered };
  const worker = new Worker(THREAD, { workerData, transferList: [port2] });
  return {
    handle(timed) {
      Atomics.store(answered, 0, 0);
      port.postMessage(timed);
      if (Atomics.wait(answered, 0, 0, MAX_MS) === "timed-out") {
        throw new Error(`The judge has not answered for ${MAX_MS} ms.`);
      }
      return receiveMessageOnPort(port)!.message as Handled;
    },
    async close() {
      port.close();
      return worker.terminate();
    },
  };
}
