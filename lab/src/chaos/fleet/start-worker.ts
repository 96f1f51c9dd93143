import { fork } from "node:child_process";
import { once } from "node:events";
import type { WorkerProgram } from "./bundle-worker.ts";
import type { Trap, WorkerNews, WorkerOrder } from "./phases.ts";
import type { WorkerPlan } from "./worker-plan.ts";

export type Trapped = Extract<WorkerNews, { kind: "trapped" }>;

export interface FleetWorker {
  readonly pid: number;
  /** Resolves when it serves, or was killed. Rejects if it ends by itself before. */
  readonly ready: Promise<void>;
  readonly state: "starting" | "ready" | "gone";
  /** Resolves when a session stands in the trap, or the worker is gone: then with nothing. */
  trap(trap: Trap): Promise<Trapped | undefined>;
  /** Removes the trap, and lets go whoever stands in it. */
  release(): void;
  jumpClock(byMs: number): void;
  signal(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT" | "SIGTERM"): void;
  /** Resolves with the signal that ended the process, as the system says. */
  readonly gone: Promise<NodeJS.Signals | null>;
  /** After SIGTERM: what it ended and what it left to others. */
  readonly drained: Extract<WorkerNews, { kind: "drained" }> | undefined;
  readonly errors: readonly string[];
}

/** Starts a worker process, which ends with this one. */
export function startWorker({ file, execArgv }: WorkerProgram, plan: WorkerPlan): FleetWorker {
  const child = fork(file, [JSON.stringify(plan)], { execArgv: [...execArgv] });
  const errors: string[] = [];
  const ready = Promise.withResolvers<void>();
  let state: FleetWorker["state"] = "starting";
  let drained: FleetWorker["drained"];
  let onTrapped: (trapped: Trapped | undefined) => void = () => undefined;
  child.on("message", (news: WorkerNews) => {
    if (news.kind === "error") errors.push(news.text);
    if (news.kind === "drained") drained = news;
    if (news.kind === "trapped") onTrapped(news);
    if (news.kind === "ready") {
      state = "ready";
      ready.resolve();
    }
  });
  const gone = once(child, "exit").then(([code, signal]) => {
    if (state === "starting" && code !== null)
      ready.reject(new Error(`A worker ended with code ${code} when it started.`));
    state = "gone";
    ready.resolve();
    onTrapped(undefined);
    return signal as NodeJS.Signals | null;
  });
  const order = (order: WorkerOrder): void => void (child.connected && child.send(order));
  return {
    pid: child.pid!,
    ready: ready.promise,
    get state() {
      return state;
    },
    trap(trap) {
      const trapped = Promise.withResolvers<Trapped | undefined>();
      onTrapped = trapped.resolve;
      order({ kind: "trap", trap });
      return trapped.promise;
    },
    release: () => order({ kind: "release" }),
    jumpClock: (byMs) => order({ kind: "clock", byMs }),
    signal: (signal) => void child.kill(signal),
    gone,
    get drained() {
      return drained;
    },
    errors,
  };
}
