import type { ServeOptions, SessionTarget } from "./scheduler.ts";

/** Tells the host of sessions that crashed their workers too often. A host that fails does not end the worker. */
export async function tellSetAside(
  targets: readonly SessionTarget[],
  { onSetAside, onError }: Pick<ServeOptions, "onSetAside" | "onError">,
): Promise<void> {
  for (const target of targets) {
    try {
      await onSetAside?.(target);
    } catch (error) {
      onError?.(error, target);
    }
  }
}
