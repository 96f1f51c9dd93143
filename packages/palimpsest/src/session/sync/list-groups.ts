import type { SyncMessage } from "./sync-message.ts";
import { type Part, toParts } from "./to-parts.ts";

/** All that one side says before the other does, whatever messages it is divided into. */
export interface ListGroup {
  readonly role: "user" | "assistant";
  readonly parts: readonly Part[];
  /** Ids of its messages. */
  readonly ids: ReadonlySet<string>;
}

/** A list as groups that alternate between the user and the model. System messages at its head are no part of it. */
export function listGroups(messages: readonly SyncMessage[], from: number): readonly ListGroup[] {
  const groups: { role: Part["role"]; parts: Part[]; ids: Set<string> }[] = [];
  for (const [index, { role, content, id }] of messages.entries()) {
    if (index < from) continue;
    for (const part of toParts(role, content, index)) {
      const last = groups.at(-1);
      const group = last?.role === part.role ? last : { role: part.role, parts: [], ids: new Set<string>() };
      if (group !== last) groups.push(group);
      group.parts.push(part);
      if (id !== undefined) group.ids.add(id);
    }
  }
  return groups;
}
