import { readFileSync } from "node:fs";
import type { Experiment, Figures } from "../experiment.ts";
import { type LabelledMemory, type QueryFromUse, readFromUse, readGermanFromUse, readLabelled } from "./labelled.ts";
import { measureLanguages } from "./languages.ts";
import { type Conversation, readLocomo, type Unit } from "./locomo.ts";
import { measureLongMemEval } from "./longmemeval.ts";
import { meanOf, measureRecall, pairedInterval, RANKS, type RecallRow } from "./measure-recall.ts";

/** All numbers of the search were chosen on the first five conversations. */
const CHOSEN_ON = 5;
const LONGMEMEVAL_QUESTIONS = { quick: 20, full: 500 } as const;

/** Recall of the search that this one replaced, conversation by conversation: its figures, recorded once. */
const FORMER = JSON.parse(readFileSync(new URL("./former-search.json", import.meta.url), "utf8")) as Readonly<
  Record<Unit, readonly RecallRow[]>
>;

export const memoryExperiment: Experiment = {
  name: "memory",
  about: "whether the memory finds what answers a question: on public data, and in twelve languages",
  async run({ size }) {
    const conversations = readLocomo();
    return {
      ...(conversations === undefined ? ABSENT : await measureLocomo(conversations, size)),
      // Not redistributable, and not on this machine.
      realtalk_turns: "absent",
      longmemeval: await measureLongMemEval(LONGMEMEVAL_QUESTIONS[size]),
      languages_first: await measureLanguages(),
      invented_queries: await measureInvented(),
    };
  },
};

const ABSENT = {
  locomo_turns_held_out: "absent",
  locomo_turns_as_shown: "absent",
  locomo_observations: "absent",
  locomo_sessions: "absent",
};

async function measureLocomo(conversations: readonly Conversation[], size: "quick" | "full"): Promise<Figures> {
  const of = async (unit: Unit): Promise<readonly RecallRow[]> => {
    const rows: RecallRow[] = [];
    for (const conversation of conversations) {
      const questions = conversation.questions.filter(({ kind }) => kind === "answerable");
      rows.push(await measureRecall(conversation[unit], questions));
    }
    return rows;
  };
  const turns = await of("turns");
  const heldOut = turns.slice(CHOSEN_ON);
  const other =
    size === "quick" ? {} : { locomo_observations: compared(await of("observations"), FORMER.observations) };
  const sessions = size === "quick" ? {} : { locomo_sessions: compared(await of("sessions"), FORMER.sessions) };
  return {
    locomo_turns_held_out: compared(heldOut, FORMER.turns.slice(CHOSEN_ON)),
    locomo_turns_chosen_on: compared(turns.slice(0, CHOSEN_ON), FORMER.turns.slice(0, CHOSEN_ON)),
    locomo_turns: compared(turns, FORMER.turns),
    locomo_turns_as_shown: {
      "10": meanOf(heldOut, "shown"),
      former_search: meanOf(FORMER.turns.slice(CHOSEN_ON), "shown"),
      less_former_95pct: pairedInterval(heldOut, FORMER.turns.slice(CHOSEN_ON), "shown"),
    },
    ...other,
    ...sessions,
  };
}

function compared(rows: readonly RecallRow[], former: readonly RecallRow[]): Figures {
  return {
    questions: rows.reduce((sum, { questions }) => sum + questions, 0),
    ...Object.fromEntries(RANKS.map((rank) => [rank, meanOf(rows, rank)])),
    former_search: Object.fromEntries(RANKS.map((rank) => [rank, meanOf(former, rank)])),
    less_former_95pct: Object.fromEntries(RANKS.map((rank) => [rank, pairedInterval(rows, former, rank)])),
  };
}

/** Queries over invented memories, to which the former search was fitted. They show a loss of a change, and are no result. */
async function measureInvented(): Promise<Figures> {
  const { memories } = readLabelled();
  return {
    english: await measureQueries(memories, readFromUse()),
    german: await measureQueries(memories, readGermanFromUse()),
  };
}

async function measureQueries(memories: readonly LabelledMemory[], queries: readonly QueryFromUse[]): Promise<Figures> {
  const texts = memories.map(({ slug, name, description, body }) => {
    return { slug, name, text: `${description}\n${body}`, evidence: [slug] };
  });
  // Any one of the expected memories answers a query.
  const answered = queries.filter(({ kind }) => kind !== "no-answer");
  const questions = answered.map(({ text, expected }) => ({
    text,
    kind: "answerable" as const,
    evidence: expected.slice(0, 1),
  }));
  const row = await measureRecall(texts, questions);
  return { queries: row.questions, "5": meanOf([row], "5"), "20": meanOf([row], "20") };
}
