import type { StoredAgent } from "@palimpsest/agents";
import type { StoredSession } from "../workspace/stored-sessions.ts";
import type { WantedProvider } from "./choose-provider.ts";
import { EXIT } from "./exit-codes.ts";
import type { Project } from "./open-project.ts";
import { openStoredAgent } from "./open-stored-agent.ts";
import type { Terminal } from "./terminal.ts";

export interface WakeOptions {
  readonly agent: StoredAgent;
  readonly text: string;
  readonly values: WantedProvider & { readonly json?: boolean | undefined };
  readonly stored: StoredSession;
  readonly project: Project;
  readonly terminal: Terminal;
}

/** Resumes an agent from its log with a message, in this process. Its report waits in the session's log. */
export async function wakeAgent({ agent, text, values, stored, project, terminal }: WakeOptions): Promise<number> {
  const signal = terminal.interruption();
  const opened = await openStoredAgent({ values, stored, project, terminal });
  if (opened === undefined) return EXIT.failed;
  try {
    const { agents, session, permission } = opened;
    const sent = await agents.send(agent.id, text);
    if (sent.kind === "refused") {
      terminal.say(sent.why, "warning");
      return EXIT.failed;
    }
    signal.addEventListener("abort", () => void agents.stop(agent.id));
    while ((await agents.idle()) === "waiting") await agents.inbox.deliver(session);
    const report = session.view.attached("agent-result").at(-1) ?? "";
    const { status } = session.background.agents().find(({ id }) => id === agent.id) ?? agent;
    await terminal.print(values.json ? JSON.stringify({ id: agent.id, outcome: status, report }) : report);
    for (const { tool, reason } of permission.takeDenied()) terminal.say(`Denied: ${tool} (${reason})`, "warning");
    return status === "done" || status === "idle" ? EXIT.done : EXIT.failed;
  } finally {
    await opened.close();
  }
}
