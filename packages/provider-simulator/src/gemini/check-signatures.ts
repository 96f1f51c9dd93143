import { unseal } from "../seal.ts";
import { partsOf } from "./check-contents.ts";
import type { GeminiModel } from "./models.ts";
import { invalidArgument, type Problem } from "./problem.ts";
import type { Content } from "./request.ts";

/** With this the service seals what it signs. */
export const SECRET = "gemini";

/** Accepted in the place of a signature, for calls that another model made (thought signatures guide). */
const PLACEHOLDERS: readonly string[] = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

/**
 * Signatures are checked by the guide to thought signatures: in the current turn, the first call of each step has one. The turn begins
 * with the newest content in which the user says something, function responses aside. A signature that is sent must be the service's own.
 */
export function checkSignatures(contents: readonly Content[], { signatures }: GeminiModel): Problem | undefined {
  if (signatures === "none") return undefined;
  for (const part of contents.flatMap(partsOf)) {
    const { thoughtSignature: signature } = part;
    if (signature === undefined || PLACEHOLDERS.includes(signature)) continue;
    // The service also says "Invalid thought signature."; when it says which was not seen.
    if (unseal(SECRET, signature) === undefined) return invalidArgument("Corrupted thought signature.");
  }
  const turn = contents.findLastIndex(isFromUser);
  for (const [index, content] of contents.entries()) {
    const call = index < turn ? undefined : partsOf(content).find(({ functionCall }) => functionCall !== undefined);
    if (call !== undefined && call.thoughtSignature === undefined) return missing(call.functionCall?.name ?? "", index);
  }
  return undefined;
}

function isFromUser(content: Content): boolean {
  return content.role !== "model" && partsOf(content).some(({ functionResponse }) => functionResponse === undefined);
}

/** Antigravity-Manager#733, with its space before the comma. The position counts contents from 1. */
function missing(name: string, index: number): Problem {
  return invalidArgument(
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and " +
      "missing thought_signature may lead to degraded model performance. Additional data, function call " +
      `\`default_api:${name}\` , position ${index + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures ` +
      "for more details.",
  );
}
