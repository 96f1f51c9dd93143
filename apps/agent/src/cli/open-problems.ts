import type { Agent } from "../agent/agent.ts";

/** Lists settings and extensions that could not be used, one line each. Problems of engine settings arrive as events. */
export function problemsOf({ settings, problems }: Agent): readonly string[] {
  const { heldBack } = settings;
  return [
    ...settings.problems,
    ...problems,
    ...(heldBack.length === 0
      ? []
      : [
          `This project is not trusted, so these settings are ignored: ${heldBack.join("; ")}. To review them: palimpsest trust`,
        ]),
  ];
}
