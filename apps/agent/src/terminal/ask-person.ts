import type { Dialog, DialogAnswer } from "../extension/dialog.ts";
import type { Person, PlanAnswer, Question } from "../extension/person.ts";
import type { PermissionMode } from "../permissions/decide-permission.ts";
import type { AllowScope, PermissionQuestion, PermissionReply } from "../permissions/permission-question.ts";
import { cleanText } from "../text/clean-text.ts";
import { highlight } from "../text/highlight.ts";
import { type Line, plain, plainLines } from "../text/line.ts";
import { MARKDOWN_START, markdownLine } from "../text/markdown.ts";
import { type ApprovalPorts, approveCompaction } from "./approve-compaction.ts";
import { toolTitle } from "./views/tool-title.ts";
import { diffLines } from "./views/view-item.ts";

export interface PersonPorts extends Pick<Person, "onOutput" | "onHook" | "onNotice" | "onBackground">, ApprovalPorts {
  /** Ends the turn. */
  stop(): void;
}

/** Whoever sits before the screen, asked by dialogs. */
export function askPerson({ ask, stop, chooseProfile, ...shown }: PersonPorts): Person {
  return {
    ...shown,
    approveCompaction: approveCompaction({ ask, chooseProfile }),
    async askPermission(question, signal) {
      const answer = await ask(permissionDialog(question), signal);
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

const ASKED: Readonly<Record<string, string>> = {
  Bash: "Run this command?",
  Edit: "Change this file?",
  Write: "Write this file?",
  WebFetch: "Fetch this page?",
};

function permissionDialog({ call, input, reason, allowedBy }: PermissionQuestion): Dialog {
  const rules = allowedBy.join(", ");
  return {
    title: ASKED[call.name] ?? `Let ${call.name} run?`,
    body: [...callLines(call.name, input), [], plain(reason, { color: "quiet" })],
    options: [
      { value: "once", label: "Yes, this time" },
      ...(rules === ""
        ? []
        : [
            { value: "session", label: `Yes, and ${rules} until I leave` },
            { value: "user", label: `Yes, and always ${rules}`, about: "in every project" },
          ]),
      { value: "deny", label: "No" },
    ],
    words: "No, and tell the model why",
  };
}

const SCOPES: readonly AllowScope[] = ["session", "project", "user"];

function toReply(answer: DialogAnswer): PermissionReply {
  if (answer.kind === "words") return { kind: "deny", comment: answer.text };
  const value = answer.kind === "chosen" ? answer.values[0] : "deny";
  if (value === "once") return { kind: "once" };
  const scope = SCOPES.find((one) => one === value);
  return scope === undefined ? { kind: "deny", comment: "" } : { kind: "always", scope };
}

/** What is asked about, as it is: nobody says yes to what he has not seen. */
function callLines(name: string, input: unknown): readonly Line[] {
  const fields = (typeof input === "object" && input !== null ? input : {}) as Readonly<Record<string, unknown>>;
  const { command, file_path: path, old_string: before, new_string: after, content } = fields;
  if (typeof command === "string")
    return cleanText(command)
      .split("\n")
      .map((line) => highlight(line, "sh"));
  if (typeof path !== "string") return [plain(toolTitle(name, input))];
  const title = plain(cleanText(path), { weight: "bold" });
  const changed =
    typeof before === "string" && typeof after === "string"
      ? diffLines(cleanText(before), cleanText(after))
      : typeof content === "string"
        ? cleanText(content)
            .split("\n")
            .map((line) => `+ ${line}`)
        : [];
  return [title, ...changed.map((line) => highlight(line, "diff"))];
}

function questionDialog({ question, options, choose }: Question): Dialog {
  return {
    title: "The model asks",
    body: plainLines(cleanText(question)),
    options: options.map(({ label, description }) => ({
      value: label,
      label: cleanText(label),
      ...(description === undefined ? {} : { about: cleanText(description) }),
    })),
    choose,
    words: "Something else",
  };
}

const PLAN_MODES: readonly Exclude<PermissionMode, "plan">[] = ["accept-edits", "default"];

function planDialog(plan: string): Dialog {
  let state = MARKDOWN_START;
  const body = cleanText(plan)
    .split("\n")
    .map((text): Line => {
      const { lead, line, state: next } = markdownLine(text, state);
      state = next;
      return [...lead, ...line];
    });
  return {
    title: "Begin with this plan?",
    body,
    options: [
      { value: "accept-edits", label: "Yes, and accept edits in the project" },
      { value: "default", label: "Yes, and ask before each edit" },
    ],
    words: "No, and say what to change",
  };
}

function toPlanAnswer(answer: DialogAnswer): PlanAnswer {
  if (answer.kind === "words") return { kind: "rejected", comment: answer.text };
  const mode = PLAN_MODES.find((one) => answer.kind === "chosen" && one === answer.values[0]);
  return mode === undefined ? { kind: "rejected", comment: "" } : { kind: "approved", mode };
}
