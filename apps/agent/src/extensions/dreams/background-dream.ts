import type { Coordination } from "@palimpsest/coordination";
import type { Memory } from "@palimpsest/memory";
import type { ExtensionContext } from "../../extension/context.ts";
import type { BackgroundTask } from "../../extension/extension.ts";
import type { AgentSession } from "../../extension/open-agent-session.ts";
import type { Person } from "../../extension/person.ts";
import { type BegunDream, progressText } from "./project-dream.ts";

interface BackgroundDreamOptions {
  readonly context: ExtensionContext;
  readonly memory: Memory;
  readonly person: Pick<Person, "onNotice" | "onBackground">;
}

interface BackgroundDream {
  /** Starts a dream if enough time has passed. */
  afterTurn(session: AgentSession): Promise<void>;
  /** The dream that runs, for `/tasks`. */
  status(): readonly BackgroundTask[];
  /** Stops the dream without changes. */
  close(): Promise<void>;
}

/** Runs dreams between turns. The outcome is an event of the session. */
export function createBackgroundDream({ context, memory, person }: BackgroundDreamOptions): BackgroundDream {
  const { folder, places, store, provider, environment, clock, operations } = context;
  let coordination: Coordination | undefined;
  let running: Extract<BegunDream, { readonly kind: "begun" }> | undefined;

  async function begin(session: AgentSession): Promise<void> {
    const [{ beginDream, isDreamDue }, { openCoordination }, { keepHeld }] = await Promise.all([
      import("./project-dream.ts"),
      import("@palimpsest/coordination"),
      import("./held-dream.ts"),
    ]);
    coordination ??= await openCoordination({ file: places.coordinationFile, clock });
    const place = { places, store, coordination, clock };
    if ((await isDreamDue(place, session.settings().settings["dream.enabled"], session.id)).kind === "closed") return;
    const begun = await beginDream({
      ...place,
      folder,
      memory,
      provider,
      model: context.model(),
      environment,
      owner: "palimpsest",
      mode: "apply",
      trigger: "auto",
      parent: session,
      ...(operations === undefined ? {} : { operations }),
    });
    if (begun.kind === "held") return;
    running = begun;
    await person.onNotice("Tidying up the memory in the background.");
    const outcome = await begun.task.done;
    running = undefined;
    await keepHeld(places, outcome);
    await person.onBackground();
  }

  return {
    async afterTurn(session) {
      if (running !== undefined) return;
      await begin(session).catch((error: unknown) =>
        person.onNotice(error instanceof Error ? error.message : String(error)),
      );
    },
    status() {
      if (running === undefined) return [];
      const { task, priceUsd } = running;
      return [
        {
          id: "dream",
          kind: "dream",
          what: "tidying up the memory",
          progress: progressText(task.state()),
          priceUsd: priceUsd(),
          shownBy: "/tasks",
          async stop() {
            task.kill();
            await task.done;
          },
        },
      ];
    },
    async close() {
      running?.task.kill();
      await running?.task.done;
      await coordination?.close();
    },
  };
}
