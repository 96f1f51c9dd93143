import type { StatementSync } from "node:sqlite";
import type { Vocabulary } from "./read-query.ts";

/** The words of all topics, as FTS5 has them. */
export function topicVocabulary(prepare: (sql: string) => StatementSync): Vocabulary {
  return {
    topics: Number(prepare("SELECT count(*) AS topics FROM topic").get()?.["topics"]),
    having(words, where) {
      const column = where === "title" ? "title : " : "";
      // One value instead of thousands of rows, each of which would become an object.
      const found = prepare("SELECT json_group_array(rowid) AS ids FROM topic_text WHERE topic_text MATCH ?").get(
        `${column}(${words.map(quoted).join(" OR ")})`,
      );
      return JSON.parse(String(found?.["ids"])) as number[];
    },
    sameMeaning(word) {
      const groups = prepare("SELECT words FROM same_meaning WHERE same_meaning MATCH ?").all(quoted(word));
      return [...new Set(groups.flatMap(({ words }) => String(words).split(" ")))].filter((other) => other !== word);
    },
    isCommon: (word) =>
      prepare("SELECT 1 FROM common_words WHERE common_words MATCH ?").get(quoted(word)) !== undefined,
  };
}

/** Words have letters and digits only: there are no quotes to escape. */
function quoted(word: string): string {
  return `"${word}"`;
}
