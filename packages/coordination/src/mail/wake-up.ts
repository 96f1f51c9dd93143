import { type FSWatcher, utimesSync, watch } from "node:fs";

/** Wakes processes that wait for mail. */
export interface WakeUp {
  /** Keeps the process alive until it is stopped, because a listener waits for something. */
  listen(onRing: () => void): { stop(): void };
  /** Call it after the commit. */
  ring(): void;
}

/**
 * The file itself is the wake-up: a sender sets its modification time, and the system notifies the watchers. Watching its -wal
 * would need no extra step but wakes too early: it is written before the commit, and until the sync nothing can be found. For
 * processes that are killed between commit and wake-up, and for disks that cannot be watched, it also polls every `pollMs`.
 */
export function createWakeUp(path: string, { pollMs }: { pollMs: number }): WakeUp {
  const listeners = new Set<() => void>();
  let watcher: FSWatcher | undefined;
  let poll: NodeJS.Timeout | undefined;

  const emit = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const unwatch = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  const watchAgain = (): void => {
    try {
      watcher = watch(path, { persistent: false }, (event) => {
        // The file was removed or replaced. The next poll finds the new one.
        if (event === "rename") unwatch();
        emit();
      });
      watcher.on("error", unwatch);
    } catch {
      // The file is missing, or no watch is available: the next poll tries again.
    }
  };
  return {
    listen(onRing) {
      listeners.add(onRing);
      if (poll === undefined) {
        watchAgain();
        poll = setInterval(() => {
          if (watcher === undefined) watchAgain();
          emit();
        }, pollMs);
      }
      return {
        stop() {
          listeners.delete(onRing);
          if (listeners.size > 0) return;
          unwatch();
          clearInterval(poll);
          poll = undefined;
        },
      };
    },
    ring() {
      try {
        const now = new Date();
        utimesSync(path, now, now);
      } catch {
        // Then the waiters poll.
      }
    },
  };
}
