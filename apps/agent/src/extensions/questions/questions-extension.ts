import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { askUserTool } from "./ask-user.ts";

/** Questions of the model to the user. */
export function questionsExtension({ person }: Pick<ExtensionContext, "person">): Extension {
  return { name: "questions", tools: () => [askUserTool(person?.askUser)] };
}
