import { openCoordination } from "@palimpsest/coordination";
import { type BatchOutcome, type Memory, openMemory } from "@palimpsest/memory";
import type { DreamOutcome } from "@palimpsest/memory/dream";
import { readSettings } from "palimpsest";
import type { AgentSession } from "../extension/open-agent-session.ts";
import { acceptHeld, keepHeld, refuseHeld, stepText } from "../extensions/dreams/held-dream.ts";
import { beginDream, type DreamPlace, isDreamDue, progressText } from "../extensions/dreams/project-dream.ts";
import { usd } from "../text/table.ts";
import { engineSettings } from "../workspace/engine-settings.ts";
import { listSessions } from "../workspace/stored-sessions.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { connectChosen } from "./connect-chosen.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inOperatedProject, printNotices } from "./open-project.ts";
import { readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Tidies up the project's memory, now or if enough time has passed.
 * @param parent the session that the cost is charged to. @default none: the run prints its cost
 */
export async function run(args: readonly string[], terminal: Terminal, parent?: AgentSession): Promise<number> {
  const { values } = readArguments(args, COMMANDS["memory dream"]);
  if (values.yes === true && values.no === true) throw new UsageError("Use --yes or --no, not both.");
  return inOperatedProject(terminal, async (project, operations) => {
    const { folder, places, store } = project;
    const { clock, environment } = terminal;
    const notices = printNotices(terminal);
    const memory = await openMemory({ folder: places.memory, clock });
    try {
      const coordination = await openCoordination({ file: places.coordinationFile, clock });
      try {
        const place = { places, store, coordination, clock };
        if (values.yes === true || values.no === true)
          return await decideProposed(values.yes === true ? "yes" : "no", place, memory, terminal);
        if (values["if-due"] === true) {
          const { settings } = await readSettings({
            settingsFrom: engineSettings(places, environment, operations.flags),
          });
          const answer = await isDreamDue(place, settings["dream.enabled"], parent?.id);
          if (answer.kind === "closed") {
            await terminal.print(
              values.json
                ? JSON.stringify(answer)
                : `Not needed yet: ${answer.why}. To run it now: palimpsest memory dream`,
            );
            return EXIT.done;
          }
        }
        const [newest] = await listSessions(store);
        const connection = await connectChosen(values, terminal, { before: newest?.usedBefore });
        if (connection === undefined) return EXIT.failed;
        const { provider, choice } = connection;
        const isDryRun = values["dry-run"] === true;
        const begun = await beginDream({
          ...place,
          folder,
          memory,
          provider,
          model: choice.model,
          environment,
          owner: "palimpsest memory dream",
          mode: isDryRun ? "dry-run" : "apply",
          trigger: values["if-due"] === true ? "auto" : "manual",
          ...(parent === undefined ? {} : { parent }),
          operations,
          // The outcome of the run is printed below.
          onEvent: (event) => event.kind !== "dreamed" && notices(event),
        });
        if (begun.kind === "held") {
          terminal.say(
            `Another process (${begun.by.owner}, process ${begun.by.pid}) is tidying up this memory. Wait until it has finished.`,
          );
          return EXIT.failed;
        }
        const { task, session, priceUsd } = begun;
        terminal.interruption().addEventListener("abort", () => task.kill());
        task.listen((state) => terminal.say(progressText(state), "faint"));
        const outcome = await task.done;
        if (!isDryRun) await keepHeld(places, outcome);
        const report = { session, priceUsd: priceUsd(), ...outcome };
        await terminal.print(values.json ? JSON.stringify(report) : outcomeText(outcome));
        // A parent session has the cost in its ledger.
        if (parent === undefined) terminal.say(`Cost: ${usd(priceUsd())}.`, "faint");
        return exitCodeOf(outcome, isDryRun);
      } finally {
        await coordination.close();
      }
    } finally {
      await memory.close();
    }
  });
}

/** Applies or refuses the changes of the last run that wait for approval. */
async function decideProposed(
  answer: "yes" | "no",
  place: Pick<DreamPlace, "places" | "coordination">,
  memory: Pick<Memory, "batch">,
  terminal: Terminal,
): Promise<number> {
  const outcome = answer === "yes" ? await acceptHeld(place, memory) : await refuseHeld(place);
  await terminal.print(decisionText(outcome));
  return outcome === "refused" || outcome?.kind === "written" || outcome?.kind === "unchanged"
    ? EXIT.done
    : EXIT.failed;
}

/** What to do if the changes cannot be applied as they were shown. */
const DROP_PROPOSED =
  "None of the changes was applied. To drop them: palimpsest memory dream --no. To go over the memory again: palimpsest memory dream";

function decisionText(outcome: BatchOutcome | "refused" | undefined): string {
  if (outcome === undefined) return "No changes wait for your approval. To start a run: palimpsest memory dream";
  if (outcome === "refused") return "Refused. The memory stays as it is, and the next run waits for new sessions.";
  if (outcome.kind === "written") return `Applied as change ${outcome.commit.slice(0, 10)}.`;
  if (outcome.kind === "stale")
    return `Not applied: these topics were changed since: ${outcome.slugs.join(", ")}. ${DROP_PROPOSED}`;
  if (outcome.kind === "unchanged") return "Nothing had to change any more.";
  return `Not applied: ${outcome.why}. ${DROP_PROPOSED}`;
}

function outcomeText(outcome: DreamOutcome): string {
  switch (outcome.kind) {
    case "written":
      return `${summaryText(outcome.summary)}\nTo undo this change: palimpsest memory undo ${outcome.commit.slice(0, 10)}`;
    case "unchanged":
      return "Nothing had to change.";
    case "held":
      return `Nothing was changed: ${outcome.why}.\n${summaryText(outcome.summary)}\n${outcome.steps.map(stepText).join("\n")}\nTo apply these changes: palimpsest memory dream --yes. To refuse them: palimpsest memory dream --no`;
    case "stale":
      return `Nothing was changed: these topics were edited during the run: ${outcome.slugs.join(", ")}. Run palimpsest memory dream again.`;
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

function exitCodeOf(outcome: DreamOutcome, isDryRun: boolean): number {
  if (outcome.kind === "killed") return EXIT.interrupted;
  const isDone = outcome.kind === "written" || outcome.kind === "unchanged" || (isDryRun && outcome.kind === "held");
  return isDone ? EXIT.done : EXIT.failed;
}
