import type { Block, Part } from "../log/block.ts";
import type { AttachmentPayload, MessagePayload } from "../log/payload.ts";
import type { Surroundings } from "../session/compact/surroundings.ts";

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
