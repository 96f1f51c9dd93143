// Wraps the model of a Mastra step, so that the middleware handles its calls.

import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { CompactionData } from "palimpsest/adapter-parts";
import { readCompaction } from "../middleware/compaction-part.ts";
import type { PalimpsestMiddleware } from "../middleware/palimpsest.ts";

/** A model of the AI SDK as Mastra passes it to a step. Its interface can have several versions. */
export interface StepModel {
  readonly specificationVersion: string;
  readonly modelId: string;
}

/** Wraps a model, so that sessions handle its calls. Removes compactions from the answers, because Mastra has no parts for them. */
export function wrapModel(
  stepModel: StepModel,
  { wrapGenerate, wrapStream }: PalimpsestMiddleware,
  onCompaction: (data: CompactionData) => void,
): LanguageModelV4 {
  const model = checkModel(stepModel);
  const isOther = (part: unknown): boolean => {
    const data = readCompaction(part);
    if (data !== undefined) onCompaction(data);
    return data === undefined;
  };
  const { provider, modelId, supportedUrls } = model;
  return {
    specificationVersion: "v4",
    provider,
    modelId,
    supportedUrls,
    async doGenerate(params) {
      const calls = { doGenerate: () => model.doGenerate(params), doStream: () => model.doStream(params) };
      const result = await wrapGenerate!({ ...calls, params, model });
      return { ...result, content: result.content.filter(isOther) };
    },
    async doStream(params) {
      const calls = { doGenerate: () => model.doGenerate(params), doStream: () => model.doStream(params) };
      const result = await wrapStream!({ ...calls, params, model });
      return { ...result, stream: result.stream.pipeThrough(filtered(isOther)) };
    },
  };
}

function checkModel(model: StepModel): LanguageModelV4 {
  if (model.specificationVersion === "v4") return model as LanguageModelV4;
  throw new TypeError(
    `Palimpsest needs a model of the AI SDK 7, and ${model.modelId} has the interface ${model.specificationVersion}. ` +
      "Give the agent a model object of a provider package (@ai-sdk/NAME 4) instead of a name.",
  );
}

function filtered(
  isKept: (part: LanguageModelV4StreamPart) => boolean,
): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  return new TransformStream({
    transform(part, controller) {
      if (isKept(part)) controller.enqueue(part);
    },
  });
}
