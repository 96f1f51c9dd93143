import { memoryStore } from "palimpsest";
import { onTestFinished } from "vitest";
import type { Agent } from "../agent/agent.ts";
import { openAgent } from "../agent/open-agent.ts";
import { offline } from "../commands/connect.ts";
import { placesOf } from "../workspace/places.ts";
import type { TemporaryProject } from "./temporary-project.ts";

/** Opens an agent in a project as the program does, with a provider that is never asked. It is closed when the test ends. */
export async function openOfflineAgent({ folder, home }: Pick<TemporaryProject, "folder" | "home">): Promise<Agent> {
  const environment = { ...process.env, HOME: home };
  const agent = await openAgent({
    places: placesOf(folder, environment),
    folder,
    environment,
    store: memoryStore(),
    provider: await offline("anthropic"),
    model: "claude-sonnet-5-5",
    rules: [],
    modelFacts: "table",
  });
  onTestFinished(() => agent.close());
  return agent;
}
