import { readFile, rm } from "node:fs/promises";
import { openSession } from "palimpsest";
import { applySteps, DREAM_SYSTEM, type DreamOutcome, type DreamState, startDream } from "palimpsest/dream";
import { openHome } from "palimpsest/home";
import { type BatchStep, openMemory } from "palimpsest/memory";
import { COMMANDS } from "../cli/command-list.ts";
import { connectChosen } from "../cli/connect-chosen.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { inProject, type Project } from "../cli/open-project.ts";
import { readArguments } from "../cli/read-arguments.ts";
import { listSessions } from "../cli/stored-sessions.ts";
import type { Terminal } from "../cli/terminal.ts";
import { writePrivateFile } from "../files/private-files.ts";

/** Goes over the memory of the project now. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = readArguments(args, COMMANDS.dream);
  return inProject(terminal, async (project) => {
    const { places, store } = project;
    const memory = await openMemory({ folder: places.memory, clock: terminal.clock });
    try {
      if (values.yes === true) return await carryOut(project, memory, terminal);
      const sessions = await listSessions(store);
      const connection = await connectChosen(values, terminal, sessions[0]?.usedBefore);
      if (connection === undefined) return EXIT.failed;
      const home = await openHome({ file: places.homeFile, clock: terminal.clock });
      try {
        const taken = await home.leases.take(`dream:${places.memory}`, { owner: "palimpsest dream" });
        if (taken.kind === "held") {
          terminal.say(`Another process (${taken.by.owner}, process ${taken.by.pid}) goes over it already.`);
          return EXIT.failed;
        }
        const since = taken.lease.lastDoneAtMs ?? 0;
        const { provider, choice } = connection;
        const settings = { file: places.engineSettings, environment: terminal.environment };
        // Kept like any other session: what it did and cost can be looked at.
        const session = await openSession({ store, provider, model: choice.model, system: DREAM_SYSTEM, settings });
        const task = startDream({
          ...{ memory, lease: taken.lease, store, session, provider, clock: terminal.clock },
          sessions: sessions.filter(({ usedAtMs }) => usedAtMs > since).map(({ id }) => id),
          mode: values["dry-run"] === true ? "dry-run" : "apply",
        });
        terminal.interruption().addEventListener("abort", () => task.kill());
        task.listen((state) => terminal.say(progressText(state), "faint"));
        const outcome = await task.done;
        if (outcome.kind === "held" && values["dry-run"] !== true) {
          await writePrivateFile(places.heldDream, JSON.stringify(outcome.steps));
        }
        await terminal.print(values.json ? JSON.stringify({ session: session.id, ...outcome }) : outcomeText(outcome));
        return exitCodeOf(outcome, values["dry-run"] === true);
      } finally {
        await home.close();
      }
    } finally {
      await memory.close();
    }
  });
}

/** What the last run held back. */
async function carryOut(
  { places }: Project,
  memory: Parameters<typeof applySteps>[0],
  terminal: Terminal,
): Promise<number> {
  const held = await readFile(places.heldDream, "utf8").catch(() => undefined);
  if (held === undefined) {
    await terminal.print("Nothing waits for a yes. palimpsest dream begins a run.");
    return EXIT.failed;
  }
  const outcome = await applySteps(memory, JSON.parse(held) as readonly BatchStep[]);
  if (outcome.kind === "written") await rm(places.heldDream, { force: true });
  const why =
    "why" in outcome ? outcome.why : outcome.kind === "stale" ? `changed since: ${outcome.slugs.join(", ")}` : "";
  await terminal.print(
    outcome.kind === "written" ? `Done, as change ${outcome.commit.slice(0, 10)}.` : `Not done: ${why}`,
  );
  return outcome.kind === "written" ? EXIT.done : EXIT.failed;
}

function progressText({ phase, toolCalls, topics, turns }: DreamState): string {
  const words = turns.at(-1)?.text.replaceAll(/\s+/g, " ").trim().slice(0, 80) ?? "";
  return `${phase}: ${toolCalls} tools used, ${topics.length} topics touched${words === "" ? "" : `: ${words}`}`;
}

function outcomeText(outcome: DreamOutcome): string {
  switch (outcome.kind) {
    case "written":
      return `${summaryText(outcome.summary)}\nOne change, ${outcome.commit.slice(0, 10)}: palimpsest memory undo ${outcome.commit.slice(0, 10)} takes it back.`;
    case "unchanged":
      return "Nothing was to be changed.";
    case "held":
      return `Nothing was changed: ${outcome.why}.\n${summaryText(outcome.summary)}\n${outcome.steps.map(stepText).join("\n")}\npalimpsest dream --yes carries out what was held.`;
    case "stale":
      return `Nothing was changed: these were edited meanwhile: ${outcome.slugs.join(", ")}. Run it again.`;
    default:
      return `Nothing was changed: ${outcome.why}.`;
  }
}

function summaryText(summary: Extract<DreamOutcome, { readonly kind: "written" }>["summary"]): string {
  const { added, rewritten, removed, proposed } = summary;
  return Object.entries({ added, rewritten, removed, proposed })
    .flatMap(([what, slugs]) => (slugs.length === 0 ? [] : [`${what}: ${slugs.join(", ")}`]))
    .join("\n");
}

function stepText(step: BatchStep): string {
  if (step.kind === "forget") return `- forget ${step.slug}: ${step.because}`;
  if (step.kind === "rename") return `- rename ${step.slug} to ${step.to}`;
  return `+ ${step.kind} ${step.draft.name}: ${step.draft.body}`;
}

function exitCodeOf(outcome: DreamOutcome, isDryRun: boolean): number {
  if (outcome.kind === "killed") return EXIT.interrupted;
  const isDone = outcome.kind === "written" || outcome.kind === "unchanged" || (isDryRun && outcome.kind === "held");
  return isDone ? EXIT.done : EXIT.failed;
}
