import { type FSWatcher, utimesSync, watch } from "node:fs";

/** Tells processes that wait for mail that there may be some. */
export interface WakeUp {
  /** Keeps the process alive until it is stopped: whoever listens waits for something. */
  listen(onRing: () => void): { stop(): void };
  /** To be called after the commit. */
  ring(): void;
}

/**
 * The file is its own bell: who has sent something sets its date, and the system tells those who watch it. Watching its
 * -wal would need no ringing, but rings too early: it is written to before the commit is, and for the time of a sync there
 * is nothing to be found. A process that is killed between commit and ringing, a disk that cannot be watched: for those it
 * rings every `pollMs` all the same.
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
        // It was removed or replaced. The next poll looks for the new one.
        if (event === "rename") unwatch();
        emit();
      });
      watcher.on("error", unwatch);
    } catch {
      // Not there, or no watch left to give: the next poll tries again.
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
        // Then they look by themselves.
      }
    },
  };
}
