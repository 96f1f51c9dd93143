import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A text of a conversation as a topic, and the turns that it holds as evidence. */
export interface Remembered {
  readonly slug: string;
  readonly name: string;
  readonly text: string;
  readonly evidence: readonly string[];
}

/** A question, and the turns that answer it. `adversarial`: the turns do not answer it, although they look as if they did. */
export interface Question {
  readonly text: string;
  readonly kind: "answerable" | "adversarial";
  readonly evidence: readonly string[];
}

export interface Conversation {
  readonly turns: readonly Remembered[];
  readonly observations: readonly Remembered[];
  readonly sessions: readonly Remembered[];
  readonly questions: readonly Question[];
}

export type Unit = "turns" | "observations" | "sessions";

/** The folder of memory data: `PALIMPSEST_MEMORY_DATA`. LoCoMo may not be redistributed (CC BY-NC), so the project has no copy. */
function memoryDataFile(name: string): string | undefined {
  const folder = process.env["PALIMPSEST_MEMORY_DATA"];
  const path = folder === undefined ? undefined : join(folder, name);
  return path !== undefined && existsSync(path) ? path : undefined;
}

const ADVERSARIAL = 5;

/** Reads LoCoMo: ten conversations of two people over months, with questions. Undefined without its file `locomo10.json`. */
export function readLocomo(): readonly Conversation[] | undefined {
  const path = memoryDataFile("locomo10.json");
  if (path === undefined) return undefined;
  return (JSON.parse(readFileSync(path, "utf8")) as readonly Recorded[]).map(toConversation);
}

interface Recorded {
  readonly conversation: Readonly<Record<string, unknown>>;
  readonly observation: Readonly<
    Record<string, Readonly<Record<string, readonly [text: string, from: string | string[]][]>>>
  >;
  readonly qa: readonly {
    readonly question: string;
    readonly evidence?: readonly string[];
    readonly category: number;
  }[];
}

interface Turn {
  readonly speaker: string;
  readonly text: string;
  readonly dia_id: string;
  readonly blip_caption?: string;
}

function toConversation({ conversation, observation, qa }: Recorded): Conversation {
  const sessions = Object.entries(conversation)
    .filter(([key]) => /^session_\d+$/.test(key))
    .map(([, turns]) => turns as readonly Turn[]);
  const turns = sessions.flat();
  const known = new Set(turns.map(({ dia_id }) => dia_id));
  return {
    turns: turns.map((turn, at) => ({
      ...remembered("turn", at, turn.speaker, textOf(turn)),
      evidence: [turn.dia_id],
    })),
    observations: Object.values(observation)
      .flatMap((session) => Object.entries(session))
      .flatMap(([speaker, facts]) => facts.map(([text, from]) => ({ speaker, text, evidence: [from].flat() })))
      .map(({ speaker, text, evidence }, at) => ({ ...remembered("fact", at, speaker, text), evidence })),
    sessions: sessions.map((session, at) => ({
      ...remembered("session", at, "Session", session.map((turn) => `${turn.speaker}: ${textOf(turn)}`).join("\n")),
      evidence: session.map(({ dia_id }) => dia_id),
    })),
    questions: qa.flatMap(({ question, evidence = [], category }) => {
      const turnsOf = evidence.flatMap(readIds).filter((id) => known.has(id));
      if (turnsOf.length === 0) return [];
      return [
        { text: question, kind: category === ADVERSARIAL ? "adversarial" : "answerable", evidence: turnsOf } as const,
      ];
    }),
  };
}

function textOf({ text, blip_caption: caption }: Turn): string {
  return caption === undefined ? text : `${text} [${caption}]`;
}

function remembered(kind: string, at: number, name: string, text: string): Omit<Remembered, "evidence"> {
  return { slug: `${kind}-${at}`, name, text };
}

/** The data has several ids in one string, and some written as `D:1:2` or `D1:02`. */
function readIds(written: string): readonly string[] {
  return written.split(/[;,\s]+/).map((id) => id.replace(/^D:/, "D").replace(/0+(\d)/, "$1"));
}
