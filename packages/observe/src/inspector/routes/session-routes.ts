import { recalledText } from "palimpsest";
import {
  boundaryAt,
  compactionReasons,
  type IndexedEvent,
  readPayload,
  recall,
  searchInspected,
  sessionTree,
  type TreeNode,
  WINDOW_SOURCES,
} from "palimpsest/inspect";
import { decisionText, reasonsText } from "./decision-text.ts";
import { countIn, json, ofSession, type Route, rangeIn, refuse } from "./route.ts";

/** At most so many characters of one text in an answer. */
const TEXT_CHARACTERS = 200_000;
const MAX_POINTS = 2_000;
const MAX_ROWS = 200;

interface KeyedNode extends TreeNode {
  readonly key: string;
}

function withKeys(node: TreeNode, keyOf: (id: string) => string): KeyedNode {
  return { ...node, key: keyOf(node.session), children: node.children.map((child) => withKeys(child, keyOf)) };
}

/** Sessions, and what can be seen of each without its requests. */
export const SESSION_ROUTES: readonly Route[] = [
  {
    path: "/api/sessions",
    async answer({ query }, { sessions }) {
      const { sessions: found, unreadable } = await sessions.list();
      const from = countIn(query.get("from")) ?? 0;
      const next = from + MAX_ROWS < found.length ? { next: from + MAX_ROWS } : {};
      return json({
        sessions: found.slice(from, from + MAX_ROWS),
        total: found.length,
        unreadable: unreadable.slice(0, MAX_ROWS),
        ...next,
      });
    },
  },

  ofSession("", async ({ key, inspected, index, fidelity }) => {
    const update = await index.update();
    const { log, session, fork, sharedTo } = inspected;
    const entry = await log.newest("configuration");
    const read = entry && readPayload(entry);
    const configured =
      read?.kind === "configuration" ? { provider: read.payload.provider, model: read.payload.model } : {};
    return json({
      key,
      id: session,
      fidelity,
      ...configured,
      fork: fork === undefined ? undefined : { parent: fork.session, at: sharedTo },
      windowSources: WINDOW_SOURCES,
      totals: index.totals(),
      index: update,
    });
  }),

  ofSession("/timeline", async ({ index }, { query }) => {
    const points = Math.min(countIn(query.get("points")) ?? MAX_POINTS, MAX_POINTS);
    return json({ points: index.timeline({ ...rangeIn(query), points }) });
  }),

  ofSession("/events", async ({ index }, { query }) => {
    const kinds = query.getAll("kind") as IndexedEvent[];
    return json(index.events({ ...rangeIn(query), limit: MAX_ROWS, ...(kinds.length === 0 ? {} : { kinds }) }));
  }),

  ofSession("/breaks", async ({ index }, { query }) => {
    return json({ breaks: index.breaks({ ...rangeIn(query), limit: MAX_ROWS }) });
  }),

  ofSession("/boundaries/:entry", async ({ inspected, files, undo }, { parameters }) => {
    const entry = countIn(parameters["entry"]) ?? 0;
    const boundary = await boundaryAt({ ...inspected, files }, entry);
    if (boundary === undefined) return refuse(404, "no-boundary", `Entry ${entry} is no compaction boundary.`);
    const { survivors, summary, ...known } = boundary;
    const tokensOf = (fate: string): number =>
      survivors.reduce((sum, one) => sum + (one.fate === fate ? one.tokens : 0), 0);
    return json({
      ...known,
      reasons: reasonsText(known, known.compaction?.decided),
      summary: summary.slice(0, TEXT_CHARACTERS),
      // The largest are shown; the sums are of all.
      survivors: survivors.toSorted((one, other) => other.tokens - one.tokens).slice(0, MAX_ROWS),
      items: survivors.length,
      undo: undo === undefined ? "impossible" : "possible",
      fates: { "in-view": tokensOf("in-view"), recallable: tokensOf("recallable"), lost: tokensOf("lost") },
    });
  }),

  ofSession("/entries/:entry", async ({ inspected, files }, { parameters, query }) => {
    const entry = countIn(parameters["entry"]) ?? 0;
    const place = { fromLine: countIn(query.get("line")) ?? 1, fromCharacter: countIn(query.get("character")) ?? 1 };
    const found = await recall(
      { entry, ...place },
      { log: inspected.log, session: inspected.session, files, maxCharacters: TEXT_CHARACTERS },
    );
    const [stored] = await inspected.log.read(entry, entry);
    const about = stored === undefined ? {} : { entryKind: stored.kind, atMs: stored.atMs };
    const read = stored && readPayload(stored);
    if (read?.kind === "decision") return json({ entry, ...about, text: decisionText(read.payload) });
    if (found.kind !== "text") return json({ entry, ...about, text: "", why: recalledText(found) });
    const reasons =
      read?.kind === "boundary" && place.fromLine === 1
        ? `${reasonsText(compactionReasons(read.payload), read.payload.compaction?.decided)}\n\n`
        : "";
    return json({ entry, ...about, text: reasons + found.text, next: found.next });
  }),

  ofSession("/search", async ({ inspected, files, index }, { query }) => {
    const hits = await searchInspected({ ...inspected, files }, query.get("words") ?? "", { limit: MAX_ROWS });
    return json({ hits: hits.map((hit) => ({ ...hit, request: index.requestNear(hit.sequence) })) });
  }),

  ofSession("/tree", async ({ store, inspected, keyOf }) => {
    const tree = await sessionTree(store, inspected.root);
    return json({ tree: keyOf === undefined ? tree : withKeys(tree, keyOf) });
  }),
];
