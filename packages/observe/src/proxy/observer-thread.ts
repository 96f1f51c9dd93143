/** The thread that looks at traffic after it has gone. `start-observer.ts` starts it. */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { createObserver } from "./observe/create-observer.ts";
import type { ThreadOptions, ThreadOrder, ThreadReport } from "./observe/thread-messages.ts";
import type { ProxyEvent } from "./proxy-event.ts";
import { createResultStore } from "./store/result-store.ts";
import { recordExchange } from "./traffic/record-exchange.ts";

if (parentPort !== null) followOrders(parentPort, workerData as ThreadOptions);

function followOrders(port: MessagePort, { folder, maxResultBytes, record }: ThreadOptions): void {
  const report = (message: ThreadReport): void => port.postMessage(message);
  const onEvent = (event: ProxyEvent): void => report({ kind: "event", event });
  const observer = createObserver({ folder, onEvent });
  const results = createResultStore({ folder, maxResultBytes, observer, onEvent });

  function follow(order: ThreadOrder): ThreadReport {
    const { number } = order;
    if (order.kind === "unused") results.unused(order.plan);
    if (order.kind === "plan")
      return { kind: "done", number, splices: results.plan(number, order.arrived, order.body) };
    if (order.kind !== "observe") return { kind: "done", number };
    const { exchange } = order;
    const { api } = exchange;
    if (record !== undefined) recordExchange(record, exchange);
    if (api !== undefined) {
      const readable = { ...exchange, api };
      results.settle(readable, observer.observe(readable));
    }
    return { kind: "done", number };
  }

  port.on("message", (order: ThreadOrder) => {
    try {
      report(follow(order));
    } catch (error) {
      // One exchange that cannot be looked at is no reason to look at none.
      onEvent({ kind: "passed", why: "observer", detail: (error as Error)?.message ?? String(error) });
      report({ kind: "done", number: order.number });
    }
  });
  report({ kind: "ready" });
}
