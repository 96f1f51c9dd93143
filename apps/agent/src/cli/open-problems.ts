import type { Agent } from "./open-agent.ts";

/** What could not be used, one line each. */
export function problemsOf({ settings, sandbox, session, problems }: Agent): readonly string[] {
  const { heldBack } = settings;
  return [
    ...settings.problems,
    ...problems,
    ...session.settings().problems.map(({ message }) => message),
    ...(heldBack.length === 0
      ? []
      : [`This project's settings are not trusted, so these do not hold: ${heldBack.join("; ")}. (palimpsest trust)`]),
    ...(sandbox.kind === "none" && settings.settings.sandbox === "required" ? [sandbox.reason] : []),
  ];
}
