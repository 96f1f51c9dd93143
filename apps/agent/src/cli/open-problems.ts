import type { Agent } from "../agent/agent.ts";

/** What could not be used, one line each. What is wrong with the engine's settings is told as an event. */
export function problemsOf({ settings, problems }: Agent): readonly string[] {
  const { heldBack } = settings;
  return [
    ...settings.problems,
    ...problems,
    ...(heldBack.length === 0
      ? []
      : [`This project's settings are not trusted, so these do not hold: ${heldBack.join("; ")}. (palimpsest trust)`]),
  ];
}
