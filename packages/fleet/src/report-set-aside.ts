import type { SessionInbox } from "@palimpsest/coordination";
import { addInput, type SessionInput } from "./session-input.ts";

const SET_ASIDE = "The agent's session failed too often and was set aside.";

/** Tells those who wait for a session that it does not run any more. Its tasks stay in its inbox: it may be resumed. */
export async function reportSetAside(session: string, inbox: SessionInbox): Promise<void> {
  for (const { number, payload, traceparent } of await inbox.read(session)) {
    const input = payload as SessionInput | null;
    if (input?.kind !== "content" || input.replyTo === undefined) continue;
    const { session: to, agent } = input.replyTo;
    const report = { kind: "report", agent, outcome: "failed", text: SET_ASIDE } as const;
    await addInput(inbox, to, `set aside ${agent} ${number}`, report, traceparent);
  }
}
