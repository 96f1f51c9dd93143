import type { Store } from "palimpsest";
import { choice, list, object, text } from "palimpsest/schema";
import { answeredCalls } from "../../extension/answered-calls.ts";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { agentTool, done } from "../../extension/make-tool.ts";
import type { AgentTool } from "../../permissions/agent-tool.ts";

/** Adds the todo list, which survives a compaction. */
export function todosExtension({ store }: Pick<ExtensionContext, "store">): Extension {
  return {
    name: "todos",
    tools: () => [todoTool()],
    surroundings: (session) => ({ todos: () => readTodos(store, session) }),
  };
}

/** Reads the newest todo list of a session. Undefined without a list, or if all steps are done. */
export async function readTodos(store: Store, session: string): Promise<string | undefined> {
  for await (const { call, text } of answeredCalls(store, session)) {
    if (call.name === TODO) return text === NOTHING_LEFT ? undefined : text;
  }
  return undefined;
}

interface Todo {
  readonly content: string;
  readonly state: "open" | "doing" | "done";
}

const MARKS = { open: "[ ]", doing: "[>]", done: "[x]" } as const;

export const TODO = "Todo";
/** The result for a list whose steps are all done. */
const NOTHING_LEFT = "Nothing is left to do.";

/** The tool for the todo list. Every call has the whole list, so only the newest call in the log matters. */
export function todoTool(): AgentTool {
  return agentTool({
    name: TODO,
    description:
      "Keeps the list of what is to be done in this task, for work of three steps or more. Give the whole list every time. Mark a step " +
      "as doing before you begin it and as done as soon as it is, one at a time.",
    inputSchema: object({
      todos: list(
        object({
          content: text("What is to be done."),
          state: choice(["open", "doing", "done"], "How far it is."),
        }),
        "All steps, in order.",
      ),
    }),
    concurrency: "alone",
    effect: "talk",
    repeat: "free",
    // The result is kept when old results are cleared, because only it has the open steps.
    results: "kept",
    execute: async ({ todos }) => done(todosText(todos)),
  });
}

function todosText(todos: readonly Todo[]): string {
  if (todos.every(({ state }) => state === "done")) return NOTHING_LEFT;
  return todos.map(({ content, state }) => `${MARKS[state]} ${content}`).join("\n");
}
