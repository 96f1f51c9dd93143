// The host's answers to questions of the session, with a timeout, and the cleaning of texts.

import { type Clock, NO_LONGER_NEEDED } from "../clock.ts";
import type { Block, Part } from "../log/block.ts";
import type { HeadContent } from "../log/messages.ts";
import type { AttachmentPayload, MessagePayload } from "../log/payload.ts";
import type { Provenance } from "../log/provenance.ts";

/**
 * Content of the host that is not part of the conversation. The session asks for it again after each compaction,
 * because the compaction removes what the conversation said about it. Answers that throw or are undefined are left out.
 */
export interface Surroundings {
  /**
   * The head: content before the first message, such as instructions that the user has written. The session asks for it
   * at its start and at each compaction that compacts it; in between, the head stays the same byte for byte. A string
   * counts as text from the host. In a list, each text names its source, and text from other sources is marked as data.
   */
  readonly head?: () => Promise<HeadContent | undefined>;
  /** The current content of a file. Undefined if it must not be read or shown again. */
  readonly readFile?: (path: string) => Promise<string | undefined>;
  /**
   * The rules of folders that are in use, the most recently used folder first. Each has the path of its file, so that the model can
   * read the rest of a rule that is cut. The rules are shown as the project's, 10,000 tokens in all.
   * @param files the files that the compaction shows again
   */
  readonly folderRules?: (files: readonly string[]) => Promise<readonly PlacedText[] | undefined>;
  /** The used skills, newest first. */
  readonly skills?: () => Promise<readonly NamedText[]>;
  /** The todo list. Undefined if there is none, or all items are done. */
  readonly todos?: () => Promise<string | undefined>;
  /** The whole plan, with its path if the model's tools can read it. */
  readonly plan?: () => Promise<string | PlacedText | undefined>;
  /** The rules of plan mode, while it is on. */
  readonly planMode?: () => Promise<string | undefined>;
  /** Tools that the conversation announces: their list, and schemas that were sent later. */
  readonly tools?: () => Promise<string | undefined>;
  /** Instructions of tool servers. */
  readonly toolInstructions?: () => Promise<string | undefined>;
}

/** A text that is also in a file. */
export interface PlacedText {
  readonly text: string;
  /** The path under which the model's tools can read the file. */
  readonly path: string;
}

/** A text with a name, such as a file or a skill. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
  /** The source of the text. @default { kind: "project", name } */
  readonly provenance?: Provenance;
}

interface TimeoutOptions {
  readonly clock: Required<Clock>;
  /** Aborting it ends all waiting. */
  readonly signal: AbortSignal;
  /** The timeout of each answer. @default 10,000 */
  readonly timeoutMs?: number;
}

/**
 * Limits the time of each answer. Answers that are late or throw become undefined, so that a hanging disk does not stop
 * the session.
 */
export function withTimeout(host: Surroundings, options: TimeoutOptions): Surroundings {
  const { clock, signal, timeoutMs = 10_000 } = options;
  const bounded = Object.entries(host).map(([name, ask]: [string, Ask]) => [
    name,
    async (argument: unknown) => {
      const answered = new AbortController();
      const late = clock.wait(timeoutMs, AbortSignal.any([signal, answered.signal]));
      try {
        return await Promise.race([ask(argument), late.then(() => undefined)]);
      } catch {
        return undefined;
      } finally {
        answered.abort(NO_LONGER_NEEDED);
      }
    },
  ]);
  return Object.fromEntries(bounded) as Surroundings;
}

type Ask = (argument: unknown) => Promise<unknown>;

/** Asks the host for each file and each text once, however often the view is composed. */
export function remembering(host: Surroundings): Surroundings {
  const known = new Map<string, Promise<unknown>>();
  const asking = Object.entries(host).map(([name, ask]: [string, Ask]) => [
    name,
    (path: string) => {
      const key = `${name} ${path}`;
      const answer = known.get(key) ?? ask(path);
      known.set(key, answer);
      return answer;
    },
  ]);
  return Object.fromEntries(asking) as Surroundings;
}

/** Cleans a text for the log and the model. Cleaning a clean text must not change it. */
export type CleanText = (text: string) => string;

/** Cleans the texts of content. The model's answers stay as they are, because a provider may have signed them. */
export function cleanContent<Content extends MessagePayload | AttachmentPayload>(
  content: Content,
  clean: CleanText | undefined,
): Content {
  if (clean === undefined || !Array.isArray(content.blocks)) return content;
  if ("role" in content && content.role === "assistant") return content;
  return { ...content, blocks: content.blocks.map((block) => cleanBlock(block, clean)) };
}

function cleanBlock(block: Block, clean: CleanText): Block {
  if (block.kind === "text") return { ...block, text: clean(block.text) };
  if (block.kind !== "tool_result") return block;
  const { content } = block;
  const cleaned = typeof content === "string" ? clean(content) : content.map((part) => cleanBlock(part, clean) as Part);
  return { ...block, content: cleaned };
}

/** Cleans the texts of the host's answers. */
export function cleanHostContent(host: Surroundings, clean: CleanText | undefined): Surroundings {
  if (clean === undefined) return host;
  const cleaned = Object.entries(host as Readonly<Record<string, Ask>>).map(([name, ask]) => [
    name,
    async (argument: unknown) => cleanAnswer(await ask(argument), clean),
  ]);
  return Object.fromEntries(cleaned) as Surroundings;
}

/** Cleans an answer: a text, an object with a text, or a list of either. */
function cleanAnswer(answer: unknown, clean: CleanText): unknown {
  if (typeof answer === "string") return clean(answer);
  if (Array.isArray(answer)) return answer.map((one) => cleanAnswer(one, clean));
  if (typeof answer !== "object" || answer === null || !("text" in answer)) return answer;
  return { ...answer, text: cleanAnswer(answer.text, clean) };
}
