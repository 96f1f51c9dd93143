import type { AgentSession } from "../extension/open-agent-session.ts";
import type { Person } from "../extension/person.ts";

/** Tells the session what it waits for while a turn runs, so that it sends no more pings to its prompt cache than are likely to pay. */
export class PromptWarmth {
  /** Undefined until the session is open. */
  session: Pick<AgentSession, "provider"> | undefined;
  #questions = 0;

  /** A person who is asked may be away, even if the question belongs to a running tool. */
  async whileAsked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.#questions++;
    this.#wait("waiting");
    try {
      return await ask();
    } finally {
      this.#questions--;
      if (this.#questions === 0) this.#wait("tool-runs");
    }
  }

  #wait(activity: "waiting" | "tool-runs"): void {
    // Without the cache the turn still works.
    void this.session?.provider.keepWarm({ activity }).catch(() => undefined);
  }
}

/** The same person. While a question is open, the session waits for the person. */
export function pingingWhileAsked(person: Person, warmth: PromptWarmth): Person {
  return {
    ...person,
    askUser: (question, signal) => warmth.whileAsked(() => person.askUser(question, signal)),
    askPermission: (question, signal) => warmth.whileAsked(() => person.askPermission(question, signal)),
    approvePlan: (plan, signal) => warmth.whileAsked(() => person.approvePlan(plan, signal)),
  };
}
