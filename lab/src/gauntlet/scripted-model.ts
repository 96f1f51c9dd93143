import { type Ask, type AsyncScript, answer, misbehave, type Reply, summarize } from "@palimpsest/provider-simulator";
import { lossySummary } from "../survival/lossy-summary.ts";
import type { PlantedFact } from "../survival/planted-fact.ts";
import type { FaultKind } from "./fault-kinds.ts";
import { lookCalls, offeredTools, readCall, searchCalls } from "./offered-tools.ts";
import { requestWords } from "./request-words.ts";

/** How the model summarizes. `lossy` keeps of each sort of fact as much as real summaries were seen to keep. */
export type SummaryKind = "lossy" | "hangs" | "echoes" | "is-empty" | "refuses" | "fails";

/** What the model does when it is asked in the conversation: one step for each request, and then the answer. */
export interface ModelTurn {
  readonly reads?: readonly (readonly string[])[];
  /** Words to search for: a request that searches, and one that looks at what was found. */
  readonly searches?: readonly string[];
  readonly answer: string;
  readonly wrong?: Pick<FaultKind, "fault" | "misbehavior">;
}

export interface ModelOptions {
  readonly seed: string;
  readonly workspace: string;
  /** Of a request for a summary that offers tools. */
  readonly summaryPrompt: RegExp | undefined;
  /** Larger requests are answered as by a service that drops what does not fit, and says nothing. @default none are */
  readonly silentAboveTokens?: number;
}

/** A request of the conversation, as it was asked. */
export interface MainAsk {
  readonly request: Ask["request"];
  readonly inputTokens: number;
}

export interface ScriptedModel {
  readonly script: AsyncScript;
  begin(turn: ModelTurn): void;
  /** Whether the answer of the turn that was begun last has left. */
  readonly isAnswered: () => boolean;
  /** Requests of the conversation in the turn that was begun last. */
  readonly mainAsks: () => readonly MainAsk[];
  /** Texts that tools returned in this turn. */
  readonly toolTexts: () => readonly string[];
  readonly summaries: () => number;
  /** The newest summary, which some services hand out sealed. */
  readonly newestSummary: () => string;
  summarizeAs(kind: SummaryKind): void;
  /** Facts that were shown so far. */
  readonly facts: PlantedFact[];
  /** Lets go of calls that hang. */
  close(): void;
}

/** So many requests after its last step a turn is over, whatever the contestant wants. */
const SPARE_REQUESTS = 12;
const SUMMARY_WORDS = /summar|compact|compress|snapshot|condense|handoff|observ/i;

/** The model of the course: it reads, answers and summarizes as planned. It shows what the machinery does, not how clever a model is. */
export function createScriptedModel({
  seed,
  workspace,
  summaryPrompt,
  silentAboveTokens,
}: ModelOptions): ScriptedModel {
  const facts: PlantedFact[] = [];
  const hanging = Promise.withResolvers<Reply>();
  let turn: ModelTurn = { answer: "Done." };
  let [step, isWrongDone, isAnswered, summaries] = [0, true, false, 0];
  let mainAsks: MainAsk[] = [];
  let toolTexts: string[] = [];
  let summaryKind: SummaryKind = "lossy";
  let newestSummary = "";

  function begin(next: ModelTurn): void {
    turn = next;
    [step, isWrongDone, isAnswered] = [0, next.wrong === undefined, false];
    mainAsks = [];
    toolTexts = [];
  }

  /** What the model would say at this step if all was well. */
  function planned(ask: Ask): Reply {
    const { reads = [], searches = [] } = turn;
    const tools = offeredTools(ask.request);
    const paths = reads[step] ?? [];
    // A search, and then a look at what it found.
    const search = step - reads.length;
    const cue = searches[search >> 1];
    const calls = [
      ...paths.map((path) => readCall(tools, workspace, path)).filter((call) => call !== undefined),
      ...(cue === undefined || search % 2 === 1 ? [] : searchCalls(tools, cue)),
      ...(cue === undefined || search % 2 === 0 ? [] : lookCalls(tools, cue, toolTexts.at(-1) ?? "")),
    ];
    return calls.length > 0 ? { words: calls } : answer(turn.answer);
  }

  function converse(ask: Ask): Reply {
    mainAsks.push({ request: ask.request, inputTokens: ask.inputTokens });
    toolTexts.push(...ask.toolResults.map(({ text }) => text));
    const steps = (turn.reads?.length ?? 0) + 2 * (turn.searches?.length ?? 0);
    if (ask.inputTokens > (silentAboveTokens ?? Number.POSITIVE_INFINITY)) return answer("What was I to do?");
    if (mainAsks.length > steps + SPARE_REQUESTS) return answer("Done.");
    const reply = planned(ask);
    if (!isWrongDone) {
      isWrongDone = true;
      const { fault, misbehavior } = turn.wrong!;
      if (fault !== undefined) return { ...reply, fault };
      const wrong = misbehavior!(ask, reply);
      // It has done its step, if only in another form.
      if (wrong.words.some((one) => reply.words.some((other) => other.kind === "tool-call" && isSameCall(one, other))))
        step++;
      return wrong;
    }
    step++;
    if (reply.words.every(({ kind }) => kind !== "tool-call")) isAnswered = true;
    return reply;
  }

  function sum(ask: Ask): Reply | Promise<Reply> {
    summaries++;
    const source = requestWords(ask.request);
    switch (summaryKind) {
      case "hangs":
        return hanging.promise;
      case "echoes":
        return inForm(source, source);
      case "is-empty":
        return misbehave.sayNothing();
      case "refuses":
        return misbehave.refuse();
      case "fails":
        return { ...answer(""), fault: { kind: "server-error" } };
      case "lossy":
        // What an earlier compaction sealed, the service reads too.
        newestSummary = lossySummary({
          source: ask.purpose === "compaction" ? `${newestSummary}\n${source}` : source,
          facts,
          seed: `${seed} ${summaries}`,
        });
        return inForm(source, newestSummary);
    }
  }

  return {
    script(ask) {
      if (ask.purpose === "compaction") return sum(ask);
      if (ask.tools.length > 0 && !(summaryPrompt?.test(ask.userText) ?? false)) return converse(ask);
      // Titles, and who is to speak next.
      if (ask.userText.includes("next_speaker")) return answer('{"reasoning":"It is done.","next_speaker":"user"}');
      return SUMMARY_WORDS.test(requestWords(ask.request)) ? sum(ask) : answer("A look at parts");
    },
    begin,
    isAnswered: () => isAnswered,
    mainAsks: () => mainAsks,
    toolTexts: () => toolTexts,
    summaries: () => summaries,
    newestSummary: () => newestSummary,
    summarizeAs(kind) {
      summaryKind = kind;
    },
    facts,
    close: () => hanging.resolve(misbehave.sayNothing()),
  };
}

/** In the tags that the prompt asks for. */
function inForm(prompt: string, summary: string): Reply {
  if (prompt.includes("<state_snapshot>")) return answer(`<state_snapshot>\n${summary}\n</state_snapshot>`);
  return prompt.includes("<summary>") ? summarize(summary) : answer(summary);
}

function isSameCall(one: Reply["words"][number], other: Reply["words"][number]): boolean {
  return one.kind === "tool-call" && other.kind === "tool-call" && one.name === other.name && one.input === other.input;
}
