import type { CopyAnswers } from "./copy-answers.ts";
import { packSegment } from "./pack-segments.ts";

/** Asks the inspector as its page would. @returns the answer, or `{ error }` as a server sends it */
export type Ask = (address: string) => Promise<unknown>;

/** How much of a session a file holds. */
export interface CopiedSession {
  /** Requests of the timeline whose text is in the file. */
  readonly requests: number;
  /** Requests of the timeline. */
  readonly of: number;
  /** Requests that were left out because the file is full, the oldest ones. */
  readonly leftOut: number;
}

export interface CopySessionOptions {
  readonly key: string;
  readonly ask: Ask;
  readonly copies: CopyAnswers;
  /** The file may have so many bytes when the session is in it. */
  readonly below: number;
  /** Called after each request, with the number of those that are done, and of all. */
  readonly onRequest?: (done: number, of: number) => void;
}

/** Texts of compactions may take this share, so that one large compaction does not take the place of all requests. */
const BOUNDARIES_SHARE = 0.25;

/** As the page asks. */
const TIMELINE = "timeline?points=600";
const BOUNDARIES = "events?kind=boundary";
const DECISIONS = "events?kind=decision";
const TREE_EVENTS = "events?kind=agent&kind=mail&kind=fork";

interface Events {
  readonly events?: readonly { readonly entry: number }[];
}

/**
 * Copies what the page shows of a session: its timeline and tree, then its compactions, then its requests, the newest first.
 * @returns undefined if not even the timeline found room, or there is no such session
 */
export async function copySession(options: CopySessionOptions): Promise<CopiedSession | undefined> {
  const { key, ask, copies, below } = options;
  const at = `/api/sessions/${key}`;
  const answer = async (path: string) => [`${at}/${path}`, await ask(`${at}/${path}`)] as const;
  const timeline = await answer(TIMELINE);
  const boundaries = await answer(BOUNDARIES);
  const decisions = await answer(DECISIONS);
  const treeEvents = await answer(TREE_EVENTS);
  const { points } = timeline[1] as { readonly points?: readonly { readonly entry: number }[] };
  if (points === undefined) return undefined;
  const frame = { answers: [timeline, boundaries, decisions, treeEvents, await answer("tree")] };
  if (copies.add(frame, below) === "full") return undefined;

  const belowBoundaries = copies.bytes + BOUNDARIES_SHARE * (below - copies.bytes);
  for (const { entry } of (boundaries[1] as Events).events?.toReversed() ?? []) {
    const boundary = await answer(`boundaries/${entry}`);
    // A copy cannot change the session.
    const shown = { ...(boundary[1] as { readonly survivors?: Events["events"] }), undo: "impossible" };
    if (copies.add({ answers: [[boundary[0], shown]] }, below) === "full") break;
    for (const { entry: of } of shown.survivors ?? [])
      copies.add({ answers: [await answer(`entries/${of}`)] }, belowBoundaries);
  }
  for (const { entry } of [decisions, treeEvents].flatMap(([, found]) => (found as Events).events ?? []))
    copies.add({ answers: [await answer(`entries/${entry}`)] }, below);
  return { ...(await copyRequests(options, at, points.map(({ entry }) => entry).toReversed())), of: points.length };
}

interface RequestAnswer {
  readonly error?: unknown;
  readonly characters: number;
  readonly segments: readonly ({ readonly from: number; readonly to: number } & Readonly<Record<string, unknown>>)[];
  readonly previous?: number;
}

async function copyRequests(
  { ask, copies, below, onRequest }: CopySessionOptions,
  at: string,
  newestFirst: readonly number[],
): Promise<Omit<CopiedSession, "of">> {
  let requests = 0;
  for (const [done, entry] of newestFirst.entries()) {
    const address = `${at}/requests/${entry}`;
    const request = (await ask(address)) as RequestAnswer;
    // Such as a wire form that this program does not know: the page says so.
    const isMissing = request.error !== undefined;
    const { previous } = request;
    const difference = previous === undefined ? undefined : `${at}/requests/${previous}/diff/${entry}`;
    const unit = {
      answers: [
        [address, isMissing ? request : { ...request, segments: request.segments.map(packSegment) }] as const,
        ...(difference === undefined ? [] : [[difference, await ask(difference)] as const]),
      ],
      bodies: isMissing ? [] : [[`${address}/body`, await readPieces(ask, address, request)] as const],
    };
    if (copies.add(unit, below) === "full") return { requests, leftOut: newestFirst.length - done };
    if (!isMissing) requests++;
    onRequest?.(done + 1, newestFirst.length);
  }
  return { requests, leftOut: 0 };
}

/** The text of a request, cut where its parts begin and end: parts that two requests share are equal pieces. */
async function readPieces(ask: Ask, address: string, { characters, segments }: RequestAnswer): Promise<string[]> {
  let body = "";
  while (body.length < characters) {
    const { text } = (await ask(`${address}/body?from=${body.length}`)) as { readonly text: string };
    body += text;
  }
  const cuts = new Set([0, ...segments.flatMap(({ from, to }) => [from, to]), characters]);
  const places = [...cuts].sort((one, other) => one - other);
  return places.slice(1).map((to, index) => body.slice(places[index], to));
}
