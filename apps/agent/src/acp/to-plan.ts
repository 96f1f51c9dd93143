import type { PlanEntry, SessionUpdate } from "@agentclientprotocol/sdk";

const STATES: Readonly<Record<string, PlanEntry["status"]>> = {
  open: "pending",
  doing: "in_progress",
  done: "completed",
};

/** The todo list of a call of Todo as a plan. Every call has the whole list, as every plan has. */
export function toPlan(input: unknown): SessionUpdate {
  const { todos } = (input ?? {}) as { readonly todos?: unknown };
  const list = Array.isArray(todos)
    ? (todos as readonly { readonly content?: unknown; readonly state?: unknown }[])
    : [];
  return {
    sessionUpdate: "plan",
    entries: list.map(({ content, state }) => ({
      content: String(content),
      priority: "medium",
      status: STATES[String(state)] ?? "pending",
    })),
  };
}
