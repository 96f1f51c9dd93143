import type { WorkflowClient } from "@temporalio/client";
import type { Engine } from "../../relay.ts";
import { sentSignal, sessionWorkflow } from "./session-workflow.ts";

/**
 * How Temporal would be an engine: the driver's mapping, checked against its types. It was never run, because there is no server to be had for
 * tests. `relayTo` sends sessions to it.
 */
export function temporalEngine(client: WorkflowClient, taskQueue: string): Engine {
  return {
    async run(sent, signal) {
      const handle = await client.signalWithStart(sessionWorkflow, {
        workflowId: `palimpsest-session/${encodeURIComponent(sent.tenant)}/${encodeURIComponent(sent.session)}`,
        taskQueue,
        signal: sentSignal,
        signalArgs: [sent],
      });
      const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      await Promise.race([handle.result(), aborted]);
    },
  };
}
