import {
  type AgentContext,
  type ClientCapabilities,
  type CreateElicitationResponse,
  type ElicitationPropertySchema,
  type EnumOption,
  methods,
  type PermissionOption,
  type PermissionOptionKind,
  type RequestPermissionRequest,
  type SessionUpdate,
  type ToolCall,
  type ToolCallContent,
} from "@agentclientprotocol/sdk";
import type { Person } from "../extension/person.ts";
import type { Dialog, DialogAnswer, Option } from "../extension/slash-command.ts";
import type { PermissionQuestion } from "../permissions/permission-call.ts";
import { askPerson, type PersonPorts, planDialog, toPlanAnswer, toReply } from "../terminal/ask-person.ts";
import { permissionDialog } from "../terminal/dialogs/permission-dialog.ts";
import { type FileChange, planFileChange } from "../terminal/dialogs/plan-file-change.ts";
import { type Line, textOf } from "../text/line.ts";
import { describeCall, diffContent, fenced } from "./describe-call.ts";

interface EditorPersonPorts extends AskPorts, Omit<PersonPorts, "ask"> {
  /** Announces a call of the session, once. */
  announce(call: PermissionQuestion["call"]): void;
  send(update: SessionUpdate): void;
}

interface EditorPerson extends Person {
  readonly ask: AskEditor;
}

/** The person in the editor. Questions have the same texts and options as in the terminal. */
export function editorPerson({ announce, send, ...ports }: EditorPersonPorts): EditorPerson {
  const { client, capabilities, sessionId, readFile, folder, stop } = ports;
  const about = askAboutCall(ports);
  const ask = askEditor(ports, async (dialog, question, signal) => {
    send({ sessionUpdate: "tool_call", ...question.call, title: dialog.title, content: question.content });
    const answer = await about(dialog, question, signal);
    send({ sessionUpdate: "tool_call_update", toolCallId: question.call.toolCallId, status: "completed" });
    return answer;
  });
  const hasFiles = capabilities.fs?.readTextFile === true;
  return {
    ...askPerson({ ...ports, ask }),
    ask,
    approvePlan: async (plan, signal) => toPlanAnswer(await ask(planDialog(plan, "source"), signal)),
    async askPermission(question, signal) {
      const { call, input, asker } = question;
      const change = await planFileChange(call.name, input, readFile);
      const dialog = permissionDialog(question, { change, folder });
      const isMain = asker.agent.kind === "main";
      // An agent's questions are shown, although its calls are not.
      const toolCallId = isMain ? call.id : `agent-${call.id}`;
      const shown = { toolCallId, status: "pending", ...describeCall(call.name, input, folder) } as const;
      const content = contentOf(dialog, question, change);
      if (isMain) announce(call);
      else send({ sessionUpdate: "tool_call", ...shown });
      const answer = await about(dialog, { call: shown, content }, signal);
      const reply = toReply(answer);
      if (!isMain)
        send({ sessionUpdate: "tool_call_update", toolCallId, status: reply.kind === "deny" ? "failed" : "completed" });
      if (answer.kind === "left") stop();
      return reply;
    },
    ...(hasFiles ? { editorText } : {}),
  };

  function contentOf(dialog: Dialog, { input }: PermissionQuestion, change: FileChange | undefined) {
    const { file_path: path } = (input ?? {}) as { readonly file_path?: unknown };
    if (change?.texts === undefined || typeof path !== "string") return [toContent(dialogText(dialog))];
    // The lines of the dialog spell out invisible characters. The editor's own diff does not.
    const text = dialogText(dialog);
    const isPlain = !text.includes("⟨");
    return [toContent(isPlain ? bodyText(dialog.body) : text), diffContent({ path, ...change.texts }, folder)];
  }

  /** The editor's text of a file, including unsaved changes. An editor reports an error for an unknown file. */
  async function editorText(path: string): Promise<string | undefined> {
    const timeout = { stopWaitingOnCancel: true, cancellationSignal: AbortSignal.timeout(EDITOR_WAIT_MS) };
    try {
      const { content } = await client.request(methods.client.fs.readTextFile, { sessionId, path }, timeout);
      return content;
    } catch {
      return undefined;
    }
  }
}

/** How long to wait for an editor's text before a file is changed anyway. */
const EDITOR_WAIT_MS = 5_000;

interface AskPorts {
  readonly client: Pick<AgentContext, "request">;
  readonly capabilities: ClientCapabilities;
  readonly sessionId: string;
}

/** A question about a tool call, which the editor shows with the call. */
interface CallQuestion {
  readonly call: Omit<ToolCall, "content">;
  readonly content: ToolCallContent[];
}

/** Asks the person in the editor. Resolves to `left` if the signal is aborted or the editor cannot ask. */
type AskEditor = (dialog: Dialog, signal?: AbortSignal) => Promise<DialogAnswer>;

