import type { Session } from "../session/session.ts";
import type { UsageOfOthers } from "../state/responses.ts";
import type { QueryEvent } from "./permission.ts";

/** The two sessions, and which of them enters responses. */
export interface ChargeOptions {
  readonly parent: Pick<Session, "ledger">;
  readonly child: Pick<Session, "id" | "history" | "ledger">;
  /** The name of the child in the parent's ledger. */
  readonly source: string;
  /** `already`: a fork that its parent opened records its responses there itself. */
  readonly responses: "entered-here" | "already";
}

/** Enters what a child session spends in the ledger of its parent. */
export interface Charge {
  onEvent(event: QueryEvent): void;
  /** Records the rest: the usage of the child's compactions, notes and questions. */
  finish(): Promise<void>;
}

/** Records the usage of a child session in its parent's ledger, response by response. */
export function chargeParent({ parent, child, source, responses }: ChargeOptions): Charge {
  const begunAt = child.history.newestEntry;
  let last: Promise<unknown> = Promise.resolve();
  // A closed parent takes no more records: the child's own ledger has all of them.
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
        // Responses to requests of the child's own view were recorded when they came.
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
