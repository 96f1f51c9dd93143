import { type Accepted, accept } from "../accept.ts";
import { isObject } from "../json.ts";
import {
  mediaBlock,
  type PromptBlock,
  type PromptEntry,
  type RenderedPrompt,
  renderPrompt,
  sumTokens,
  textBlock,
  toolBlock,
} from "../prompt.ts";
import type { PromptCache } from "../prompt-cache.ts";
import { rememberFrozen } from "../remember-frozen.ts";
import type { Tokenizer } from "../tokenizer.ts";
import type { Refusal } from "../verdict.ts";
import { checkContents, partsOf } from "./check-contents.ts";
import { checkSettings } from "./check-settings.ts";
import { checkSignatures } from "./check-signatures.ts";
import type { GeminiModel } from "./models.ts";
import { invalidArgument, type Problem, toRefusal } from "./problem.ts";
import { type Content, type ContentPart, type GeminiRequest, readRequest } from "./request.ts";

export interface MeasuredPrompt {
  readonly kind: "measured";
  readonly request: GeminiRequest;
  readonly model: GeminiModel;
  readonly entries: readonly PromptEntry[];
  readonly prompt: RenderedPrompt;
  readonly accepted: Accepted;
  readonly maxOutputTokens: number;
}

export interface MeterOptions {
  readonly tokenizer: Tokenizer;
  readonly cache: PromptCache;
}

export type Meter = (body: unknown, model: GeminiModel, account: string) => MeasuredPrompt | Refusal;

/** Creates what checks a request, counts it and looks it up in the cache. */
export function createMeter({ tokenizer, cache }: MeterOptions): Meter {
  const readPart = rememberFrozen((part: ContentPart) => toBlock(part, tokenizer));

  function toEntry(content: Content): PromptEntry {
    const isModel = content.role === "model";
    const blocks = partsOf(content).map((part) => {
      const block = readPart(part);
      return isModel ? block : { ...block, digest: textBlock("user", JSON.stringify(block.digest), tokenizer).digest };
    });
    const said = partsOf(content).filter(({ thought }) => thought !== true);
    return {
      speaker: isModel ? "assistant" : "user",
      text: said.map(({ text = "" }) => text).join(""),
      blocks,
      tokens: sumTokens(blocks),
    };
  }

  return (body, model, account) => {
    const read = readRequest(body);
    if (!("kind" in read)) return toRefusal(read);
    const { request } = read;
    const { contents = [], systemInstruction, tools = [], generationConfig = {} } = request;
    const problem: Problem | undefined =
      checkContents(request) ?? checkSettings(request, model) ?? checkSignatures(contents, model);
    if (problem !== undefined) return toRefusal(problem);
    const system = partsOf(systemInstruction ?? {}).map((part) => textBlock("system", part.text ?? "", tokenizer));
    const head = [...system, ...tools.map((tool) => toolBlock(tool, tokenizer))];
    const entries = contents.map(toEntry);
    const prompt = renderPrompt({ settings: [account, model.id], head, entries });
    const { tokens } = prompt.prefix;
    if (tokens > model.maxInputTokens) {
      // gemini-cli#6678.
      const counts = `(${tokens}) exceeds the maximum number of tokens allowed (${model.maxInputTokens})`;
      return toRefusal(invalidArgument(`The input token count ${counts}.`));
    }
    const { maxOutputTokens: asked } = generationConfig;
    const room = model.window === "shared" ? model.maxInputTokens - tokens : model.maxOutputTokens;
    const wanted = typeof asked === "number" ? asked : model.maxOutputTokens;
    const accepted = accept({ model, prompt, caching: {}, cache });
    const maxOutputTokens = Math.min(wanted, room, model.maxOutputTokens);
    return {
      kind: "measured",
      request,
      model,
      entries: withResults(entries, contents),
      prompt,
      accepted,
      maxOutputTokens,
    };
  };
}

function toBlock(part: ContentPart, tokenizer: Tokenizer): PromptBlock {
  const { thoughtSignature: signature = "", ...said } = part;
  if (isObject(said["inlineData"]) || isObject(said["fileData"])) {
    const isImage = JSON.stringify(said).includes('"image/');
    return mediaBlock("media", said, isImage ? tokenizer.imageTokens : tokenizer.documentTokens);
  }
  const block = textBlock("part", `${JSON.stringify(said)}${signature}`, tokenizer);
  const text = said.text ?? JSON.stringify(said);
  const signed = Math.ceil(signature.length * tokenizer.signatureTokensPerCharacter);
  return { ...block, tokens: tokenizer.countText(text) + signed + tokenizer.blockTokens };
}

/** The responses to calls as entries of their own, so that a script sees them. They are part of the user's entries already. */
function withResults(entries: readonly PromptEntry[], contents: readonly Content[]): readonly PromptEntry[] {
  return entries.flatMap((entry, index) => {
    const results = partsOf(contents[index]!).flatMap(({ functionResponse }): PromptEntry[] => {
      if (functionResponse === undefined) return [];
      const { id, name = "", response } = functionResponse;
      return [{ speaker: "tool", text: textOf(response), resultOf: id ?? name, blocks: [], tokens: 0 }];
    });
    // Nobody spoke where there are only responses.
    return entry.speaker === "user" && entry.text === "" && results.length > 0 ? results : [...results, entry];
  });
}

/** The fields `output` and `error` have a meaning for the model (types of the client); any other response is shown as it is. */
function textOf(response: unknown): string {
  const { output, error } = isObject(response) ? response : {};
  const text = output ?? error ?? response;
  return typeof text === "string" ? text : JSON.stringify(text ?? null);
}
