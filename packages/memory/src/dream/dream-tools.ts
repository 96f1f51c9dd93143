import type { Store, Tool } from "palimpsest";
import { readPayload } from "palimpsest/inspect";
import type { LogReader } from "palimpsest/store-parts";
import type { Batch } from "../batch.ts";
import type { TopicUse } from "../memory-files.ts";
import type { StagedOutcome } from "../outcomes.ts";
import { TOPIC_TYPES, type TopicDraft } from "../topic.ts";
import { findForeign } from "../trust/find-foreign.ts";
import { type Statement, toStatement } from "../trust/statement.ts";

export interface DreamToolsOptions {
  /** The batch that stages the changes: nothing is on the disk before the run ends. */
  readonly batch: Batch;
  readonly store: Pick<Store, "openReader">;
  /** The sessions that may be searched, the newest first. */
  readonly sessions: readonly string[];
  /** How often topics were used, if counted. */
  readonly uses: ReadonlyMap<string, TopicUse>;
  /** Called for every topic that was changed. */
  readonly onChange: (slug: string) => void;
}

const HITS = 12;
const SESSIONS_SEARCHED = 50;

/** The tools of a run: topics, and a read-only search. Changes are based on topics and on users' messages. */
export function dreamTools({ batch, store, sessions, uses, onChange }: DreamToolsOptions): readonly Tool[] {
  /** Earlier and found texts: only their words may make up a change without approval. */
  const heard: Statement[] = batch.list().flatMap(({ slug }) => {
    const topic = batch.read(slug);
    return topic === undefined
      ? []
      : [{ entry: 0, by: "user" as const, text: [topic.name, topic.description, topic.body].join("\n") }];
  });

  async function write(input: Fields): Promise<string> {
    const type = TOPIC_TYPES.find((known) => known === input["type"]);
    if (type === undefined) return `Nothing was written: type is one of ${TOPIC_TYPES.join(", ")}.`;
    const [name, description, body, slug, version] = texts(input, "name", "description", "body", "slug", "version");
    const evidence = texts(input, "slug", "merges")
      .flatMap((list) => list.split(/[\s,]+/))
      .flatMap((source) => batch.read(source)?.evidence ?? []);
    const draft: TopicDraft = {
      name: name!,
      description: description!,
      type,
      body: body!,
      evidence,
      ...(slug === "" ? {} : { slug: slug! }),
    };
    const foreign = findForeign([name, description, body].join("\n"), heard);
    const outcome =
      foreign === undefined ? await batch.write(draft, version || "none") : await batch.propose(draft, foreign);
    return told(outcome);
  }

  function told(outcome: StagedOutcome): string {
    if (outcome.kind === "written") onChange(outcome.slug);
    if (outcome.kind === "written") return `${outcome.slug} is now version ${outcome.version}.`;
    if (outcome.kind === "proposed") return `It will wait for the user's yes: ${outcome.why}.`;
    if (outcome.kind === "unchanged") return `${outcome.slug} says that already.`;
    if (outcome.kind === "stale") return `Nothing was written: ${outcome.slug} is version ${outcome.version}.`;
    return `Nothing was written: ${outcome.why}`;
  }

  const topics: Tool = {
    name: "Topics",
    description: "list, read, write, forget or rename topics. To change one, give the version that you have read.",
    inputSchema: {
      type: "object",
      properties: {
        command: { type: "string", enum: ["list", "read", "write", "forget", "rename"] },
        slug: { type: "string" },
        version: { type: "string" },
        to: { type: "string", description: "The new slug, for rename." },
        name: { type: "string" },
        description: { type: "string" },
        type: { type: "string", enum: [...TOPIC_TYPES] },
        body: { type: "string" },
        merges: { type: "string", description: "Slugs of topics that this one takes the place of." },
        because: { type: "string", description: "For forget: the reason." },
      },
      required: ["command"],
    },
    async execute(given) {
      const input = given as Fields;
      const [slug, version, to, because] = texts(input, "slug", "version", "to", "because");
      switch (input["command"]) {
        case "list":
          return listText(batch, uses);
        case "read": {
          const topic = batch.read(slug!);
          return topic === undefined ? "There is no such topic." : `version ${topic.version}\n${topic.text}`;
        }
        case "write":
          return write(input);
        case "forget":
          return told(await batch.forget(slug!, because!, version!));
        default:
          return told(await batch.rename(slug!, to!, version!));
      }
    },
  };

  const search: Tool = {
    name: "SearchSessions",
    description: `Finds what was said in recent sessions, by words that must all occur. Shows who said it: ${HITS} finds at most, in the ${SESSIONS_SEARCHED} newest sessions.`,
    inputSchema: { type: "object", properties: { words: { type: "string" } }, required: ["words"] },
    concurrency: "safe",
    async execute(given) {
      const [words] = texts(given as Fields, "words");
      const lines: string[] = [];
      for (const session of sessions.slice(0, SESSIONS_SEARCHED)) {
        const reader = await store.openReader(session);
        if (reader === undefined) continue;
        for (const said of await hitsIn(reader, words!, HITS - lines.length)) {
          heard.push(said);
          lines.push(`${session}, entry ${said.entry}, ${WHO[said.by]}: ${JSON.stringify(snippet(said.text, words!))}`);
        }
        await reader.close();
        if (lines.length >= HITS) break;
      }
      const found = lines.length === 0 ? "Nothing was found." : lines.join("\n");
      return [found, ...limitsOf(lines.length, sessions.length)].join("\n");
    },
  };
  return [topics, search];
}

type Fields = Readonly<Record<string, unknown>>;

const WHO = { user: "the user", model: "the agent", outside: "data from a tool" } as const;
const SNIPPET_CHARACTERS = 300;

/** Names what was not searched: then "nothing found" is no proof. */
function limitsOf(hits: number, sessions: number): readonly string[] {
  return [
    ...(hits >= HITS ? [`[${HITS} finds are shown; there may be more. Search for rarer words.]`] : []),
    ...(sessions > SESSIONS_SEARCHED
      ? [`[Only the newest ${SESSIONS_SEARCHED} of ${sessions} sessions were searched.]`]
      : []),
  ];
}

async function hitsIn(reader: LogReader, words: string, limit: number): Promise<readonly Statement[]> {
  if (limit <= 0 || words === "") return [];
  const found = await reader.search(words, { limit });
  const entries = await Promise.all(found.map(({ sequence }) => reader.read(sequence, sequence)));
  return entries.flat().flatMap((entry) => toStatement(readPayload(entry)) ?? []);
}

function snippet(text: string, words: string): string {
  const [first = ""] = words.toLowerCase().split(/\s+/);
  const at = Math.max(0, text.toLowerCase().indexOf(first) - SNIPPET_CHARACTERS / 3);
  return text.slice(at, at + SNIPPET_CHARACTERS);
}

function listText(batch: Batch, uses: DreamToolsOptions["uses"]): string {
  const lines = batch.list().map(({ slug, type, author, version, description }) => {
    const used = uses.get(slug);
    const days = used === undefined ? "not used yet" : `used ${used.count} times, last on ${dayOf(used.lastAtMs)}`;
    return `${slug} (${type}, by ${author}, ${version}, ${days}): ${description}`;
  });
  return lines.length === 0 ? "There are no topics." : lines.join("\n");
}

function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

function texts(input: Fields, ...keys: readonly string[]): readonly string[] {
  return keys.map((key) => (typeof input[key] === "string" ? input[key].trim() : ""));
}
