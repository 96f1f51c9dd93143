import type { StatementSync } from "node:sqlite";
import { germanStem } from "./german-stems.ts";
import type { Vocabulary } from "./read-query.ts";

/** A shorter stem begins too many words. Chosen on the development half of the labeled queries. */
const LEAST_PREFIX_LETTERS = 4;

/**
 * Reads the words of all topics from FTS5. For a German query, a word also matches German words that begin with its stem,
 * because German joins words: `Termine` finds `Terminzettel`.
 */
export function topicVocabulary(
  prepare: (sql: string) => StatementSync,
  queryLanguage: "german" | "other",
): Vocabulary {
  const anyOf = (words: readonly string[]): string =>
    words
      .flatMap((word) => (queryLanguage === "german" ? [quoted(word), germanPrefix(word)] : quoted(word)))
      .join(" OR ");
  return {
    topics: Number(prepare("SELECT count(*) AS topics FROM topic").get()?.["topics"]),
    having(words, where) {
      const column = where === "title" ? "title : " : "";
      // One value instead of thousands of rows, each of which would become an object.
      const found = prepare("SELECT json_group_array(rowid) AS ids FROM topic_text WHERE topic_text MATCH ?").get(
        `${column}(${anyOf(words)})`,
      );
      return JSON.parse(String(found?.["ids"])) as number[];
    },
    sameMeaning(word) {
      const groups = prepare("SELECT words FROM same_meaning WHERE same_meaning MATCH ?").all(anyOf([word]));
      return [...new Set(groups.flatMap(({ words }) => String(words).split(" ")))].filter((other) => other !== word);
    },
    isCommon: (word) =>
      prepare("SELECT 1 FROM common_words WHERE common_words MATCH ?").get(anyOf([word])) !== undefined,
  };
}

function germanPrefix(word: string): string {
  const stem = germanStem(word);
  return `${quoted(stem)}${stem.length > LEAST_PREFIX_LETTERS ? "*" : ""}`;
}

/** Words have letters and digits only: there are no quotes to escape. */
function quoted(word: string): string {
  return `"${word}"`;
}
