import type { Store } from "palimpsest";
import { answeredCalls } from "../../extension/answered-calls.ts";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { NOTHING_LEFT, TODO, todoTool } from "./todo.ts";

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
