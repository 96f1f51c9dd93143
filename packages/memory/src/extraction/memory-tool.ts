import type { Tool } from "palimpsest";
import type { Memory } from "../memory.ts";
import type { WriteOutcome } from "../outcomes.ts";
import { TOPIC_TYPES, type TopicDraft, type TopicType } from "../topic.ts";
import { checkClaim } from "../trust/check-claim.ts";
import type { Statement } from "../trust/statement.ts";

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
}

/** The tool's name for the model: extraction looks for its calls. */
export const MEMORY_TOOL = "Memory";

const DESCRIPTION = `What is remembered across sessions, one topic each.
- list: every topic with its version. read: one topic in full.
- save: a new topic, or a new version of one (then give slug and the version you have read). Give the user's own words as
  quote, word for word, and write name, description and body in these words, too: whatever the user has not said waits until the
  user confirms it.
- forget: a topic that the user says is wrong or over, with that sentence as quote.
Worth saving: who the user is and how they work; corrections, and ways that were confirmed; decisions and dates that the code
does not show; where things are outside of the repository. Not: what the code, its history or instruction files say; passing
details; secrets. Write dates in full.`;

/** The only way in which a model writes memory. Every text to save is checked against the session's messages. */
export function memoryTool({ memory, session, said, search, onRead }: MemoryToolOptions): Tool {
  async function save(input: Fields): Promise<string> {
    const type = TOPIC_TYPES.find((known) => known === input["type"]);
    if (type === undefined) return `Nothing was saved: type is one of ${TOPIC_TYPES.join(", ")}.`;
    const [name, description, body, quote] = ["name", "description", "body", "quote"].map((key) => textOf(input, key));
    const slug = textOf(input, "slug");
    const claim = { text: [name, description, body].join("\n"), quote: quote! };
    const checked = checkClaim(claim, await said());
    if (checked.kind === "unfounded") return `Nothing was saved: ${checked.why}.`;
    const before = slug === "" ? undefined : await memory.read(slug);
    const evidence = [...(before?.evidence ?? []), { session, entry: checked.entry, quote: quote! }];
    const draft: TopicDraft = {
      name: name!,
      description: description!,
      type: type as TopicType,
      body: body!,
      evidence,
      ...(slug === "" ? {} : { slug }),
    };
    if (checked.kind === "unsure") return outcomeText(await memory.propose(draft, "model", checked.why));
    return outcomeText(await memory.write(draft, "model", textOf(input, "version") || "none"));
  }

  async function read(slug: string): Promise<string> {
    const topic = await memory.read(slug);
    if (topic === undefined) return "There is no such topic.";
    await onRead?.(slug);
    return `version ${topic.version}\n${topic.text}`;
  }

  async function forget(input: Fields): Promise<string> {
    const [slug, quote, version] = ["slug", "quote", "version"].map((key) => textOf(input, key));
    const checked = checkClaim({ text: quote!, quote: quote! }, await said());
    if (checked.kind !== "supported") return `Nothing was forgotten: ${checked.why}. Ask the user.`;
    return outcomeText(await memory.forget(slug!, "model", quote!, version!));
  }

  return {
    name: MEMORY_TOOL,
    description: DESCRIPTION,
    input: {
      type: "object",
      properties: {
        command: { type: "string", enum: ["list", "read", "search", "save", "forget"] },
        slug: { type: "string", description: "The topic; for save only where there is one already." },
        version: { type: "string", description: "As it was read, for save and forget of what is there." },
        name: { type: "string" },
        description: { type: "string", description: "One sentence that tells when this is of use." },
        type: { type: "string", enum: [...TOPIC_TYPES] },
        body: { type: "string", description: "The fact. For feedback and project also lines Why: and How to apply:" },
        quote: { type: "string", description: "The user's words that it rests on." },
        words: { type: "string", description: "For search." },
      },
      required: ["command"],
    },
    results: "clearable",
    async run(given) {
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
