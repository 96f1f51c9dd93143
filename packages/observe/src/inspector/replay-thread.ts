import { parentPort, workerData } from "node:worker_threads";
import { REPLAY_POLICIES } from "../replay/policies.ts";
import { toRecording } from "../replay/recording.ts";
import { findReplayModel } from "../replay/replay-model.ts";
import { prepareReplay } from "../replay/replay-recording.ts";
import { figuresOf } from "../replay/replay-run.ts";
import type { ReplayOrder, ReplayReport } from "./replay-session.ts";

/** A bar shows no more than so many steps of one policy, and a long session has many requests. */
const STEPS = 200;

/** Replays a session in a thread of its own: a long one takes minutes of a processor. */
const { entries, policies, model: id, cacheTtl } = workerData as ReplayOrder;
const report = (told: ReplayReport): void => parentPort!.postMessage(told);
const recording = toRecording(entries);
const model = findReplayModel(id);
if (recording === undefined) {
  report({ kind: "failed", why: "The session has no response of a model yet." });
} else if (model === undefined) {
  report({ kind: "failed", why: `Unknown model ${JSON.stringify(id)}.` });
} else {
  const replay = prepareReplay(recording);
  for (const [done, name] of policies.entries()) {
    const policy = REPLAY_POLICIES.find((one) => one.name === name)!;
    const requests = recording.rounds.length;
    let reported = -1;
    const onProgress = (request: number): void => {
      const step = Math.floor((request / requests) * STEPS);
      if (step === reported) return;
      reported = step;
      report({ kind: "progress", policy: name, done, of: policies.length, request, requests });
    };
    onProgress(0);
    const run = await replay(policy, { model, cacheTtl, onProgress });
    report({ kind: "figures", policy: name, figures: figuresOf(run, model.prices) });
  }
  report({ kind: "done" });
}
