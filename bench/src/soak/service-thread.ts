import { type MessagePort, workerData } from "node:worker_threads";
import { createService, type ServiceOptions, type TimedCall } from "./simulated-service.ts";

export interface ThreadData {
  readonly options: ServiceOptions;
  readonly port: MessagePort;
  /** Set to 1 once an answer lies in the port. */
  readonly answered: Int32Array;
}

const { options, port, answered } = workerData as ThreadData;
const service = createService(options);
port.on("message", (timed: TimedCall) => {
  port.postMessage(service.handle(timed));
  Atomics.store(answered, 0, 1);
  Atomics.notify(answered, 0);
});