/** Shows questions as forms. An editor without forms shows the options of a permission question. */
function askEditor(ports: AskPorts, askAboutCall: AskAboutCall): AskEditor {
  let last = 0;
  const ask: AskEditor = async (dialog, signal) => {
    const hasForms = ports.capabilities.elicitation?.form != null;
    const answer = hasForms ? await askByForm(ports, dialog, signal) : await askAsCall(dialog, signal);
    const [value] = answer.kind === "chosen" ? answer.values : [];
    const asks = dialog.options.find((option) => option.value === value)?.asks;
    return asks === undefined ? answer : ask(asks, signal);
  };
  return ask;

  async function askAsCall(dialog: Dialog, signal?: AbortSignal): Promise<DialogAnswer> {
    const call = { toolCallId: `question-${++last}`, title: dialog.title, kind: "other", status: "pending" } as const;
    return askAboutCall(dialog, { call, content: [toContent(dialogText(dialog))] }, signal);
  }
}

type AskAboutCall = (dialog: Dialog, question: CallQuestion, signal?: AbortSignal) => Promise<DialogAnswer>;

/** Asks about a tool call. An editor can ask only once, so follow-up questions become options of the first question. */
function askAboutCall({ client, sessionId }: AskPorts): AskAboutCall {
  return async (dialog, { call, content }, signal) => {
    const options = dialog.options.slice(0, MOST_OPTIONS).flatMap(toOptions);
    const refusing = options.some(({ kind }) => kind === "reject_once") ? [] : [SKIP];
    const params: RequestPermissionRequest = {
      sessionId,
      toolCall: { ...call, content },
      options: [...options, ...refusing],
    };
    try {
      const { outcome } = await client.request(methods.client.session.requestPermission, params, cancelWith(signal));
      if (outcome.outcome === "cancelled" || outcome.optionId === SKIP.optionId) return { kind: "left" };
      return { kind: "chosen", values: [outcome.optionId] };
    } catch {
      // The editor cannot ask, or the question was canceled.
      return { kind: "left" };
    }
  };
}

const MOST_OPTIONS = 20;
const SKIP: PermissionOption = { optionId: "skip", name: "Skip", kind: "reject_once" };
const KINDS: Readonly<Record<string, PermissionOptionKind>> = { deny: "reject_once", "not-now": "reject_once" };

function toOptions({ value, label, about, asks }: Option): readonly PermissionOption[] {
  const name = about === undefined ? label : `${label} (${about})`;
  if (asks === undefined) return [{ optionId: value, name, kind: KINDS[value] ?? "allow_once" }];
  return asks.options.map((inner) => ({
    optionId: inner.value,
    name: `${name}: ${inner.label}`,
    kind: "allow_always",
  }));
}

async function askByForm(
  { client, sessionId }: AskPorts,
  dialog: Dialog,
  signal: AbortSignal | undefined,
): Promise<DialogAnswer> {
  const { title, words, draft } = dialog;
  const properties = {
    ...(dialog.options.length === 0 ? {} : { answer: optionsSchema(dialog) }),
    ...(words === undefined ? {} : { words: { type: "string", title: words, default: draft } as const }),
  };
  const required = words === undefined ? ["answer"] : [];
  const params = {
    mode: "form" as const,
    sessionId,
    message: [title, dialogText(dialog)].filter(Boolean).join("\n\n"),
    requestedSchema: { type: "object" as const, title, properties, required },
  };
  try {
    return toAnswer(await client.request(methods.client.elicitation.create, params, cancelWith(signal)));
  } catch {
    return { kind: "left" };
  }
}

function optionsSchema({ title, options, choose = "one" }: Dialog): ElicitationPropertySchema {
  const named = options.map(
    ({ value, label, about }): EnumOption => ({
      const: value,
      title: label,
      description: about,
    }),
  );
  return choose === "one" ? { type: "string", title, oneOf: named } : { type: "array", title, items: { anyOf: named } };
}

function toAnswer(response: CreateElicitationResponse): DialogAnswer {
  const content = response.action === "accept" && "content" in response ? response.content : undefined;
  const { answer, words } = (content ?? {}) as { readonly answer?: unknown; readonly words?: unknown };
  if (typeof words === "string" && words.trim() !== "") return { kind: "words", text: words };
  const values = [answer].flat().filter((value) => typeof value === "string");
  return values.length === 0 ? { kind: "left" } : { kind: "chosen", values };
}

/** Converts the content of a question to text. Lines in which every character counts stay verbatim. */
function dialogText({ body, exact = [] }: Dialog): string {
  const lines = exact.map(({ lead, text }) => textOf([...lead, ...text]));
  return [bodyText(body), lines.length === 0 ? "" : fenced(lines.join("\n"))].filter(Boolean).join("\n\n");
}

function bodyText(body: readonly Line[]): string {
  return body.map(textOf).join("\n").trim();
}

function toContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

/** Request options that stop waiting when the signal aborts, because an editor may never answer. */
function cancelWith(signal: AbortSignal | undefined): {
  readonly cancellationSignal?: AbortSignal;
  readonly stopWaitingOnCancel: true;
} {
  return { stopWaitingOnCancel: true, cancellationSignal: signal };
}
