import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { argumentsWithout } from "./without-guard.ts";

/** What `fork` needs to start a worker. */
export interface WorkerProgram {
  readonly file: string;
  readonly execArgv: readonly string[];
}

/**
 * Writes the worker's program into a folder: one file, as one would deploy it, because a worker from sources takes eight times as
 * long to start, and in a storm hundreds of them do. Without a guard it is the sources, in which the guard is turned off.
 */
export async function bundleWorker(folder: string): Promise<WorkerProgram> {
  const source = fileURLToPath(new URL("./worker-process.ts", import.meta.url));
  const withoutGuard = argumentsWithout();
  if (withoutGuard.length > 0) {
    return { file: source, execArgv: ["--conditions=palimpsest-source", "--no-warnings", ...withoutGuard] };
  }
  const build = await rolldown({
    input: source,
    platform: "node",
    resolve: { conditionNames: ["palimpsest-source", "node"] },
    // Needed by nobody who does not install it.
    external: ["pg-native"],
  });
  const file = join(folder, "worker.mjs");
  await build.write({ file, codeSplitting: false });
  await build.close();
  return { file, execArgv: ["--no-warnings"] };
}
