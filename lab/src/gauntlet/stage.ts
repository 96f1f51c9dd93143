import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import type { Contestant, Running, TurnEnd } from "./contestant.ts";
import type { FaultKind } from "./fault-kinds.ts";
import type { PlannedTurn } from "./plan-course.ts";
import { createScriptedModel, type ModelTurn, type ScriptedModel } from "./scripted-model.ts";
import { type CourseServer, MODELS, serveCourse, type TimedExchange } from "./serve-course.ts";

export interface StageOptions {
  readonly seed: string;
  /** What the contestant is told. */
  readonly windowTokens: number;
  /** What the service really has. @default what the contestant is told */
  readonly servedTokens?: number;
  /** As of the model. */
  readonly silentAboveTokens?: number;
}

export interface Played {
  readonly end: TurnEnd;
  /** Whether the model's answer left, as planned, and the contestant ended the turn in time. */
  readonly isDone: boolean;
  readonly ms: number;
  readonly exchanges: readonly TimedExchange[];
}

/** A contestant with its service, its files and its home. */
export interface Stage {
  readonly model: ScriptedModel;
  readonly exchanges: readonly TimedExchange[];
  /** A turn of the course; its files are there while it lasts. */
  play(turn: PlannedTurn, options?: PlayOptions): Promise<Played>;
  /** A turn without files. */
  say(text: string, turn: ModelTurn, options?: PlayOptions): Promise<Played>;
  /** With SIGKILL, and then again from its home. */
  restart(how: "killed" | "closed"): Promise<void>;
  kill(): Promise<void>;
  peakMb(): number | undefined;
}

interface PlayOptions {
  readonly wrong?: FaultKind;
  /** @default 60,000 */
  readonly limitMs?: number;
}

const TURN_LIMIT_MS = 60_000;

/** Runs a contestant in folders of its own, which are gone afterwards. */
export function onStage<Result>(
  contestant: Contestant,
  { seed, windowTokens, servedTokens = windowTokens, silentAboveTokens }: StageOptions,
  run: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  return inTemporaryFolder(async (folder) => {
    const [workspace, home] = [join(folder, "workspace"), join(folder, "home")];
    for (const path of [workspace, home]) mkdirSync(path);
    const { summaryPrompt } = contestant;
    const silent = silentAboveTokens === undefined ? {} : { silentAboveTokens };
    const model = createScriptedModel({ seed, workspace, summaryPrompt, ...silent });
    const server = await serveCourse(model, servedTokens);
    const { api, model: modelName = MODELS[api] } = contestant;
    const place = { url: server.url, model: modelName, windowTokens, workspace, home, seed };
    const start = () => contestant.start(place);
    let running = await start();
    try {
      return await run(createStage({ model, server, workspace, start, running: () => running, replace }));
    } finally {
      await running.kill();
      await server.close();
    }
    function replace(next: Running): void {
      running = next;
    }
  });
}

interface StageParts {
  readonly model: ScriptedModel;
  readonly server: CourseServer;
  readonly workspace: string;
  start(): Promise<Running>;
  running(): Running;
  replace(next: Running): void;
}

function createStage({ model, server, workspace, start, running, replace }: StageParts): Stage {
  async function take(text: string, turn: ModelTurn, limitMs: number): Promise<Played> {
    model.begin(turn);
    const [before, startedMs] = [server.exchanges.length, performance.now()];
    const end = await running().turn(text, limitMs);
    // What hangs would answer in a later turn.
    if (end.kind === "late") await restart("killed");
    const isDone = end.kind === "ended" && model.isAnswered();
    return { end, isDone, ms: performance.now() - startedMs, exchanges: server.exchanges.slice(before) };
  }

  async function restart(how: "killed" | "closed"): Promise<void> {
    await (how === "killed" ? running().kill() : running().close());
    replace(await start());
  }

  return {
    model,
    exchanges: server.exchanges,
    async play({ text, files, reads, answer, facts }, { wrong, limitMs = TURN_LIMIT_MS } = {}) {
      for (const [index, { path, content }] of files.entries()) {
        const shown = index === 0 ? (wrong?.file ?? content) : content;
        if (shown !== "missing") writeFileSync(join(workspace, path), shown);
      }
      model.facts.push(...facts.map(({ fact }) => fact));
      const { fault, misbehavior, words } = wrong ?? {};
      const isWrong = fault !== undefined || misbehavior !== undefined;
      const turn = {
        reads,
        answer,
        ...(isWrong ? { wrong: { ...(fault && { fault }), ...(misbehavior && { misbehavior }) } } : {}),
      };
      const played = await take(words === undefined ? text : `${text}\n${words}`, turn, limitMs);
      // Only what the contestant kept can be seen again.
      for (const { path } of files) rmSync(join(workspace, path), { force: true });
      return played;
    },
    say: (text, turn, { limitMs = TURN_LIMIT_MS } = {}) => take(text, turn, limitMs),
    restart,
    kill: () => running().kill(),
    peakMb: () => running().peakMb(),
  };
}
