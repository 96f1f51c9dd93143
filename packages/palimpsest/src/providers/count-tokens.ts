// Counts the tokens of a request with the counting endpoint of its service.

import { type FailedCall, toProviderError } from "./errors.ts";

/** Returns the service's count. Undefined if the service has no such endpoint: most compatible servers have none. */
export async function requestTokenCount(
  call: Omit<FailedCall, "phase">,
  count: () => Promise<{ readonly input_tokens: number } | undefined>,
): Promise<number | undefined> {
  try {
    return (await count())?.input_tokens;
  } catch (error) {
    const failed = toProviderError(error, { ...call, phase: "call" });
    if (failed.failure.kind === "refused" && failed.failure.status === 404) return undefined;
    throw failed;
  }
}

/** Picks the request fields that the counting endpoint accepts; the endpoint refuses all others. */
export function pickFields(request: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(request).filter(([name]) => fields.includes(name)));
}
