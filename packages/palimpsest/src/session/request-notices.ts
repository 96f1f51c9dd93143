import type { SessionContext } from "../state/context.ts";
import type { RequestLimits } from "../state/limits.ts";
import { findOverridden } from "./find-overridden.ts";

/** Events about requests that are emitted once, and never by a fork. */
export interface RequestNotices {
  /** Once for each model whose window is a guess, with its first request: by then whoever runs the turn listens. */
  ofGuess(limits: Pick<RequestLimits, "known" | "budget">, maxOutputTokens: number): void;
  /** Once for each parameter and value that is not sent as it was given. */
  ofOverridden(parameters: Readonly<Record<string, unknown>>, request: unknown): void;
}

export function createRequestNotices<Request, Response, Message>({
  state,
  fork,
  emit,
}: SessionContext<Request, Response, Message>): RequestNotices {
  const guessed = new Set<string>();
  const overridden = new Set<string>();
  return {
    ofGuess({ known, budget }, maxOutputTokens) {
      const { model } = state.configuration;
      if (known !== "guessed" || fork !== undefined || guessed.has(model)) return;
      guessed.add(model);
      emit({ kind: "model-guessed", model, windowTokens: budget.windowTokens, maxOutputTokens });
    },
    ofOverridden(parameters, request) {
      if (fork !== undefined) return;
      for (const found of findOverridden(parameters, request)) {
        const key = JSON.stringify([found.parameter, found.given]);
        if (!overridden.has(key)) emit({ kind: "parameter-overridden", ...found });
        overridden.add(key);
      }
    },
  };
}
