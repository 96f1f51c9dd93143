import { inProject, type Project } from "../commands/open-project.ts";
import type { Terminal } from "../commands/terminal.ts";
import { loadSettings } from "../permissions/load-settings.ts";
import { type Operations, openOperations } from "../workspace/open-operations.ts";
import { createPathGuard } from "../workspace/path-guard.ts";

/** Opens a project while `work` runs, with the operator's telemetry and feature flags. */
export async function inOperatedProject<Result>(
  terminal: Terminal,
  work: (project: Project, operations: Operations) => Promise<Result>,
): Promise<Result> {
  return inProject(terminal, async (project) => {
    const { folder, places } = project;
    const { agentHome } = places;
    const { settings } = await loadSettings({ guard: await createPathGuard(folder), agentHome });
    const { flags } = settings;
    const { environment } = terminal;
    const operations = await openOperations({ environment, agentHome, ...(flags === undefined ? {} : { flags }) });
    try {
      return await work(project, operations);
    } finally {
      for (const unsent of await operations.close()) terminal.say(unsent, "warning");
    }
  });
}
