import { choice, list, text } from "./input.ts";
import { type AgentTool, defineTool, done } from "./tool.ts";

export interface Todo {
  readonly content: string;
  readonly state: "open" | "doing" | "done";
}

export interface TodoPorts {
  /** Keeps the list, for the screen and for what is put back after a compaction. */
  readonly keepTodos: (todos: readonly Todo[]) => void;
}

const MARKS = { open: "[ ]", doing: "[>]", done: "[x]" } as const;

/** Keeps the list of what is to be done. Every call gives it as a whole, so the newest one says all. */
export function todoTool({ keepTodos }: TodoPorts): AgentTool {
  return defineTool({
    name: "Todo",
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
    // It says what is still to do, which nothing else does.
    results: "kept",
    async run({ todos }) {
      keepTodos(todos);
      return done(todosText(todos) ?? "Nothing is left to do.");
    },
  });
}

/** The list in words; undefined if there is nothing left to do. */
export function todosText(todos: readonly Todo[]): string | undefined {
  if (todos.every(({ state }) => state === "done")) return undefined;
  return todos.map(({ content, state }) => `${MARKS[state]} ${content}`).join("\n");
}
