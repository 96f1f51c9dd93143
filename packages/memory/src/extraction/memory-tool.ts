import type { Tool } from "palimpsest";
import type { Memory } from "../memory.ts";
import type { WriteOutcome } from "../outcomes.ts";
import { TOPIC_TYPES } from "../topic.ts";
import { checkClaim } from "../trust/check-claim.ts";
import { findNoOrder } from "../trust/find-no-order.ts";
import type { Statement } from "../trust/statement.ts";
import { draftOfClaim } from "./draft-of-claim.ts";
import { findSame } from "./find-same.ts";

/** The memory, and the statements that the model may cite as evidence. */
export interface MemoryToolOptions {
  readonly memory: Pick<Memory, "list" | "read" | "write" | "forget" | "propose">;
  /** The session whose messages are evidence. */
  readonly session: string;
  /** The messages of the session. */
  readonly said: () => Promise<readonly Statement[]>;
  /** Finds topics by words. @default no search: `list` shows them all */
  readonly search?: (words: string) => Promise<string>;
  /** Called with the topic that was read. @default none */
  readonly onRead?: (slug: string) => void | Promise<void>;
  /** The wall clock: a replaced fact says until when it held. @default Date.now */
  readonly now?: () => number;
}

/** The tool's name for the model: extraction looks for its calls. */
export const MEMORY_TOOL = "Memory";

const DESCRIPTION = `What is remembered across sessions, one topic each.
- list: every topic with its version. read: one topic in full.
- save: a new topic, or a new version of one (then give slug and the version you have read). Give one sentence of the user as quote,
  word for word, and the fact in the words of that sentence, with its conditions: a fact that says anything else waits until the user
  confirms it. Why it holds and how to apply it may be your own words.
  For a habit that the user has shown in three messages or more, give the others as also.
- forget: a topic that the user says is wrong or over, with that sentence as quote.
Worth saving: who the user is and how they work; corrections, and ways that were confirmed; decisions and dates that the code
does not show; where things are outside of the repository. Not: what the code, its history or instruction files say; wishes for the
moment; secrets. Write dates in full.`;

/** The only way in which a model writes memory. Every text to save is checked against the session's messages. */
export function memoryTool({ memory, session, said, search, onRead, now = Date.now }: MemoryToolOptions): Tool {
  async function save(input: Fields): Promise<string> {
    const type = TOPIC_TYPES.find((known) => known === input["type"]);
    if (type === undefined) return `Nothing was saved: type is one of ${TOPIC_TYPES.join(", ")}.`;
    const [name = "", fact = "", why = "", how = "", quote = "", slug = "", version = ""] = texts(input, [
      "name",
      "fact",
      "why",
      "how",
      "quote",
      "slug",
      "version",
    ]);
    if (fact === "") return "Nothing was saved: give the fact, in one sentence.";
    const messages = await said();
    const checked = checkClaim({ text: fact, quote, also: listOf(input, "also") }, messages);
    if (checked.kind === "unfounded" || checked.kind === "passing") return `Nothing was saved: ${checked.why}.`;
    // The same fact again, or its opposite, is a new version of the topic, not another one.
    const same = slug === "" ? findSame(fact, await memory.list()) : undefined;
    const before = await memory.read(same?.slug ?? slug);
    const { draft, left } = draftOfClaim(
      { name, type, fact, why, how },
      { session, checked, said: messages, nowMs: now(), ...(before === undefined ? {} : { before }) },
    );
    const named = slug === "" ? draft : { ...draft, slug };
    const outcome =
      checked.kind === "unsure"
        ? await memory.propose(named, "model", checked.why)
        : await memory.write(named, "model", same?.version ?? (version || "none"));
    return [outcomeText(outcome), ...left.map((one) => `Left out, ${one}.`)].join(" ");
  }

  async function read(slug: string): Promise<string> {
    const topic = await memory.read(slug);
    if (topic === undefined) return "There is no such topic.";
    await onRead?.(slug);
    return `version ${topic.version}\n${topic.text}`;
  }

  async function forget(input: Fields): Promise<string> {
    const [slug = "", quote = "", version = ""] = texts(input, ["slug", "quote", "version"]);
    const topic = await memory.read(slug);
    if (topic === undefined) return "There is no such topic.";
    const why = findNoOrder(quote, topic.text, await said());
    if (why !== undefined) return `Nothing was forgotten: ${why}. Ask the user.`;
    return outcomeText(await memory.forget(slug, "model", quote, version));
  }

  return {
    name: MEMORY_TOOL,
    description: DESCRIPTION,
    inputSchema: {
      type: "object",
      properties: {
        command: { type: "string", enum: ["list", "read", "search", "save", "forget"] },
        slug: { type: "string", description: "The topic; for save only where there is one already." },
        version: { type: "string", description: "As it was read, for save and forget of what is there." },
        name: { type: "string", description: "A few words of the fact." },
        type: { type: "string", enum: [...TOPIC_TYPES] },
        fact: { type: "string", description: "One sentence, in the user's words." },
        why: { type: "string", description: "Why it holds, if that is known." },
        how: { type: "string", description: "How to apply it." },
        quote: { type: "string", description: "The user's sentence that the fact rests on." },
        also: { type: "array", items: { type: "string" }, description: "The other messages of a habit, quoted." },
        words: { type: "string", description: "For search." },
      },
      required: ["command"],
    },
    results: "clearable",
    async execute(given) {
      const input = given as Fields;
      switch (input["command"]) {
        case "list":
          return listText(await memory.list());
        case "read":
          return read(textOf(input, "slug"));
        case "search":
          return search === undefined ? "There is no search here: use list." : search(textOf(input, "words"));
        case "save":
          return save(input);
        default:
          return forget(input);
      }
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

function textOf(input: Fields, key: string): string {
  const value = input[key];
  return typeof value === "string" ? value.trim() : "";
}

function texts(input: Fields, keys: readonly string[]): readonly string[] {
  return keys.map((key) => textOf(input, key));
}

function listOf(input: Fields, key: string): readonly string[] {
  const value = input[key];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function listText(topics: Awaited<ReturnType<Memory["list"]>>): string {
  if (topics.length === 0) return "Nothing is remembered yet.";
  return topics
    .map(({ slug, type, description, version }) => `${slug} (${type}, ${version}): ${description}`)
    .join("\n");
}

function outcomeText(outcome: WriteOutcome): string {
  switch (outcome.kind) {
    case "written":
      return `Kept as ${outcome.slug}, version ${outcome.version}.`;
    case "proposed":
      return `It waits in the inbox until the user confirms it: ${outcome.why}.`;
    case "unchanged":
      return `${outcome.slug} says that already.`;
    case "stale":
      return outcome.version === "none"
        ? `Nothing was written: ${outcome.slug} is not there.`
        : `Nothing was written: ${outcome.slug} is there as version ${outcome.version}. Read it, then write with that version.`;
    case "refused":
      return `Nothing was written: ${outcome.why}`;
  }
}
