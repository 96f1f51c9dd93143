import { dollars, percent, tokens } from "@palimpsest/observe/analyze";
import type { Position } from "../page/cursor.ts";
import type { Piece } from "../page/fill-page.ts";
import type { CacheMiss, FoundSession, Spending, SpentTokens } from "../sessions/session.ts";
import type { SessionTool } from "../tool.ts";
import { oneLine, time } from "./answer-text.ts";
import { chooseSession, SESSION_FIELD } from "./choose-session.ts";
import {
  pagedTool,
  type Question,
  type Reading,
  type ReadingPorts,
  readableRows,
  rowPieces,
  sessionsFrom,
} from "./paged-tool.ts";
import type { TimeLimit } from "./time-limit.ts";

const ALL = "all";
const NAME_CHARACTERS = 120;
const TITLE_CHARACTERS = 80;

/** What a session cost, and on what. */
export function costTool(ports: ReadingPorts, startLimit: () => TimeLimit): SessionTool {
  return pagedTool(ports, {
    name: "cost",
    title: "Cost of a recorded session",
    description:
      "Tells what a session cost in tokens and US dollars, on what it was spent, and what a perfect prompt cache would have " +
      "saved. Computed from the provider's counts in the transcript and from list prices. With session all: one row for each.",
    fields: { session: SESSION_FIELD },
    read: (question) => (question.input["session"] === ALL ? costOfAll(question, startLimit()) : costOfOne(question)),
  });
}

const costOfOne = ofSession(({ totals, parts }) => ({
  head: totalsText(totals),
  rows: parts.map(({ name, usd, tokens: count }) =>
    [oneLine(name, NAME_CHARACTERS), usd === 0 ? "" : dollars(usd), `${tokens(count)} tokens sent`].join(" | "),
  ),
}));

function costOfAll({ sessions, start }: Question, limit: TimeLimit): Reading {
  async function* rows(): AsyncGenerator<Piece<Position>> {
    for (const [index, session] of sessionsFrom(sessions, start).entries()) {
      const at = { session: session.key, entry: 0, character: 0 };
      if (index > 0 && limit.isReached()) yield { text: "", at, page: "new" };
      for await (const row of readableRows(rowOf(session), session)) yield { text: `${row}\n`, at };
    }
  }
  return {
    head: `${sessions.length} sessions, the newest first.`,
    empty: "There are no sessions here.",
    pieces: rows(),
  };
}

async function* rowOf({ key, title, spending }: FoundSession): AsyncGenerator<string> {
  const { totals } = await spending();
  yield `${key} | ${totalsText(totals)} | ${oneLine(title, TITLE_CHARACTERS)}`;
}

/** When and why the prompt cache was lost. */
export function cacheMissesTool(ports: ReadingPorts): SessionTool {
  return pagedTool(ports, {
    name: "cache_breaks",
    title: "Prompt cache misses of a recorded session",
    description:
      "Lists when a session lost its prompt cache, why (cache expired, a compaction, another model, a rewind), how many " +
      "tokens were paid again, and the price.",
    fields: { session: SESSION_FIELD },
    read: ofSession(({ misses }) => {
      const sum = misses.reduce((total, { usd = 0 }) => total + usd, 0);
      return { head: `${misses.length} cache misses, ${dollars(sum)} paid again.`, rows: misses.map(missText) };
    }),
  });
}

/** What fills the context window. */
export function contextTool(ports: ReadingPorts): SessionTool {
  return pagedTool(ports, {
    name: "context",
    title: "Context window of a recorded session",
    description:
      "Tells what fills the context window of a session at its newest request: tokens by origin and tool, and the " +
      "compactions so far. The parts are estimates that add up to the provider's count.",
    fields: { session: SESSION_FIELD },
    read: ofSession(({ window, compactions }) => ({
      head:
        window === undefined
          ? "Nothing was sent yet."
          : `${tokens(window.tokens)} tokens${window.windowTokens === undefined ? "" : ` of ${tokens(window.windowTokens)}`}; ${compactions.length} compactions.`,
      rows: [
        ...(window?.model === undefined ? [] : [`model ${oneLine(window.model, NAME_CHARACTERS)}`]),
        ...(window?.parts ?? []).map(
          (part) => `${oneLine(part.name, NAME_CHARACTERS)} | ${tokens(part.tokens)} tokens`,
        ),
        ...compactions.map(compactionText),
      ],
    })),
  });
}

interface Told {
  readonly head: string;
  readonly rows: readonly string[];
}

function ofSession(tell: (spent: Spending) => Told): (question: Question) => Promise<Reading | string> {
  return async ({ sessions, input, start }) => {
    const session: FoundSession | string = chooseSession(
      sessions,
      start === undefined ? input : { session: start.session },
    );
    if (typeof session === "string") return session;
    const { head, rows } = tell(await session.spending());
    const text = `Session ${session.key}. ${head}`;
    return { head: text, empty: text, pieces: rowPieces(rows, session.key, start) };
  };
}

function totalsText(totals: SpentTokens): string {
  const { responses, inputTokens, cacheReadTokens, outputTokens, usd, perfectUsd, unpricedResponses } = totals;
  const price =
    unpricedResponses === responses
      ? "The price of its models is unknown."
      : `${dollars(usd)} spent; ${dollars(perfectUsd)} with a perfect cache.`;
  const unpriced =
    unpricedResponses > 0 && unpricedResponses < responses ? ` ${unpricedResponses} without a price.` : "";
  const read = percent(cacheReadTokens, inputTokens);
  return `${price} ${responses} responses.${unpriced} ${tokens(inputTokens)} tokens sent, ${read} of them read from the cache; ${tokens(outputTokens)} written.`;
}

function missText({ atMs, why, tokens: count, usd }: CacheMiss): string {
  return [time(atMs), `${tokens(count)} tokens`, ...(usd === undefined ? [] : [dollars(usd)]), oneLine(why, 200)].join(
    " | ",
  );
}

function compactionText({ atMs, tokensBefore }: Spending["compactions"][number]): string {
  return `compaction ${time(atMs)}${tokensBefore === undefined ? "" : ` | from ${tokens(tokensBefore)} tokens`}`;
}
