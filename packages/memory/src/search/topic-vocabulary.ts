import type { StatementSync } from "node:sqlite";
import { rootOf, stemOf } from "./stem.ts";
import type { KnownWord, Vocabulary } from "./vocabulary.ts";

type Prepare = (sql: string) => StatementSync;

/** The words of all topics, as they stand in the database. */
export function topicVocabulary(prepare: Prepare): Vocabulary {
  const read = (where: string, ...values: readonly string[]): readonly KnownWord[] =>
    prepare(`SELECT word, topics FROM topic_word WHERE ${where}`)
      .all(...values)
      .map(({ word, topics }) => ({ word: String(word), topics: Number(topics) }));
  return {
    topics: Number(prepare("SELECT count(*) AS topics FROM topic").get()?.["topics"]),
    withStem: (stem) => read("stem = ?", stem),
    withRoot: (root) => read("root = ?", root),
    beginningWith: (start) => read("word > ? AND word < ?", start, `${start}\u{10ffff}`),
    endingWith: (end) => read("ending > ? AND ending < ?", backwards(end), `${backwards(end)}\u{10ffff}`),
  };
}

/** A topic more that has the word. */
export function countWord(prepare: Prepare, word: string): void {
  const stem = stemOf(word);
  prepare(`INSERT INTO topic_word (word, stem, root, ending, topics) VALUES (?, ?, ?, ?, 1)
ON CONFLICT (word) DO UPDATE SET topics = topics + 1`).run(word, stem, rootOf(stem), backwards(stem));
}

/** A topic less; what none has is forgotten. */
export function discountWord(prepare: Prepare, word: string): void {
  prepare("UPDATE topic_word SET topics = topics - 1 WHERE word = ?").run(word);
  prepare("DELETE FROM topic_word WHERE word = ? AND topics <= 0").run(word);
}

function backwards(text: string): string {
  return [...text].reverse().join("");
}
