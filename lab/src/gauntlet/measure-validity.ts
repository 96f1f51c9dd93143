import type { Contestant } from "./contestant.ts";
import { FAULT_KINDS } from "./fault-kinds.ts";
import { planCourse } from "./plan-course.ts";
import type { TimedExchange } from "./serve-course.ts";
import { onStage } from "./stage.ts";

/** V: what becomes of a session in which one thing goes wrong. */
export interface Validity {
  readonly kinds: number;
  /** Kinds after which no request was refused and both later turns were done. */
  readonly clean: number;
  /** Requests that the service refused as invalid or too long, in all sessions. */
  readonly refused: number;
  /** Kinds after which the session did not do another turn. */
  readonly stuck: number;
  /** What was refused or stuck, by kind, with the first words of the service. */
  readonly not_clean: Readonly<Record<string, string>>;
}

export interface ValidityOptions {
  readonly seed: string;
  readonly windowTokens: number;
  /** Names of kinds. @default all */
  readonly only?: readonly string[] | undefined;
}

/** A session for each kind: a good turn, a turn with the fault, and two good turns. */
export async function measureValidity(
  contestant: Contestant,
  { seed, windowTokens, only }: ValidityOptions,
): Promise<Validity> {
  const kinds = FAULT_KINDS.filter(({ name }) => only?.includes(name) ?? true);
  const notClean: Record<string, string> = {};
  let [refused, stuck] = [0, 0];
  for (const wrong of kinds) {
    await onStage(contestant, { seed, windowTokens }, async (stage) => {
      const course = planCourse(`${seed} ${wrong.name}`);
      const take = () => course.next().value;
      await stage.play(take());
      await stage.play(take(), { wrong });
      const after = [await stage.play(take()), await stage.play(take())];
      const refusals = stage.exchanges.flatMap(refusalOf);
      refused += refusals.length;
      const isStuck = after.every(({ isDone }) => !isDone);
      if (isStuck) stuck++;
      const failed = after.map(({ end }) => (end.kind === "failed" ? end.message : end.kind));
      if (refusals.length > 0) notClean[wrong.name] = `${isStuck ? "stuck: " : ""}${shortened(refusals[0]!)}`;
      else if (after.some(({ isDone }) => !isDone)) notClean[wrong.name] = `not done: ${shortened(failed.join(", "))}`;
    });
  }
  const clean = kinds.length - Object.keys(notClean).length;
  return { kinds: kinds.length, clean, refused, stuck, not_clean: notClean };
}

/** The faults of the course have other statuses: too many requests, and failures of the server. */
const INVALID = [400, 404, 413, 422];

/** The words with which a request was refused as invalid or too long. */
export function refusalOf({ exchange: { outcome } }: TimedExchange): readonly string[] {
  if (outcome.kind === "broken") return [outcome.message];
  return outcome.kind === "refused" && INVALID.includes(outcome.status) ? [outcome.message] : [];
}

function shortened(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, 160);
}
