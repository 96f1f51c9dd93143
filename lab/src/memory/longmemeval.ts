import { readFileSync } from "node:fs";
import type { Question, Remembered } from "./locomo.ts";
import { meanOf, measureRecall, RANKS, type RecallRow } from "./measure-recall.ts";

interface Recorded {
  readonly question: string;
  readonly question_id: string;
  readonly haystack_session_ids: readonly string[];
  readonly haystack_sessions: readonly (readonly { readonly role: string; readonly content: string }[])[];
  readonly answer_session_ids: readonly string[];
}

/** Questions about events that never happened have no evidence. */
const WITHOUT_EVIDENCE = /_abs$/;

/**
 * LongMemEval on the file that `PALIMPSEST_LONGMEMEVAL` names: for each question, the sessions that answer it, among all sessions of its
 * history. `null` without a file. Comparable with published figures of session-level recall on the same file only.
 */
export async function measureLongMemEval(mostQuestions: number): Promise<object | null> {
  const path = process.env["PALIMPSEST_LONGMEMEVAL"];
  if (path === undefined || path === "") return null;
  const recorded = JSON.parse(readFileSync(path, "utf8")) as readonly Recorded[];
  const rows: RecallRow[] = [];
  for (const one of recorded.filter(({ question_id: id }) => !WITHOUT_EVIDENCE.test(id)).slice(0, mostQuestions)) {
    const question: Question = { text: one.question, kind: "answerable", evidence: one.answer_session_ids };
    rows.push(await measureRecall(sessionsOf(one), [question]));
  }
  return {
    unit: "session",
    questions: rows.length,
    ...Object.fromEntries(RANKS.map((rank) => [rank, meanOf(rows, rank)])),
  };
}

function sessionsOf({ haystack_sessions: sessions, haystack_session_ids: ids }: Recorded): readonly Remembered[] {
  return sessions.map((turns, at) => ({
    slug: `session-${at}`,
    name: "Session",
    text: turns.map(({ role, content }) => `${role}: ${content}`).join("\n") || "empty",
    evidence: [ids[at]!],
  }));
}
