import { type MessagePort, workerData } from "node:worker_threads";
import { createJudge, type JudgeOptions, type TimedCall } from "./create-judge.ts";

export interface ThreadData {
  readonly options: JudgeOptions;
  readonly port: MessagePort;
  /** Set to 1 once an answer lies in the port. */
  readonly answered: Int32Array;
}

const { options, port, answered } = workerData as ThreadData;
const judge = createJudge(options);
port.on("message", (timed: TimedCall) => {
  port.postMessage(judge.handle(timed));
  Atomics.store(answered, 0, 1);
  Atomics.notify(answered, 0);
});
