import { type FailedCall, toProviderError } from "./errors.ts";

/** Asks a service to count tokens. Returns undefined if the service has no such endpoint; most imitations have none. */
export async function requestTokenCount(
  call: Omit<FailedCall, "phase">,
  ask: () => Promise<{ readonly input_tokens: number } | undefined>,
): Promise<number | undefined> {
  try {
    return (await ask())?.input_tokens;
  } catch (error) {
    const failed = toProviderError(error, { ...call, phase: "call" });
    if (failed.failure.kind === "refused" && failed.failure.status === 404) return undefined;
    throw failed;
  }
}

/** Picks the request fields that the counting endpoint accepts; it refuses all others. */
export function pickFields(request: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(request).filter(([name]) => fields.includes(name)));
}
