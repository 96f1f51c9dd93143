import type { Store } from "palimpsest";
import { choice, list, object, text } from "palimpsest/schema";
import { answeredCalls } from "../../extension/answered-calls.ts";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { agentTool, done } from "../../extension/make-tool.ts";
import type { AgentTool } from "../../permissions/agent-tool.ts";

/** The todo list of the task. It survives a compaction. */
export function todosExtension({ store }: Pick<ExtensionContext, "store">): Extension {
  return {
    name: "todos",
    tools: () => [todoTool()],
    surroundings: (session) => ({ todos: () => readTodos(store, session) }),
  };
}

/** The newest todo list of a session; undefined if there is none, or nothing is left to do. */
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

/** The todo list. Every call has the whole list, so the newest call in the log is enough. */
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
    // Kept when old results are cleared: nothing else says what is still to do.
    results: "kept",
    execute: async ({ todos }) => done(todosText(todos)),
  });
}

function todosText(todos: readonly Todo[]): string {
  if (todos.every(({ state }) => state === "done")) return NOTHING_LEFT;
  return todos.map(({ content, state }) => `${MARKS[state]} ${content}`).join("\n");
}
