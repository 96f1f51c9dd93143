import { parentPort, workerData } from "node:worker_threads";
import { createLoader } from "./load-without.ts";

export interface FreezeThreadData {
  readonly folder: string;
  readonly agentHome: string;
  /** The guard that is turned off. */
  readonly without?: string;
}

// A thread that can be ended. For each text that it is sent, it says when it begins to decide, and when it has decided.
const { without, ...places } = workerData as FreezeThreadData;
const url = new URL("./decide-by-settings.ts", import.meta.url).href;
const loader = createLoader();
// Loaded with the guard first, so that the loader knows who imports it.
const kept: object = await import(url);
const loaded = without === undefined ? kept : await loader.load(url, without);
const { decideBySettings } = loaded as typeof import("./decide-by-settings.ts");
parentPort!.on("message", async (text: string) => {
  await decideBySettings({ ...places, text }, () => parentPort!.postMessage("begun"));
  parentPort!.postMessage("decided");
});
