import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

/**
 * Memories of eight made-up teams, and what people might type to a coding agent of theirs. All of it was written for this
 * experiment. All memories are searched together, so that each team's are in the way of the others'.
 */
export interface Labelled {
  readonly memories: readonly LabelledMemory[];
  readonly queries: readonly LabelledQuery[];
}

export interface LabelledMemory {
  readonly team: string;
  readonly slug: string;
  readonly type: "user" | "feedback" | "project" | "reference";
  /** The day on which it was last written, as YYYY-MM-DD. */
  readonly updated: string;
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

export interface LabelledQuery {
  readonly team: string;
  /** `no-answer`: it is about nothing that is remembered. */
  readonly kind: string;
  /** Any of them answers it. */
  readonly expected: readonly string[];
  readonly text: string;
  readonly half: Half;
}

export type QueryFromUse = Pick<LabelledQuery, "kind" | "expected" | "text">;

/** Numbers may be chosen by looking at `development`, never at `held-out`. */
export type Half = "development" | "held-out";

const FOLDER = new URL("./labelled/", import.meta.url);

export function readLabelled(): Labelled {
  const files = readdirSync(FOLDER).toSorted();
  const teams = files.map((file) => ({
    team: file.replace(/\.json$/, ""),
    ...(JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")) as Labelled),
  }));
  return {
    memories: teams.flatMap(({ team, memories }) => memories.map((memory) => ({ ...memory, team }))),
    queries: teams.flatMap(({ team, queries }) => queries.map((query) => ({ ...query, team, half: halfOf(query) }))),
  };
}

/**
 * Queries that were written later, from what the memories are for and not from their text: what somebody at work would
 * say when the memory should come up. They were kept before their author had read the search or its tables. Numbers were
 * not chosen by them; parts were (what stays by hand), and some were looked at one by one meanwhile. So they are not untouched.
 */
export function readFromUse(): readonly QueryFromUse[] {
  return readQueries("./from-use.json");
}

/**
 * German queries from use, written later and kept before any search had seen them, to decide how German words are found. Their
 * author had read the names and descriptions of the memories, the search and its tables.
 */
export function readGermanFromUse(): readonly QueryFromUse[] {
  return readQueries("./german-from-use.json");
}

function readQueries(file: string): readonly QueryFromUse[] {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")) as readonly QueryFromUse[];
}

/** By the memory that is asked for, so that two queries about one are never on both sides; without one, by the words. */
function halfOf({ expected, text }: Pick<LabelledQuery, "expected" | "text">): Half {
  const [byte = 0] = createHash("sha256")
    .update(expected[0] ?? text)
    .digest();
  return byte % 2 === 0 ? "development" : "held-out";
}
