import type { DatabaseSync } from "node:sqlite";
import type { Embedder } from "./embedder.ts";
import type { IndexedTopic } from "./topic-index.ts";
import { atOnce } from "./topic-tables.ts";

/** A topic by its distance from a query. */
export interface NearTopic {
  readonly slug: string;
  /** The cosine of the two vectors, at most 1. */
  readonly similarity: number;
}

/** Vectors of topics. They only save calls of the embedder: they can be dropped and computed again. */
export interface TopicVectors {
  /** The version of each topic that has a vector of this embedder. */
  versions(): ReadonlyMap<string, string>;
  put(topics: readonly IndexedTopic[]): Promise<void>;
  remove(slug: string): void;
  /** Finds the nearest topics, the nearest first. Compares all of them: a memory has hundreds, and 10,000 take some 20 ms. */
  near(query: string, limit: number): Promise<readonly NearTopic[]>;
}

const TABLE = `CREATE TABLE IF NOT EXISTS topic_vector (
  slug TEXT PRIMARY KEY,
  embedder TEXT NOT NULL,
  version TEXT NOT NULL,
  vector BLOB NOT NULL
) STRICT`;
/** The text of a topic that is embedded; models cut longer ones anyway. */
const TEXT_CHARACTERS = 4_000;
const TEXTS_PER_CALL = 64;

/** Opens the vectors in the database of the search index. */
export function openTopicVectors(database: DatabaseSync, { name, embed }: Embedder): TopicVectors {
  database.exec(TABLE);
  // Vectors of another model are of no use, and must not outlive their topics.
  database.prepare("DELETE FROM topic_vector WHERE embedder <> ?").run(name);
  const insert = database.prepare(
    "INSERT OR REPLACE INTO topic_vector (slug, embedder, version, vector) VALUES (?, ?, ?, ?)",
  );
  return {
    versions() {
      const rows = database.prepare("SELECT slug, version FROM topic_vector WHERE embedder = ?").all(name);
      return new Map(rows.map(({ slug, version }) => [String(slug), String(version)]));
    },
    async put(topics) {
      for (let from = 0; from < topics.length; from += TEXTS_PER_CALL) {
        const part = topics.slice(from, from + TEXTS_PER_CALL);
        const vectors = await embed(part.map(textOf));
        checkCount(name, vectors.length, part.length);
        atOnce(database, () => {
          for (const [at, { slug, version }] of part.entries()) insert.run(slug, name, version, toBytes(vectors[at]!));
        });
      }
    },
    remove: (slug) => void database.prepare("DELETE FROM topic_vector WHERE slug = ?").run(slug),
    async near(query, limit) {
      const vectors = await embed([query]);
      checkCount(name, vectors.length, 1);
      const asked = toUnit(vectors[0]!);
      const rows = database.prepare("SELECT slug, vector FROM topic_vector WHERE embedder = ?").all(name);
      return rows
        .map(({ slug, vector }) => ({
          slug: String(slug),
          similarity: product(asked, toNumbers(vector as Uint8Array)),
        }))
        .toSorted((one, other) => other.similarity - one.similarity)
        .slice(0, limit);
    },
  };
}

function textOf({ name, description, body }: IndexedTopic): string {
  return `${name}\n${description}\n${body}`.slice(0, TEXT_CHARACTERS);
}

function checkCount(name: string, got: number, wanted: number): void {
  if (got !== wanted) throw new Error(`The embedder ${name} returned ${got} vectors for ${wanted} texts.`);
}

/** Stored with length 1, so that a product is a cosine. */
function toBytes(vector: ArrayLike<number>): Uint8Array {
  return new Uint8Array(toUnit(vector).buffer);
}

function toUnit(vector: ArrayLike<number>): Float32Array<ArrayBuffer> {
  const length = Math.hypot(...Array.from(vector)) || 1;
  return Float32Array.from(vector, (value) => value / length);
}

function toNumbers(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer);
}

/** Vectors of different lengths are of different models, and have nothing in common. */
function product(one: Float32Array, other: Float32Array): number {
  if (one.length !== other.length) return 0;
  return one.reduce((sum, value, at) => sum + value * other[at]!, 0);
}
