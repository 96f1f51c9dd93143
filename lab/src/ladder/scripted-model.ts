import {
  type Ask,
  answer,
  callTool,
  callTools,
  type Reply,
  type Script,
  summarize,
} from "@palimpsest/provider-simulator";
import { agentNumber, kindOf } from "./read-request.ts";

/** The model of the experiment. It takes planned steps, one for each request of the conversation, and answers side questions. */
export interface ScriptedModel {
  readonly script: Script;
  /** Adds steps. After the last step, the model ends each turn at once. */
  plan(...steps: readonly Reply[]): void;
  /** Adds the end of a turn. */
  endTurn(): void;
  /** Drops the steps that are left once the conversation has become smaller, so that a scenario ends soon. */
  stopAfterShrinking(): void;
}

/** A request that is smaller by this much follows a decision about the window. */
const SMALLER = 0.9;

export function createScriptedModel(): ScriptedModel {
  const steps: Reply[] = [];
  let stopsAfterShrinking = false;
  let largestTokens = 0;
  return {
    script(ask) {
      const kind = kindOf(ask.request);
      if (kind === "main" && stopsAfterShrinking && ask.inputTokens < SMALLER * largestTokens) steps.length = 0;
      if (kind === "main") largestTokens = Math.max(largestTokens, ask.inputTokens);
      if (kind === "summary") return summarize(SUMMARY);
      if (kind === "notes") return answer(notesOf(ask));
      if (kind === "agent") return answer(`Part ${agentNumber(ask.request)} is in order.`);
      return kind === "main" ? (steps.shift() ?? answer("Done.")) : answer("Nothing.");
    },
    plan(...more) {
      steps.push(...more);
    },
    endTurn() {
      steps.push(answer("Done."));
    },
    stopAfterShrinking() {
      stopsAfterShrinking = true;
    },
  };
}

export function readFile(path: string): Reply {
  return callTools(callTool("Read", { file_path: path }));
}

export function startForks(...prompts: readonly string[]): Reply {
  return callTools(
    ...prompts.map((prompt, index) =>
      callTool("Agent", { way: "fork", description: `Check part ${index + 1} of the project`, prompt }),
    ),
  );
}

const SENTENCES = [
  "The user wants every part of the project read, one after the other.",
  "The parts are TypeScript modules that export constants.",
  "The files src/part-01.ts and src/part-02.ts were read first.",
  "There were no errors.",
  "The values of each part are multiples of seven.",
  "The user asked to read all parts.",
  "The remaining parts are to be read.",
  "The assistant was reading the parts in order.",
  "Read the next part.",
];

const SUMMARY = SENTENCES.join(" ");

/** Notes under each heading that the prompt shows. */
function notesOf({ userText }: Ask): string {
  const current = /<current-notes>([\s\S]*?)<\/current-notes>/.exec(userText)?.[1] ?? "";
  const headings = [...current.matchAll(/^# (.+)$/gm)].map(([, heading]) => heading);
  const sections = headings.map(
    (heading, index) =>
      `<notes-section heading="${heading}">\n${SENTENCES[index % SENTENCES.length]}\n</notes-section>`,
  );
  return `<session-notes>\n${sections.join("\n")}\n</session-notes>`;
}
