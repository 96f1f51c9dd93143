import type { Analysis } from "../../analyze/analysis.ts";
import type { AnalysisSum } from "../../analyze/sum-analyses.ts";
import { openSessions } from "../open-sessions.ts";
import { readPageTexts } from "../page-files.ts";
import { findRoute } from "../routes/find-route.ts";
import { requestRoutes } from "../routes/request-routes.ts";
import { SESSION_ROUTES } from "../routes/session-routes.ts";
import type { FoundSession, ProviderOf, SessionSource } from "../sources/session-source.ts";
import { createCopyAnswers } from "./copy-answers.ts";
import { type Ask, type CopiedSession, copySession } from "./copy-session.ts";
import { linkModules } from "./link-modules.ts";
import { pageDocument } from "./page-document.ts";
import { spentByAll, spentBySession } from "./spent-tables.ts";

/** The sessions that a file is made of. */
export interface ExportOptions {
  readonly sources: readonly SessionSource[];
  readonly providerOf: ProviderOf;
  /** In the order of the list. What does not find room is left out from the end. */
  readonly sessions: readonly SessionToExport[];
  /** What all sessions spent, with those that are not in the list. @default the file has no sums */
  readonly sum?: AnalysisSum;
  /** The size of the answers in the file. @default 50 MB */
  readonly maxBytes?: number;
  /** Called after each request that was copied. @default nobody is told */
  readonly onProgress?: (progress: ExportProgress) => void;
}

/** How far an export is: the session that is being copied, and its requests. Both are counted from 1. */
export interface ExportProgress {
  readonly session: number;
  readonly ofSessions: number;
  readonly requests: number;
  readonly ofRequests: number;
}

export interface SessionToExport {
  /** As the source names it. */
  readonly key: string;
  /** Where it is kept: its name in the list if the source cannot describe it. */
  readonly name: string;
  readonly analysis?: Analysis;
}

/** The inspector's page with the answers of some sessions in it, and how much of them it holds. */
export interface ExportedPage {
  readonly html: string;
  /** Requests whose text is in the file, and those that found no room. */
  readonly requests: number;
  readonly leftOut: number;
}

const MAX_BYTES = 50_000_000;
/** Kept free for each session that follows, so that each has at least its timeline. */
const KEPT_SHARE = 0.01;

/**
 * Writes the inspector's page over some sessions as one HTML file. It opens from a disk, without a server and without network, and
 * can change nothing.
 */
export async function exportSessions(options: ExportOptions): Promise<ExportedPage> {
  const { sources, providerOf, sessions: wanted, sum, maxBytes = MAX_BYTES, onProgress } = options;
  const sessions = openSessions({ sources });
  const routes = [...SESSION_ROUTES, ...requestRoutes()];
  const ask: Ask = async (address) => {
    const found = findRoute(routes, new URL(address, "http://inspector.invalid"));
    const answered = await found!.route.answer(found!.question, { sessions, providerOf });
    if (answered.kind === "json") return answered.value;
    return { error: { code: answered.code, message: answered.message } };
  };
  try {
    const copies = createCopyAnswers(maxBytes);
    const described = await sessions.list();
    const listed: (FoundSession & { readonly copied?: CopiedSession })[] = [];
    for (const [index, { key, name, analysis }] of wanted.entries()) {
      const found = described.sessions.find((one) => one.key === key) ?? nameless(key, name, analysis);
      const at = `/api/sessions/${key}`;
      const about = (await ask(at)) as { readonly error?: unknown };
      const below = maxBytes * (1 - KEPT_SHARE * (wanted.length - index));
      const onRequest = (requests: number, ofRequests: number): void =>
        onProgress?.({ session: index + 1, ofSessions: wanted.length, requests, ofRequests });
      const copied = about.error === undefined ? await copySession({ key, ask, copies, below, onRequest }) : undefined;
      listed.push({ ...found, ...(analysis && { spent: listedSpent(analysis) }), ...(copied && { copied }) });
      if (copied === undefined) continue;
      const spent = analysis === undefined ? [] : [[`${at}/spent`, spentBySession(analysis)] as const];
      copies.add({ answers: [[at, { ...about, id: found.id, copied: { ...copied, maxBytes } }], ...spent] });
    }
    const all = sum === undefined || sum.sessions < 2 ? {} : { spent: spentByAll(sum) };
    const list = { sessions: listed, total: sum?.sessions ?? listed.length, unreadable: described.unreadable, ...all };
    copies.add({ answers: [["/api/sessions", list]] }, Number.POSITIVE_INFINITY);
    return {
      html: toDocument(copies.toJson(startOf(listed))),
      requests: listed.reduce((count, { copied }) => count + (copied?.requests ?? 0), 0),
      leftOut: listed.reduce((count, { copied }) => count + (copied?.leftOut ?? 0), 0),
    };
  } finally {
    await sessions.close();
  }
}

function toDocument(answers: string): string {
  const files = readPageTexts();
  const script = linkModules(files, "main.js");
  return pageDocument({ title: "Palimpsest inspector", script, style: files.get("page.css")!, answers });
}

/** One session opens at once, with what it spent; several as a list. */
function startOf([first, ...others]: readonly (FoundSession & { readonly copied?: CopiedSession })[]): string {
  if (others.length > 0 || first?.copied === undefined) return "#/";
  return "spent" in first ? `#/s/${first.key}/spent` : `#/s/${first.key}`;
}

function nameless(key: string, name: string, analysis: Analysis | undefined): FoundSession {
  const { agent = "", id = name } = analysis?.session ?? {};
  return { key, id, agent, title: name };
}

function listedSpent({ totals, compactions }: Analysis): unknown {
  return { usd: totals.usd, lostUsd: totals.usd - totals.perfectUsd, compactions: compactions.length };
}
