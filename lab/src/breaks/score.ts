import type { Cause, LedgerLine } from "palimpsest/inspect";
import type { BreakKind } from "./kinds.ts";
import { converse, type ServiceDiagnosis, simulate } from "./simulated-session.ts";

export interface Outcome {
  readonly kind: string;
  readonly named: readonly Cause[];
  readonly verdict: "right" | "wrong" | "not-seen";
  readonly diagnosis: "agrees" | "differs";
}

/** Has a conversation, breaks its cache in one way, and sees what the ledger calls it. */
export async function seedBreak(kind: BreakKind, seed: number): Promise<Outcome> {
  const simulation = await simulate({ ...kind.options, seed });
  await kind.before?.(simulation);
  await converse(simulation, 7 + 2 * (seed % 9));
  await kind.act(simulation);
  const service = await simulation.ask("text");
  const { breaks } = await simulation.session.ledger.cost();
  const line = (await Array.fromAsync(simulation.session.ledger.lines())).at(-1)!;
  const newest = breaks.at(-1);
  const named = newest?.usage === line.usage ? newest.causes : [];
  const isRight = named.length === kind.causes.length && named.every((cause, index) => cause === kind.causes[index]);
  return {
    kind: kind.name,
    named,
    verdict: named.length === 0 ? "not-seen" : isRight ? "right" : "wrong",
    diagnosis: agreement(line, named, service),
  };
}

/** What the service calls parameters that differ. It also says so when it cannot compare at all. */
const SETTINGS: readonly Cause[] = ["betas", "parameters", "thinking", "effort", "tool-choice"];
/** What it says nothing of: it compares requests, not what became of them. */
const UNSEEN: readonly Cause[] = ["pause", "server", "earlier-thinking"];

function agreement(
  { diagnosis }: LedgerLine,
  named: readonly Cause[],
  service: ServiceDiagnosis,
): Outcome["diagnosis"] {
  if (diagnosis !== undefined) return diagnosis;
  const like = service === undefined ? UNSEEN : service === "unavailable" ? SETTINGS : [];
  return named.some((cause) => like.includes(cause)) ? "agrees" : "differs";
}
