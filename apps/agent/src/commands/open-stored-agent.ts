import type { Agent } from "../agent/agent.ts";
import { openAgent } from "../agent/open-agent.ts";
import type { StoredSession } from "../workspace/stored-sessions.ts";
import type { WantedProvider } from "./choose-provider.ts";
import { connectChosen, withEndpoint } from "./connect-chosen.ts";
import { type Project, printNotices } from "./open-project.ts";
import type { Terminal } from "./terminal.ts";

interface StoredAgentOptions {
  /** Model, provider and address from the command line. */
  readonly values: WantedProvider;
  readonly stored: StoredSession;
  readonly project: Project;
  readonly terminal: Terminal;
}

/**
 * Opens the agent of a stored session without a person to ask. Without a key, prints what to do and resolves to
 * undefined.
 */
export async function openStoredAgent(options: StoredAgentOptions): Promise<Agent | undefined> {
  const { values, stored, project, terminal } = options;
  const { folder, places, store } = project;
  const before = await withEndpoint(stored.usedBefore, places.folderOf(stored.id));
  const connection = await connectChosen(values, terminal, { before });
  if (connection === undefined) return undefined;
  const { choice, provider, modelFacts } = connection;
  return openAgent({
    places,
    folder,
    environment: terminal.environment,
    store,
    provider,
    model: choice.model,
    modelFacts,
    id: stored.id,
    rules: [],
    clock: terminal.clock,
    onEvent: printNotices(terminal),
  });
}
