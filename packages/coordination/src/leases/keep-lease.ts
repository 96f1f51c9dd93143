import type { Lease } from "./lease.ts";

export interface KeepLeaseOptions {
  /**
   * Well below the time after which a silent holder loses it.
   * @default 60,000
   */
  readonly everyMs?: number;
}

export interface KeptLease {
  /** Aborted when the lease is found lost: work for it is in vain from then on. */
  readonly signal: AbortSignal;
  stop(): void;
}

/** Renews a lease while work goes on. It does not keep the process alive. */
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
      // A full disk, or a closed home: that it could not be said is no loss yet. Whoever takes the lease makes it one.
    }
  };
  const timer = setInterval(() => void renew(), everyMs).unref();
  return { signal: lost.signal, stop };
}
