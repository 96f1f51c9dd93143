import type { ApproveCompaction, CompactionForecast } from "palimpsest";
import type { Person, PlanAnswer, Question } from "../extension/person.ts";
import type { Dialog, DialogAnswer } from "../extension/slash-command.ts";
import type { PermissionMode } from "../permissions/decide-permission.ts";
import type { PermissionReply } from "../permissions/permission-call.ts";
import { plain, plainLines } from "../text/line.ts";
import { blockLines, readWholeMarkdown } from "../text/markdown.ts";
import { usd } from "../text/table.ts";
import { cleanText, visibleLine, visibleText } from "../text/visible-text.ts";
import { permissionDialog, SCOPES } from "./dialogs/permission-dialog.ts";
import { planFileChange } from "./dialogs/plan-file-change.ts";
import type { CurrentFile } from "./read-current-file.ts";

export interface PersonPorts extends Pick<Person, "onOutput" | "onHook" | "onNotice" | "onBackground">, ApprovalPorts {
  /** Ends the turn. */
  stop(): void;
  /** Reads a file of the project as it is now, to show what would change in it. */
  readFile(path: string): Promise<CurrentFile>;
  /** The project's. */
  readonly folder: string;
}

/** Whoever sits before the screen, asked by dialogs. */
export function askPerson({ ask, stop, chooseProfile, readFile, folder, ...shown }: PersonPorts): Person {
  return {
    ...shown,
    approveCompaction: approveCompaction({ ask, chooseProfile }),
    async askPermission(question, signal) {
      const change = await planFileChange(question.call.name, question.input, readFile);
      const answer = await ask(permissionDialog(question, { change, folder }), signal);
      if (answer.kind === "left") stop();
      return toReply(answer);
    },
    async askUser(question, signal) {
      const answer = await ask(questionDialog(question), signal);
      if (answer.kind === "chosen") return answer.values;
      return answer.kind === "words" && answer.text !== "" ? [answer.text] : undefined;
    },
    async approvePlan(plan, signal) {
      return toPlanAnswer(await ask(planDialog(plan), signal));
    },
  };
}

/** The reply to a question for permission. */
export function toReply(answer: DialogAnswer): PermissionReply {
  if (answer.kind === "words") return { kind: "deny", comment: answer.text };
  const value = answer.kind === "chosen" ? answer.values[0] : "deny";
  if (value === "once") return { kind: "once" };
  const scope = SCOPES.find((one) => one === value);
  return scope === undefined ? { kind: "deny", comment: "" } : { kind: "always", scope };
}

function questionDialog({ question, options, choose }: Question): Dialog {
  return {
    title: "The main agent asks",
    body: question.split("\n").map((line) => visibleLine(line)),
    options: options.map(({ label, description }) => ({
      value: label,
      label: visibleText(label),
      about: description === undefined ? undefined : visibleText(description),
    })),
    choose,
    words: "Something else",
  };
}

/** The width of a plan's tables and lists; wider screens leave the rest free. */
const PLAN_COLUMNS = 76;
const PLAN_MODES: readonly Exclude<PermissionMode, "plan">[] = ["auto", "accept-edits", "default"];

/** The question about a plan. @param format `source`: the plan is shown by somebody who reads Markdown. @default "lines" */
export function planDialog(plan: string, format: "lines" | "source" = "lines"): Dialog {
  const shown = visibleText(plan);
  return {
    title: "Begin with this plan?",
    body:
      format === "source"
        ? plainLines(shown)
        : readWholeMarkdown(shown).flatMap((block) => blockLines(block, PLAN_COLUMNS)),
    options: [
      { value: "auto", label: "Yes, and run what stays in the sandbox and the project", from: "all-seen" },
      { value: "accept-edits", label: "Yes, and accept edits in the project", from: "all-seen" },
      { value: "default", label: "Yes, and ask before each edit", from: "all-seen" },
    ],
    words: "No, and say what to change",
  };
}

/** The answer to the question about a plan. */
export function toPlanAnswer(answer: DialogAnswer): PlanAnswer {
  if (answer.kind === "words") return { kind: "rejected", comment: answer.text };
  const mode = PLAN_MODES.find((one) => answer.kind === "chosen" && one === answer.values[0]);
  return mode === undefined ? { kind: "rejected", comment: "" } : { kind: "approved", mode };
}

interface ApprovalPorts {
  /** Resolves to `left` if the signal is aborted. */
  ask(dialog: Dialog, signal?: AbortSignal): Promise<DialogAnswer>;
  /** Lets the person choose a profile, which decides when conversations are compacted. */
  chooseProfile(signal?: AbortSignal): Promise<void>;
}

/** Asks the person before a compaction, if the settings say so (`compaction`: `ask`). */
export function approveCompaction({ ask, chooseProfile }: ApprovalPorts): ApproveCompaction {
  return async (due, { signal }) => {
    const answer = await ask(compactionDialog(due), signal);
    const chosen = answer.kind === "chosen" ? answer.values[0] : "not-now";
    if (chosen === "profile") await chooseProfile(signal);
    return chosen === "compact" ? "compact" : "not-now";
  };
}

/** The question: what a compaction saves, what it costs, and how to undo it. */
export function compactionDialog({ reason, ...due }: CompactionForecast): Dialog {
  const [now, then, saved] = [due.tokens, due.expectedTokens, due.savesTokensPerRequest].map(count);
  const price = due.savesUsdPerRequest === undefined ? "" : ` (${usd(due.savesUsdPerRequest)} from the cache)`;
  const urgent =
    reason === "window"
      ? [plain("The context window is nearly full. Without a compaction, the model will soon have no room to answer.")]
      : [];
  return {
    title: "Compact the conversation now?",
    body: [
      plain(`The conversation has ${now} tokens.`),
      plain(`Why: ${cleanText(due.because)}`),
      ...urgent,
      plain(`Saves: about ${then} tokens remain, so every request is ${saved} tokens shorter${price}.`),
      plain("Costs: one model call, which writes the summary."),
      plain("Undo: /undo brings the whole conversation back, word for word."),
    ],
    options: [
      { value: "compact", label: "Yes, compact now" },
      { value: "not-now", label: "Not now", about: "ask again after my next message" },
      { value: "profile", label: "Choose a profile", about: "quality, balanced or economy: decides when to compact" },
    ],
  };
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
