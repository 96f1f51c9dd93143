import { type PromptResponse, RequestError, type StopReason } from "@agentclientprotocol/sdk";
import type { QueryOutcome } from "palimpsest";
import { problemOf } from "../commands/stream/turn-report.ts";

/** How a turn ended, for the editor. A turn that could not end is an error, which editors show. */
export function toResponse(outcome: QueryOutcome): PromptResponse {
  const stopReason = stopReasonOf(outcome);
  const { kind, rounds, usage } = outcome;
  if (stopReason === undefined) throw new RequestError(errorCode(outcome), problemOf(outcome, "terminal") ?? kind);
  return { stopReason, _meta: { palimpsest: { outcome: kind, rounds, usage } } };
}

function stopReasonOf(outcome: QueryOutcome): StopReason | undefined {
  switch (outcome.kind) {
    case "done":
      return outcome.stop === "length" ? "max_tokens" : "end_turn";
    case "refused":
      return "refusal";
    case "aborted":
    case "left":
      return "cancelled";
    case "rounds-used-up":
      return "max_turn_requests";
    case "waiting":
    case "window-full":
    case "failed":
      return undefined;
  }
}

const AUTH_REQUIRED = -32_000;
const INTERNAL = -32_603;

/** With this code, editors ask the user to sign in. */
function errorCode(outcome: QueryOutcome): number {
  const failure = outcome.kind === "failed" ? outcome.error.failure : undefined;
  return failure?.kind === "refused" && failure.status === 401 ? AUTH_REQUIRED : INTERNAL;
}
