import { UsageError } from "../workspace/usage-error.ts";

/** The file or folder in the arguments of a command about other agents' sessions. */
export function transcriptsPath([path]: readonly string[], command: "analyze" | "import"): string {
  if (path !== undefined) return path;
  throw new UsageError(
    `The file or folder is missing: palimpsest ${command} FILE|DIR. To find sessions on this machine: palimpsest sessions --from AGENT.`,
  );
}
