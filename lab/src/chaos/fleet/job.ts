import {
  type Ask,
  answer,
  callTool,
  callTools,
  type Reply,
  type Script,
  summarize,
} from "@palimpsest/provider-simulator";

export const MODEL = "claude-opus-5-5";
/** Summaries are written by a model of their own, so that their requests can be told from the others. */
/** The window that workers are told: some long messages fill it. */
export const WINDOW_TOKENS = 24_000;

/** What a turn is about: tools in rounds, those of one round together. */
export interface Job {
  readonly session: string;
  readonly turn: number;
  readonly rounds: readonly (readonly ToolName[])[];
}

/** `look` may run as often as one likes, `act` under its key, `pay` and `refund` not again; `refund` needs a person. */
export type ToolName = "look" | "act" | "pay" | "refund";

export const REPEATS = { look: "free", act: "by-key", pay: "never", refund: "never" } as const;

/** What the model reads in place of a result that nobody knows. */
export const UNKNOWN = "The outcome of this call is unknown";

const JOB = /Job ([\w-]+)\.(\d+): ([a-z+ ]+)\./g;
const GOOD_SECTIONS = Array.from(
  { length: 9 },
  (_, index) => `## ${index + 1}. Part\nThe jobs before were done as asked.`,
);

export function jobText({ session, turn, rounds }: Job, filler = ""): string {
  return `Job ${session}.${turn}: ${rounds.map((round) => round.join("+")).join(" ")}. ${filler}`;
}

/** The newest job that a text tells of. */
export function jobIn(text: string): Job | undefined {
  const jobs = [...text.matchAll(JOB)].map(
    ([, session = "", turn, rounds = ""]): Job => ({
      session,
      turn: Number(turn),
      rounds: rounds.split(" ").map((round) => round.split("+") as ToolName[]),
    }),
  );
  return jobs.reduce<Job | undefined>((newest, job) => (newest && newest.turn > job.turn ? newest : job), undefined);
}

/** Names a call: what is done for it is done once, however often the call runs. */
function markOf({ session, turn }: Pick<Job, "session" | "turn">, round: number, tool: ToolName): string {
  return `${session}.${turn}#${round} ${tool}`;
}

export function marksOf(job: Job): readonly string[] {
  return job.rounds.flatMap((tools, round) => tools.map((tool) => markOf(job, round, tool)));
}

export function finishedText({ session, turn }: Pick<Job, "session" | "turn">): string {
  return `Finished ${session}.${turn}.`;
}

export function isSummaryRequest(body: string): boolean {
  return body.includes("<summary> block");
}

/** The model: does the rounds of the newest job one after the other. Which ones are done is in the conversation, and only there. */
export const jobScript: Script = ({ purpose, request }: Ask): Reply => {
  const text = JSON.stringify(request["messages"]);
  const job = jobIn(text);
  if (job === undefined) return answer("There is nothing to do.");
  const isDone = (round: number): boolean => text.includes(`${job.session}.${job.turn}#${round} `);
  if (purpose === "summary") {
    const done = job.rounds.flatMap((tools, round) =>
      isDone(round) ? tools.map((tool) => markOf(job, round, tool)) : [],
    );
    return summarize(`${GOOD_SECTIONS.join("\n")}\n${jobText(job)} Done of it: ${done.join(", ") || "nothing"}.`);
  }
  const next = job.rounds.findIndex((_, round) => !isDone(round));
  if (next < 0) return answer(`${finishedText(job)} All that was asked for is done, and nothing else was touched.`);
  return callTools(...job.rounds[next]!.map((tool) => callTool(tool, { mark: markOf(job, next, tool) })));
};
