import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inputTokensOf, type Prices, priceUsd } from "@palimpsest/provider-simulator";
import { inTemporaryFolder } from "../../chaos/temporary-folder.ts";
import { createView } from "../../survival/view-search.ts";
import type { Contestant } from "../contestant.ts";
import type { CourseFact } from "../course-fact.ts";
import { CHARACTERS_PER_TOKEN, STUCK_TURNS, sampleFacts } from "../course-rules.ts";
import { type PlannedTurn, planCourse } from "../plan-course.ts";
import { requestWords } from "../request-words.ts";
import { startRelay } from "./relay.ts";

export interface RealCourseOptions {
  readonly seed: string;
  readonly model: string;
  /** What the contestant is told about the window. */
  readonly windowTokens: number;
  /** So much material, in windows. */
  readonly windows: number;
  readonly target: string;
  readonly key: string;
  /** @default the bill is left out */
  readonly prices?: Prices;
  readonly onTurn?: (turn: number, sharePercent: number) => void;
}

/** What a course with a real model shows. Facts are those of files and of the user: what a model says cannot be planned. */
export interface RealFigures {
  readonly model: string;
  readonly turns: number;
  readonly turns_not_done: number;
  readonly requests: number;
  readonly refused: number;
  readonly facts: number;
  /** Of the facts, those in the request after the last turn. */
  readonly in_view_pct: number;
  /** Of facts that the model was asked for at the end, those that its answer has. */
  readonly asked: number;
  readonly answered_pct: number;
  readonly input_tokens: number;
  readonly usd?: number;
}

const TURN_LIMIT_MS = 600_000;

/** The course of F with a real model: the same files and facts, and nobody tells the model what to do with them. */
export function runRealCourse(contestant: Contestant, options: RealCourseOptions): Promise<RealFigures> {
  const { seed, model, windowTokens, windows, target, key, prices, onTurn } = options;
  return inTemporaryFolder(async (folder) => {
    const [workspace, home] = [join(folder, "workspace"), join(folder, "home")];
    for (const path of [workspace, home]) mkdirSync(path);
    const relay = await startRelay({ target, key });
    const running = await contestant.start({ url: relay.url, model, windowTokens, workspace, home, seed });
    const course = planCourse(seed);
    const shown: CourseFact[] = [];
    let [turns, notDone, stuck, characters] = [0, 0, 0, 0];
    const wanted = windows * windowTokens * CHARACTERS_PER_TOKEN;

    async function play({ text, files }: Pick<PlannedTurn, "text" | "files">): Promise<void> {
      for (const { path, content } of files) writeFileSync(join(workspace, path), content);
      const { kind } = await running.turn(text, TURN_LIMIT_MS);
      for (const { path } of files) rmSync(join(workspace, path), { force: true });
      turns++;
      notDone += kind === "ended" ? 0 : 1;
      stuck = kind === "ended" ? 0 : stuck + 1;
    }

    try {
      while (characters < wanted && stuck < STUCK_TURNS) {
        const turn = course.next().value;
        await play(turn);
        shown.push(...turn.facts.filter(({ from }) => from !== "model"));
        characters += turn.characters;
        onTurn?.(turns, Math.min(100, Math.round((100 * characters) / wanted)));
      }
      const before = relay.relayed.length;
      await play({ text: "Is everything clear so far? Answer in one sentence.", files: [] });
      const next = relay.relayed[before];
      const isSeen = createView(next === undefined ? "" : requestWords(JSON.parse(next.body)));
      const sample = sampleFacts(shown);
      let answered = 0;
      for (const { fact } of sample) {
        const from = relay.relayed.length;
        const text = `What do you know about this: ${fact.cue}? Use your tools if they can tell. Quote it word for word.`;
        await play({ text, files: [] });
        const said = relay.relayed.slice(from).map(({ answer }) => answer.text);
        if (createView(said.join("\n"))(fact)) answered++;
      }
      const usages = relay.relayed.flatMap(({ answer }) => answer.usage ?? []);
      return {
        model,
        turns,
        turns_not_done: notDone,
        requests: relay.relayed.length,
        refused: relay.relayed.filter(({ status }) => status >= 400 && status < 500 && status !== 429).length,
        facts: shown.length,
        in_view_pct: percent(shown.filter(({ fact }) => isSeen(fact)).length, shown.length),
        asked: sample.length,
        answered_pct: percent(answered, sample.length),
        input_tokens: usages.reduce((sum, usage) => sum + inputTokensOf(usage), 0),
        ...(prices && { usd: usages.reduce((sum, usage) => sum + priceUsd(usage, prices), 0) }),
      };
    } finally {
      await running.kill();
      await relay.close();
    }
  });
}

function percent(part: number, of: number): number {
  return of === 0 ? 100 : Math.round((1_000 * part) / of) / 10;
}
