import type { SessionInbox } from "@palimpsest/coordination";

/** The same inboxes. What is added to them belongs to the trace of a turn, unless it brings its own. */
export function tracedInbox(inbox: SessionInbox, traceparent: () => string | undefined): SessionInbox {
  return {
    read: inbox.read,
    acknowledge: inbox.acknowledge,
    add(session, item) {
      const own = item.traceparent ?? traceparent();
      return inbox.add(session, own === undefined ? item : { ...item, traceparent: own });
    },
  };
}
