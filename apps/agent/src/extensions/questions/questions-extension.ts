import { flag, list, object, optional, text } from "palimpsest/schema";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { agentTool, done, failed } from "../../extension/make-tool.ts";
import type { AskUser } from "../../extension/person.ts";
import type { AgentTool } from "../../permissions/agent-tool.ts";

/** Lets the model ask the user questions. */
export function questionsExtension({ person }: Pick<ExtensionContext, "person">): Extension {
  return { name: "questions", tools: () => [askUserTool(person?.askUser)] };
}

/** The time limit for an answer. The agent loop's own limit is meant for programs. */
const A_DAY_MS = 86_400_000;

/** Creates the tool with which the model asks the user a question. */
export function askUserTool(askUser: AskUser | undefined): AgentTool {
  return agentTool({
    name: "AskUser",
    description:
      "Asks the user to decide something that the task leaves open and that cannot be found out by looking. Offer two to four answers, " +
      "the one you would choose first; the user can also answer in own words.",
    inputSchema: object({
      question: text("The question."),
      options: list(
        object({
          label: text("The answer, in a few words."),
          description: optional(text("What it means.")),
        }),
        "Possible answers.",
      ),
      several: optional(flag("More than one may be chosen. Default false.")),
    }),
    concurrency: "alone",
    effect: "talk",
    repeat: "free",
    results: "kept",
    timeoutMs: A_DAY_MS,
    async execute({ question, options, several = false }, { signal }) {
      if (askUser === undefined)
        return failed("Nobody is here to answer. Decide yourself, and say what you have assumed.");
      const answers = await askUser({ question, options, choose: several ? "several" : "one" }, signal);
      return done(
        answers === undefined
          ? "The user did not answer. Go on without, or stop and say what you need."
          : `The user's answer: ${answers.join("; ")}`,
      );
    },
  });
}
