import { type FailedCall, toProviderError } from "./to-provider-error.ts";

/** Asks a service to count; undefined where it has no such page, as most that imitate another have not. */
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

/** The fields of a request that counting takes; anything else in its body is refused. */
export function pickFields(request: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(request).filter(([name]) => fields.includes(name)));
}
