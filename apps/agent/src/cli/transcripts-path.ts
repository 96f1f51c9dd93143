import { UsageError } from "../workspace/usage-error.ts";

/** The file or folder of other agents' sessions that a command was given. */
export function transcriptsPath([path]: readonly string[], command: "analyze" | "import"): string {
  if (path !== undefined) return path;
  throw new UsageError(
    `Say which: palimpsest ${command} FILE|DIR. palimpsest sessions --from AGENT shows what is on this machine.`,
  );
}
