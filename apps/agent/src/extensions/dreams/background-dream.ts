import type { Home } from "@palimpsest/coordination";
import type { DreamTask } from "@palimpsest/memory/dream";
import type { Clock, Provider } from "palimpsest";
import type { Agent } from "../../cli/open-agent.ts";
import type { Project } from "../../cli/open-project.ts";
import type { Terminal } from "../../cli/terminal.ts";

export interface BackgroundDreamOptions {
  readonly project: Project;
  readonly provider: Provider;
  readonly environment: Terminal["environment"];
  readonly clock: Clock;
  readonly say: (text: string) => Promise<void>;
  /** Its end changes what is shown of what runs and was spent; how it ended the session's listeners are told. */
  readonly refresh: () => Promise<void>;
}

export interface BackgroundDream {
  /** Begins to go over the memory if it is time. Nobody waits for it. */
  afterTurn(agent: Agent, model: string): Promise<void>;
  state(): "runs" | "none";
  /** Stops it: then nothing was changed. */
  close(): Promise<void>;
}

/** Goes over the memory between turns, where the settings say that things are remembered without being asked to (`memory: on`). */
export function createBackgroundDream(options: BackgroundDreamOptions): BackgroundDream {
  const { project, provider, environment, clock, say, refresh } = options;
  const { folder, places, store } = project;
  let home: Home | undefined;
  let task: DreamTask | undefined;

  return {
    async afterTurn({ settings, memory, session, operations }, model) {
      if (task !== undefined || memory === undefined || settings.settings.memory !== "on") return;
      const [{ beginDream, isDreamDue }, { openHome }, { keepHeld }] = await Promise.all([
        import("./project-dream.ts"),
        import("@palimpsest/coordination"),
        import("../../commands/dream.ts"),
      ]);
      home ??= await openHome({ file: places.homeFile, clock });
      const place = { places, store, home, clock };
      if ((await isDreamDue(place, session.settings().settings, session.id)).kind === "closed") return;
      const begun = await beginDream({
        ...{
          ...place,
          folder,
          memory,
          provider,
          model,
          environment,
          owner: "palimpsest",
          mode: "apply",
          trigger: "auto",
        },
        parent: session,
        ...(operations === undefined ? {} : { operations }),
      });
      if (begun.kind === "held") return;
      task = begun.task;
      await say("What is remembered is gone over in the background.");
      const outcome = await task.done;
      task = undefined;
      await keepHeld(places, outcome);
      await refresh();
    },
    state: () => (task === undefined ? "none" : "runs"),
    async close() {
      task?.kill();
      await task?.done;
      await home?.close();
    },
  };
}
