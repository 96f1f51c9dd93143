// Makes a model call that returns a whole answer.

import type { LanguageModelV4GenerateResult } from "@ai-sdk/provider";
import { beginCall, type CallContext, type WantedCall } from "./begin-call.ts";

/** Makes a call that returns a whole answer. */
export async function generate(
  context: CallContext,
  { params, model }: Omit<WantedCall, "answer">,
): Promise<LanguageModelV4GenerateResult> {
  const call = await beginCall(context, { params, model, answer: "whole" });
  try {
    const result = await send();
    const metadata = await call.record(result);
    const { warnings, parts } = call.takeReports();
    return {
      ...result,
      content: [...parts, ...result.content],
      warnings: [...warnings, ...result.warnings],
      providerMetadata: { ...result.providerMetadata, ...metadata },
    };
  } finally {
    call.end();
  }

  async function send(): Promise<LanguageModelV4GenerateResult> {
    for (;;) {
      try {
        return await model.doGenerate(call.sent());
      } catch (error) {
        if ((await call.recover(error)) === "give-up") throw error;
      }
    }
  }
}
