import type { Lease } from "./lease.ts";

/** How often the lease is renewed. */
export interface KeepLeaseOptions {
  /** The interval, well below the time after which a silent owner loses the lease. @default 60,000 */
  readonly everyMs?: number;
}

/** A lease that is renewed until it is stopped. Its signal aborts when the lease is lost. */
export interface KeptLease {
  /** Aborted when the lease is lost: further work is useless. */
  readonly signal: AbortSignal;
  stop(): void;
}

/** Renews a lease while work runs. It does not keep the process alive. */
export function keepLease(
  lease: Pick<Lease, "renew" | "name" | "generation">,
  options: KeepLeaseOptions = {},
): KeptLease {
  const { everyMs = 60_000 } = options;
  const lost = new AbortController();
  const stop = (): void => clearInterval(timer);
  const renew = async (): Promise<void> => {
    try {
      if ((await lease.renew()) === "held") return;
      stop();
      lost.abort(new Error(`The lease ${lease.name} (generation ${lease.generation}) was taken by another process.`));
    } catch {
      // A full disk or a closed store: a missed renewal is no loss yet. It becomes one when another process takes the lease.
    }
  };
  const timer = setInterval(() => void renew(), everyMs).unref();
  return { signal: lost.signal, stop };
}
