import type { QueryEvent } from "../query/query-event.ts";
import type { Session } from "../session/session.ts";

/** What agents use stands under this name in the ledger of the session that they work for. */
export const AGENT_SOURCE = "agent";

export interface ChargeOptions {
  readonly parent: Pick<Session<never, never>, "enterUsage">;
  readonly child: Pick<Session<never, never>, "id" | "newestEntry" | "ledger">;
  /** `already`: a fork that its parent has opened enters its responses there by itself. */
  readonly responses: "entered-here" | "already";
}

export interface Charge {
  onEvent(event: QueryEvent): void;
  /** Enters the rest: what the agent's compactions, notes and phrases have used. */
  finish(): Promise<void>;
}

/** Enters in the parent's ledger what an agent uses, its responses as they come. */
export function chargeParent({ parent, child, responses }: ChargeOptions): Charge {
  const begunAt = child.newestEntry;
  let last: Promise<unknown> = Promise.resolve();
  // A parent that was closed meanwhile takes nothing any more: the agent's own ledger has it all.
  const enter = (used: Parameters<typeof parent.enterUsage>[0]): void => {
    last = last.then(() => parent.enterUsage(used)).catch(() => undefined);
  };
  return {
    onEvent(event) {
      if (event.kind !== "response" || responses === "already") return;
      const { responseId, model, usage } = event.response;
      enter({ responseId, model, ...usage, source: AGENT_SOURCE });
    },
    async finish() {
      for await (const line of child.ledger()) {
        // What answers a request of its own view was entered when it came.
        if (line.usage <= begunAt || line.request !== undefined) continue;
        const { model, freshTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens, outputTokens } = line;
        enter({
          ...{ responseId: `${child.id}:${line.usage}`, model, source: AGENT_SOURCE },
          ...{ freshTokens, cacheReadTokens, cacheWriteTokens, outputTokens },
          ...(cacheWrite1hTokens === undefined ? {} : { cacheWrite1hTokens }),
        });
      }
      await last;
    },
  };
}
