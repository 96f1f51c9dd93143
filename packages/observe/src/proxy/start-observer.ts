import { extname } from "node:path";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { ArrivedRequest, ExchangeFacts } from "./observe/exchange.ts";
import type { ThreadOptions, ThreadOrder, ThreadReport } from "./observe/thread-messages.ts";
import type { ProxyEvent } from "./proxy-event.ts";
import type { Splice } from "./wire/splice.ts";

export interface StartedObserver {
  /** Hands an exchange over. Resolves when it was looked at, or the thread failed. */
  observe(facts: ExchangeFacts, bodies: Bodies): Promise<void>;
  /** What to replace in a request before it is sent. Undefined: the thread failed, or had not answered in time. */
  plan(arrived: ArrivedRequest, body: readonly Buffer[], withinMs: number): Promise<readonly Splice[] | undefined>;
  /** Resolves when all that was handed over was looked at. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

interface Bodies {
  readonly request: readonly Buffer[];
  readonly edited?: readonly Buffer[];
  readonly response: readonly Buffer[];
}

/** Bytes that are copied before other streams have their turn: about 0.1 ms. */
const PIECE_BYTES = 256 * 1024;
/** A thread that fails again and again is not started again: the traffic goes on without it. */
const MAX_STARTS = 5;
// Beside this file, both in the sources and in the package.
const EXTENSION = extname(fileURLToPath(import.meta.url));
const THREAD = new URL(`./observer-thread${EXTENSION}`, import.meta.url);
/** A thread on sources finds other packages by their sources, too. */
const ON_SOURCES = EXTENSION === ".ts" ? { execArgv: ["--conditions=palimpsest-source"] } : {};

/** Starts the thread that looks at traffic. Resolves when it can, or cannot, be given orders. */
export async function startObserver(
  options: ThreadOptions,
  onEvent: (event: ProxyEvent) => void,
  startThread: (options: ThreadOptions) => Worker = startWorker,
): Promise<StartedObserver> {
  const waiting = new Map<number, (splices?: readonly Splice[]) => void>();
  const running = new Set<Promise<unknown>>();
  const ready = Promise.withResolvers<void>();
  let [numbers, starts] = [0, 0];
  let worker = start();

  function start(): Worker | undefined {
    if (starts === MAX_STARTS) return undefined;
    starts++;
    const started = startThread(options);
    let failure = "it ended";
    started.on("message", (message: ThreadReport) => {
      if (message.kind === "event") onEvent(message.event);
      else if (message.kind === "done") finish(message.number, message.splices);
      else {
        if (waiting.size === 0) started.unref();
        ready.resolve();
      }
    });
    started.on("error", (error: Error) => {
      failure = error.message;
    });
    started.on("exit", () => {
      if (worker !== started) return;
      worker = start();
      const next = worker === undefined ? "From now on nothing is logged." : "It is started again.";
      const detail = `the thread that looks at traffic failed: ${failure}. ${next}`;
      onEvent({ kind: "passed", why: "observer", detail });
      for (const number of waiting.keys()) finish(number);
      ready.resolve();
    });
    return started;
  }

  function finish(number: number, splices?: readonly Splice[]): void {
    const done = waiting.get(number);
    waiting.delete(number);
    if (waiting.size === 0) worker?.unref();
    done?.(splices);
  }

  function order(given: ThreadOrder, bodies: readonly Uint8Array[]): Promise<readonly Splice[] | undefined> {
    return new Promise((resolve) => {
      if (worker === undefined) return resolve(undefined);
      waiting.set(given.number, resolve);
      // The process must not end before what has gone by is in the logs.
      worker.ref();
      worker.postMessage(
        given,
        bodies.map(({ buffer }) => buffer as ArrayBuffer),
      );
    });
  }

  function track<Value>(work: Promise<Value>): Promise<Value> {
    const tracked: Promise<Value> = work.finally(() => running.delete(tracked));
    running.add(tracked);
    return tracked;
  }

  /** One after the other, so that the thread sees exchanges in the order in which they ended, however large they are. */
  let handing: Promise<unknown> = Promise.resolve();
  async function handOver(facts: ExchangeFacts, bodies: Bodies): Promise<void> {
    const before = handing;
    const handed = Promise.withResolvers<void>();
    handing = handed.promise;
    await before;
    // One in a turn: streams that end together hold up no other.
    await setImmediate();
    let looked: Promise<unknown>;
    try {
      const request = await gather(bodies.request);
      const response = await gather(bodies.response);
      const edited = bodies.edited && (await gather(bodies.edited));
      const exchange = { ...facts, request, response, edited };
      const all = [request, response, ...(edited === undefined ? [] : [edited])];
      looked = order({ kind: "observe", number: ++numbers, exchange }, all);
    } finally {
      handed.resolve();
    }
    await looked;
  }

  const settled = async (): Promise<void> => {
    while (running.size > 0) await Promise.allSettled(running);
  };

  await ready.promise;
  return {
    observe: (facts, bodies) => track(handOver(facts, bodies)),
    async plan(arrived, chunks, withinMs) {
      const late = new AbortController();
      const deadline: Promise<undefined> =
        withinMs === 0
          ? Promise.resolve(undefined)
          : sleep(withinMs, undefined, { signal: late.signal }).catch(() => undefined);
      // What the session sent before must be known, or something that was sent would seem new.
      await Promise.race([Promise.allSettled(running), deadline]);
      const body = await gather(chunks);
      const plan = ++numbers;
      const planned = order({ kind: "plan", number: plan, arrived, body }, [body]);
      const splices = await Promise.race([planned, deadline]);
      late.abort();
      if (splices === undefined) void order({ kind: "unused", number: ++numbers, plan }, []);
      return splices;
    },
    settled,
    async close() {
      await settled();
      const last = worker;
      worker = undefined;
      await last?.terminate();
    },
  };
}

function startWorker(workerData: ThreadOptions): Worker {
  return new Worker(THREAD, { workerData, ...ON_SOURCES });
}

/** Copies bytes into memory that can be given to a thread, a piece at a time. */
async function gather(chunks: readonly Buffer[]): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(chunks.reduce((sum, { length }) => sum + length, 0));
  let [at, copied] = [0, 0];
  for (const chunk of chunks) {
    // A large chunk is a body that was read as a whole.
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
      const piece = chunk.subarray(from, from + PIECE_BYTES);
      piece.copy(bytes, at);
      at += piece.length;
      copied += piece.length;
      if (copied < PIECE_BYTES) continue;
      copied = 0;
      await setImmediate();
    }
  }
  return bytes;
}
