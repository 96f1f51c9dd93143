import { choice, list, text } from "../../extension/input.ts";
import { type AgentTool, defineTool, done } from "../../extension/tool.ts";

interface Todo {
  readonly content: string;
  readonly state: "open" | "doing" | "done";
}

const MARKS = { open: "[ ]", doing: "[>]", done: "[x]" } as const;

export const TODO = "Todo";
/** The result for a list whose steps are all done. */
export const NOTHING_LEFT = "Nothing is left to do.";

/** The todo list. Every call has the whole list, so the newest call in the log is enough. */
export function todoTool(): AgentTool {
  return defineTool({
    name: TODO,
    description:
      "Keeps the list of what is to be done in this task, for work of three steps or more. Give the whole list every time. Mark a step " +
      "as doing before you begin it and as done as soon as it is, one at a time.",
    input: {
      todos: list("All steps, in order.", {
        content: text("What is to be done."),
        state: choice("How far it is.", ["open", "doing", "done"]),
      }),
    },
    concurrency: "alone",
    effect: "talk",
    repeat: "free",
    // Kept when old results are cleared: nothing else says what is still to do.
    results: "kept",
    run: async ({ todos }) => done(todosText(todos)),
  });
}

function todosText(todos: readonly Todo[]): string {
  if (todos.every(({ state }) => state === "done")) return NOTHING_LEFT;
  return todos.map(({ content, state }) => `${MARKS[state]} ${content}`).join("\n");
}
