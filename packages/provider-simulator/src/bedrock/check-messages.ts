import { isObject } from "../json.ts";
import { type Problem, validation } from "./problem.ts";
import type { ContentBlock, ConverseMessage, ConverseRequest } from "./request.ts";

/** Checks what the service itself refuses, before the model is asked: turns, texts, results, documents and cache points. */
export function checkMessages(request: ConverseRequest): Problem | undefined {
  const { messages = [], system = [], toolConfig } = request;
  return (
    checkTurns(messages) ??
    firstOf(messages, checkMessage) ??
    checkToolConfig(request) ??
    checkPairs(messages) ??
    checkDocumentNames(messages) ??
    // Of the system prompt and the tools, no source shows a point without anything before it: it is taken for an error, as in messages.
    checkCachePoints(system, "system") ??
    checkCachePoints(toolConfig?.tools ?? [], "toolConfig.tools") ??
    firstOf(messages, ({ content }, index) => checkCachePoints(content, `messages.${index}.content`))
  );
}

function firstOf<Item>(
  items: readonly Item[],
  find: (item: Item, index: number) => Problem | undefined,
): Problem | undefined {
  for (const [index, item] of items.entries()) {
    const problem = find(item, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** semantic-kernel#10281, langchainjs#6724; the first is from memory. */
function checkTurns(messages: readonly ConverseMessage[]): Problem | undefined {
  if (messages[0]?.role !== "user") {
    return validation(
      "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
    );
  }
  const alternates = messages.every(({ role }, index) => index === 0 || role !== messages[index - 1]?.role);
  if (alternates) return undefined;
  return validation(
    "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and " +
      "assistant roles and try again.",
  );
}

/** The first text is from archestra#4220, the last from archestra#4220, too. */
function checkMessage({ content }: ConverseMessage, index: number): Problem | undefined {
  if (content.length === 0) {
    return validation(
      `The content field in the Message object at messages.${index} is empty. Add a ContentBlock object to the content field and try again.`,
    );
  }
  const broken = firstOf(content, (block, place) => checkBlock(block, `messages.${index}.content.${place}`));
  if (broken !== undefined) return broken;
  const hasDocument = content.some(({ document }) => document !== undefined);
  const hasText = content.some(({ text }) => text !== undefined);
  return hasDocument && !hasText ? validation("A text block must be included when using documents.") : undefined;
}

/** Content that this model does not take, or that is not simulated. The words are ours. */
const NOT_TAKEN = ["video", "audio", "guardContent", "citationsContent", "searchResult"];

function checkBlock(block: ContentBlock, place: string): Problem | undefined {
  const { text, toolUse, toolResult } = block;
  const member = NOT_TAKEN.find((name) => block[name] !== undefined);
  if (member !== undefined)
    return validation(`This model doesn't support the ${member} field. Remove ${member} and try again.`);
  // pi#4975: white space alone is blank, too.
  if (text?.trim() === "") {
    return validation(
      `The text field in the ContentBlock object at ${place} is blank. Add text to the text field, and try again.`,
    );
  }
  if (toolUse !== undefined && !isObject(toolUse.input)) return notAnObject(`${place}.toolUse.input`);
  if (toolResult === undefined) return undefined;
  // sample-multi-agent-orchestration-chat-on-agentcore#15.
  if (toolResult.status === "error" && toolResult.content.length === 0) {
    return validation(`The content field at ${place}.toolResult cannot be empty when status value is error.`);
  }
  return firstOf(toolResult.content, ({ json }, index) =>
    json === undefined || isObject(json) ? undefined : notAnObject(`${place}.toolResult.content.${index}.json`),
  );
}

/** aichat#1550. */
function notAnObject(place: string): Problem {
  return validation(
    `The format of the value at ${place} is invalid. Provide a json object for the field and try again.`,
  );
}

/** dify#17545; the schema's rule is from memory. */
function checkToolConfig({ messages = [], toolConfig }: ConverseRequest): Problem | undefined {
  const usesTools = messages.some(({ content }) =>
    content.some(({ toolUse, toolResult }) => toolUse !== undefined || toolResult !== undefined),
  );
  if (usesTools && toolConfig === undefined) {
    return validation("The toolConfig field must be defined when using toolUse and toolResult content blocks.");
  }
  return firstOf(toolConfig?.tools ?? [], ({ toolSpec }, index) => {
    if (toolSpec === undefined || toolSpec.inputSchema.json["type"] === "object") return undefined;
    return validation(
      `The value at toolConfig.tools.${index}.toolSpec.inputSchema.json.type must be one of the following: object.`,
    );
  });
}

/** Curie#16, camel#3954. Order and repetition are the model's own rules. */
function checkPairs(messages: readonly ConverseMessage[]): Problem | undefined {
  return firstOf(messages, ({ role, content }, index) => {
    if (role !== "user") return undefined;
    const calls = (messages[index - 1]?.content ?? []).flatMap(({ toolUse }) => toolUse?.toolUseId ?? []);
    const results = content.flatMap(({ toolResult }) => toolResult?.toolUseId ?? []);
    if (results.length > calls.length) {
      return validation(
        `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of previous turn.`,
      );
    }
    const missing = calls.filter((id) => !results.includes(id));
    if (missing.length === 0) return undefined;
    return validation(
      `Expected toolResult blocks at messages.${index}.content for the following Ids: ${missing.join(", ")}`,
    );
  });
}

/** vercel/ai#20365 and generative-ai-use-cases#1671, where underscores were taken; bifrost#7003. */
function checkDocumentNames(messages: readonly ConverseMessage[]): Problem | undefined {
  const blocks = messages.flatMap(({ content }) =>
    content.flatMap((block) => [block, ...(block.toolResult?.content ?? [])]),
  );
  const names = blocks.flatMap(({ document }) => document?.name ?? []);
  if (!names.every((name) => /^[\w ()[\]-]+$/.test(name) && !name.includes("  "))) {
    return validation(
      "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square " +
        "brackets. The name can't contain more than one consecutive whitespace character. Check that the file name conforms to " +
        "these restrictions and retry your request.",
    );
  }
  if (new Set(names).size === names.length) return undefined;
  return validation("Messages can't contain duplicate document names. Rename the document and retry your request.");
}

/** opencode#36517. That nothing before a point is an error was seen (harness-sdk#3677), but not with what words. */
function checkCachePoints(
  blocks: readonly Pick<ContentBlock, "cachePoint" | "reasoningContent">[],
  place: string,
): Problem | undefined {
  return firstOf(blocks, ({ cachePoint }, index) => {
    if (cachePoint === undefined) return undefined;
    const before = blocks[index - 1];
    if (before === undefined || before.cachePoint !== undefined) {
      return validation(`The cachePoint block at ${place}.${index} has no content before it. Remove it and try again.`);
    }
    if (before.reasoningContent === undefined) return undefined;
    return validation(
      "Cache point cannot be inserted after reasoning block. Please remove the invalid cache point and try again.",
    );
  });
}
