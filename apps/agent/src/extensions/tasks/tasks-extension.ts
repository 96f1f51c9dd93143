import type { BackgroundTask, Extension } from "../../extension/extension.ts";
import { tasksCommand } from "./tasks-command.ts";
import { watchCompactions } from "./watch-compactions.ts";

/**
 * `/tasks` over the background tasks of all extensions, and the compactions of the session.
 * @param status the tasks of all extensions
 */
export function tasksExtension(status: () => readonly BackgroundTask[]): Extension {
  let compactions = (): readonly BackgroundTask[] => [];
  return {
    name: "tasks",
    commands: [tasksCommand(() => [...status(), ...compactions()])],
    async begin(session) {
      compactions = watchCompactions(session);
    },
  };
}
