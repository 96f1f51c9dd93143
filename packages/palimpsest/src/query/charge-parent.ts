import type { UsageOfOthers } from "../session/enter-usage.ts";
import type { Session } from "../session/session.ts";
import type { QueryEvent } from "./query-event.ts";

export interface ChargeOptions {
  readonly parent: Pick<Session, "ledger">;
  readonly child: Pick<Session, "id" | "history" | "ledger">;
  /** The name under which it stands in the parent's ledger. */
  readonly source: string;
  /** `already`: a fork that its parent has opened enters its responses there by itself. */
  readonly responses: "entered-here" | "already";
}

export interface Charge {
  onEvent(event: QueryEvent): void;
  /** Enters the rest: what the child's compactions, notes and questions have used. */
  finish(): Promise<void>;
}

/** Enters in the parent's ledger what a session uses that works for it, its responses as they come. */
export function chargeParent({ parent, child, source, responses }: ChargeOptions): Charge {
  const begunAt = child.history.newestEntry;
  let last: Promise<unknown> = Promise.resolve();
  // A parent that was closed meanwhile takes nothing any more: the child's own ledger has it all.
  const enter = (used: UsageOfOthers): void => {
    last = last.then(() => parent.ledger.enter(used)).catch(() => undefined);
  };
  return {
    onEvent(event) {
      if (event.kind !== "response" || responses === "already") return;
      const { responseId, model, usage } = event.response;
      enter({ responseId, model, ...usage, source });
    },
    async finish() {
      for await (const line of child.ledger.lines()) {
        // What answers a request of its own view was entered when it came.
        if (line.usage <= begunAt || line.request !== undefined) continue;
        const { model, freshTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens, outputTokens } = line;
        enter({
          responseId: `${child.id}:${line.usage}`,
          model,
          source,
          freshTokens,
          cacheReadTokens,
          cacheWriteTokens,
          outputTokens,
          ...(cacheWrite1hTokens === undefined ? {} : { cacheWrite1hTokens }),
        });
      }
      await last;
    },
  };
}
