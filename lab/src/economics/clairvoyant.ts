import {
  limitOf,
  type Need,
  type Recording,
  type Rule,
  type RuleMessage,
  type RuleSituation,
} from "@palimpsest/observe/replay";

/** One way to act with knowledge of what comes. */
export interface Foresight {
  /** Compaction at this size. */
  readonly compactAtTokens: number;
  /** What is needed within so many requests is kept in whole; what is needed later is fetched again then. */
  readonly keepsForRequests: number;
  /** Whether results that nobody will need are cleared when the cache is cold. */
  readonly clears: "when-cold" | "never";
}

const SIZES = [42_000, 50_000, 60_000, 72_000, 90_000, 120_000, 167_000];
/** Compaction pays only if so many requests are still to come: a summary costs what some ten save. */
const LEAST_REQUESTS = 12;

/** The strategies that are tried. The cheapest of these and of all policies, chosen for each session afterwards, is the best known. */
export const FORESIGHTS: readonly Foresight[] = SIZES.flatMap((compactAtTokens) =>
  [20, Number.POSITIVE_INFINITY].flatMap((keepsForRequests) =>
    (["when-cold", "never"] as const).map((clears) => ({ compactAtTokens, keepsForRequests, clears })),
  ),
);

/**
 * A rule that knows the whole recording: how many requests are left, and which items will be needed without being shown
 * again. It pays for summaries and for the cache like any other, keeps what will be needed soon as it is, and nothing else.
 */
export function clairvoyant(
  { rounds }: Recording,
  needs: readonly (readonly Need[])[],
  lifetimeMs: number,
  foresight: Foresight,
): Rule {
  const { compactAtTokens, keepsForRequests, clears } = foresight;
  return {
    name: "clairvoyant",
    about: "knows what comes",
    source: "lab/src/economics/clairvoyant.ts",
    begin() {
      let round = 0;
      let requestsMs = Number.NEGATIVE_INFINITY;
      return {
        prepare(messages, situation) {
          // A second call for one request is that after something was fetched again: the same round.
          const isNew = situation.nowMs !== requestsMs || round === 0;
          if (isNew) round = roundAt(rounds, messages, round);
          requestsMs = situation.nowMs;
          const future = () => neededLater(needs, round, keepsForRequests);
          const isCold = (situation.idleMs ?? 0) >= lifetimeMs;
          const cleared = clears === "when-cold" && isCold ? clear(messages, future(), situation) : messages;
          const threshold = Math.min(compactAtTokens, limitOf(situation.windowTokens));
          const isFull = situation.sizeOf(cleared) >= limitOf(situation.windowTokens);
          const pays = rounds.length - round >= LEAST_REQUESTS;
          const isDue = situation.sizeOf(cleared) >= threshold && (isFull || pays);
          return { kept: isDue ? compact(cleared, future(), situation) : cleared };
        },
      };
    },
  };
}

/** The round whose arrivals stand at the end of the conversation. */
function roundAt(rounds: Recording["rounds"], messages: readonly RuleMessage[], from: number): number {
  const newest = messages.findLast(({ item }) => item !== undefined)?.item ?? 0;
  let round = from;
  while (round < rounds.length - 1 && (rounds[round]!.arrivals.at(-1)?.index ?? 0) < newest) round++;
  return round;
}

/** Items that some response of the next requests needs and that are not shown again before. */
function neededLater(needs: readonly (readonly Need[])[], round: number, requests: number): ReadonlySet<number> {
  const items = new Set<number>();
  for (const later of needs.slice(round, round + requests)) for (const { shownBy } of later) items.add(shownBy.at(-1)!);
  return items;
}

const GONE = "[gone]";

function clear(
  messages: readonly RuleMessage[],
  future: ReadonlySet<number>,
  situation: RuleSituation,
): readonly RuleMessage[] {
  return messages.map((message) => {
    const isStale = message.kind === "result" && message.item !== undefined && !future.has(message.item);
    return isStale && message.text.length > GONE.length ? situation.replaced(message, GONE) : message;
  });
}

function compact(
  messages: readonly RuleMessage[],
  future: ReadonlySet<number>,
  situation: RuleSituation,
): readonly RuleMessage[] {
  const last = messages.findLastIndex(({ kind }) => kind === "response" || kind === "result");
  const folded = messages.slice(0, last + 1);
  if (folded.length === 0) return messages;
  const kept = folded.filter(({ item }) => item !== undefined && future.has(item));
  const shed = folded.reduce((sum, { tokens }) => sum + tokens, 0) - kept.reduce((sum, { tokens }) => sum + tokens, 0);
  // What is left to fold is smaller than a summary of it.
  if (shed < LEAST_SHED_TOKENS) return messages;
  return [situation.summarize(folded, { prompt: "shared" }), ...kept, ...messages.slice(last + 1)];
}

const LEAST_SHED_TOKENS = 20_000;
