import type { HookFailure } from "./hook.ts";

export type HookOutcome<Answer> =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: Exclude<HookFailure["kind"], "invalid">; readonly message: string };

/**
 * Runs one hook until it answers, its deadline passes, or the caller gives up. After that the hook has been told to stop, and
 * is not awaited.
 */
export function runHook<Answer>(
  run: (signal: AbortSignal) => Promise<Answer>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<HookOutcome<Answer>> {
  return new Promise((resolve) => {
    const stop = new AbortController();
    const onTimeout = () =>
      end({ kind: "timeout", message: `The hook did not answer within ${timeoutMs} ms and was stopped.` });
    const onAbort = () =>
      end({ kind: "aborted", message: "The hook was stopped, because the operation it ran for has ended." });
    const timer = setTimeout(onTimeout, timeoutMs);
    signal?.addEventListener("abort", onAbort, { once: true });

    function end(outcome: HookOutcome<Answer>): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      resolve(outcome);
      if (outcome.kind === "timeout" || outcome.kind === "aborted") stop.abort();
    }

    if (signal?.aborted) return onAbort();
    run(stop.signal).then(
      (answer) => end({ kind: "answered", answer }),
      (error) => end({ kind: "error", message: messageOf(error) }),
    );
  });
}

function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "It threw something that cannot be shown.";
  }
}
