import { type Clock, NO_LONGER_NEEDED } from "../clock.ts";
import type { Block, Part } from "../log/block.ts";
import type { HeadContent } from "../log/messages.ts";
import type { AttachmentPayload, MessagePayload } from "../log/payload.ts";
import type { Provenance } from "../log/provenance.ts";

/**
 * What the host knows about the work beside the conversation. After a compaction it is asked for it again, because what the
 * conversation said about it is folded. Whatever throws or is undefined is left out.
 */
export interface Surroundings {
  /**
   * What stands before all that is said, such as instructions that the user has written down. Asked for when a session begins
   * and at each compaction that folds it; in between it stays the same to the byte, whatever the answer would be by then.
   * A string is in the host's words. Of texts in a list, each says where it comes from: those of others are marked as data.
   */
  readonly head?: () => Promise<HeadContent | undefined>;
  /** The present content of a file; undefined if it may not be read, or should not be shown again. */
  readonly readFile?: (path: string) => Promise<string | undefined>;
  /** Skills that were used, the newest first. */
  readonly skills?: () => Promise<readonly NamedText[]>;
  /** The todo list; undefined if there is none, or all is done. */
  readonly todos?: () => Promise<string | undefined>;
  /** The plan, as a whole; with its path, where the model's tools can read it. */
  readonly plan?: () => Promise<string | PlacedText | undefined>;
  /** What holds while the plan is being made. */
  readonly planMode?: () => Promise<string | undefined>;
  /** Tools that are announced in the conversation: their list, schemas that were handed out later. */
  readonly tools?: () => Promise<string | undefined>;
  /** What servers of tools say about their use. */
  readonly toolInstructions?: () => Promise<string | undefined>;
}

/** A text that is also in a file. */
export interface PlacedText {
  readonly text: string;
  /** Where the model's own tools can read it. */
  readonly path: string;
}

/** A text with a name, such as a file or a skill. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
  /** Where the text comes from. @default { kind: "project", name } */
  readonly provenance?: Provenance;
}

interface TimeoutOptions {
  readonly clock: Required<Clock>;
  /** Ends all waiting. */
  readonly signal: AbortSignal;
  /** @default 10,000 */
  readonly timeoutMs?: number;
}

/** What a host does not answer in time, or answers by throwing, is left out: a disk that hangs must not hang the session. */
export function withTimeout(surroundings: Surroundings, options: TimeoutOptions): Surroundings {
  const { clock, signal, timeoutMs = 10_000 } = options;
  const bounded = Object.entries(surroundings).map(([name, ask]: [string, Ask]) => [
    name,
    async (path: string) => {
      const answered = new AbortController();
      const late = clock.wait(timeoutMs, AbortSignal.any([signal, answered.signal]));
      try {
        return await Promise.race([ask(path), late.then(() => undefined)]);
      } catch {
        return undefined;
      } finally {
        answered.abort(NO_LONGER_NEEDED);
      }
    },
  ]);
  return Object.fromEntries(bounded) as Surroundings;
}

type Ask = (path: string) => Promise<unknown>;

/** Makes a text fit for the log and the model. A text that was cleaned once must stay as it is. */
export type CleanText = (text: string) => string;

/** The same content with clean texts. The model's own answers stay as they are: a provider may have signed them. */
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

/** The same surroundings, whose texts are clean. */
export function cleanSurroundings(surroundings: Surroundings, clean: CleanText | undefined): Surroundings {
  if (clean === undefined) return surroundings;
  type Ask = (...given: readonly string[]) => Promise<unknown>;
  const asked = Object.entries(surroundings as Readonly<Record<string, Ask>>).map(([name, ask]) => [
    name,
    async (...given: readonly string[]) => cleanAnswer(await ask(...given), clean),
  ]);
  return Object.fromEntries(asked) as Surroundings;
}

/** Answers are texts, or objects with a text, or lists of them. */
function cleanAnswer(answer: unknown, clean: CleanText): unknown {
  if (typeof answer === "string") return clean(answer);
  if (Array.isArray(answer)) return answer.map((one) => cleanAnswer(one, clean));
  if (typeof answer !== "object" || answer === null || !("text" in answer)) return answer;
  return { ...answer, text: cleanAnswer(answer.text, clean) };
}
