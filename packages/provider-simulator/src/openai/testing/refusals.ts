import { expect } from "vitest";
import type { Refusal } from "../../verdict.ts";

export interface RefusedRequest {
  readonly status: number;
  readonly error: unknown;
}

/** What the service said of a request that it had to refuse. */
export function refusalOf(verdict: { readonly kind: string }): RefusedRequest {
  expect(verdict.kind).toBe("refused");
  const { status, body } = verdict as Refusal;
  return { status, ...(body as { error: unknown }) };
}

/** An invalid request, as both faces say it. */
export const invalid = (message: string, param: string | null, code: string | null = null): RefusedRequest => ({
  status: 400,
  error: { message, type: "invalid_request_error", param, code },
});
