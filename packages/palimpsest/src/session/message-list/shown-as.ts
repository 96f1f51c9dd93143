import type { Entry } from "../../log/entry.ts";
import type { MessagePayload, StoredContent } from "../../log/payload.ts";
import { readEntry } from "../../state/load.ts";
import type { LogReader } from "../../stores/store.ts";
import { firstOverlapping } from "../../view/fold.ts";
import type { View } from "../../view/view.ts";
import type { SessionMessage } from "./session-message.ts";

type Shown = Pick<SessionMessage, "shown" | "decision" | "reason">;

/** Says how the model sees entries now. Reads each decision once. */
export function createShownAs(log: LogReader, { items, hidden }: View) {
  const decisions = new Map<number, Promise<Shown>>();

  async function readDecision(decision: number): Promise<Shown> {
    const read = await readEntry(log, decision);
    if (read?.kind === "boundary") return { shown: "compacted", decision, reason: read.payload.reason };
    const reason = read?.kind === "replace" ? read.payload.reason : "";
    // The reasons of the stage that stores results begin so, in logs of every release.
    return { shown: reason.startsWith("stored") ? "stored" : "cleared", decision, reason };
  }

  return async function shownAs(
    { sequence, payload }: Entry,
    audience: NonNullable<MessagePayload["audience"]>,
    stored?: StoredContent,
  ): Promise<Shown> {
    if (payload === undefined) return { shown: "erased" };
    if (audience === "user") return { shown: "user-only" };
    const item = items[firstOverlapping(items, { from: sequence })];
    const covering = item !== undefined && item.from <= sequence ? item : undefined;
    const decision =
      covering === undefined
        ? hidden.find(({ from, to }) => from <= sequence && sequence <= to)?.by
        : covering.kind === "message"
          ? covering.by
          : undefined;
    if (decision !== undefined) {
      const known = decisions.get(decision) ?? readDecision(decision);
      decisions.set(decision, known);
      return known;
    }
    if (covering === undefined) return { shown: "compacted" };
    return { shown: stored === undefined ? "whole" : "stored" };
  };
}
