import type { HookFailure } from "./hook.ts";

export type HookOutcome =
  | { readonly kind: "answered"; readonly answer: unknown }
  | { readonly kind: Exclude<HookFailure["kind"], "invalid">; readonly message: string };

/**
 * Runs one hook until it answers, its deadline comes, or the caller gives up, whichever is first. What it does afterwards is
 * nobody's concern: it has been told to stop, and is not waited for.
 */
export function runHook(
  run: (signal: AbortSignal) => unknown,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<HookOutcome> {
  return new Promise((resolve) => {
    const stop = new AbortController();
    const onTimeout = () =>
      end({ kind: "timeout", message: `It had not answered after ${timeoutMs} ms and was given up.` });
    const onAbort = () => end({ kind: "aborted", message: "It was given up, as what it was run for has ended." });
    const timer = setTimeout(onTimeout, timeoutMs);
    signal?.addEventListener("abort", onAbort, { once: true });

    function end(outcome: HookOutcome): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      resolve(outcome);
      if (outcome.kind === "timeout" || outcome.kind === "aborted") stop.abort();
    }

    if (signal?.aborted) return onAbort();
    // In an async function, so that what is thrown at once is caught as what is thrown later.
    (async () => run(stop.signal))().then(
      (answer) => end({ kind: "answered", answer }),
      (error) => end({ kind: "error", message: messageOf(error) }),
    );
  });
}

function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "It threw something that cannot be shown.";
  }
}
