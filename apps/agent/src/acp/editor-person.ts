import { methods, type SessionUpdate } from "@agentclientprotocol/sdk";
import type { Dialog } from "../extension/dialog.ts";
import type { Person } from "../extension/person.ts";
import type { PermissionQuestion } from "../permissions/permission-question.ts";
import { askPerson, type PersonPorts, planDialog, toPlanAnswer, toReply } from "../terminal/ask-person.ts";
import { permissionDialog } from "../terminal/dialogs/permission-dialog.ts";
import { type FileChange, planFileChange } from "../terminal/dialogs/plan-file-change.ts";
import {
  type AskEditor,
  type AskPorts,
  askAboutCall,
  askEditor,
  bodyText,
  dialogText,
  toContent,
} from "./ask-editor.ts";
import { describeCall, diffContent } from "./describe-call.ts";

export interface EditorPersonPorts extends AskPorts, Omit<PersonPorts, "ask"> {
  /** Announces a call of the session, if that has not been done. */
  announce(call: PermissionQuestion["call"]): void;
  send(update: SessionUpdate): void;
}

export interface EditorPerson extends Person {
  readonly ask: AskEditor;
}

/** The person in the editor, asked with the texts and options of the terminal. */
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
      // The calls of an agent are not shown, but its questions are.
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
    // Letters that cannot be seen are spelled out in the lines of the dialog, and not in the editor's own diff.
    const text = dialogText(dialog);
    const isPlain = !text.includes("⟨");
    return [toContent(isPlain ? bodyText(dialog.body) : text), diffContent({ path, ...change.texts }, folder)];
  }

  /** The editor's text, which may have changes that are not on disk. An editor that does not know the file says so by an error. */
  async function editorText(path: string): Promise<string | undefined> {
    const wanted = { stopWaitingOnCancel: true, cancellationSignal: AbortSignal.timeout(EDITOR_WAIT_MS) };
    try {
      const { content } = await client.request(methods.client.fs.readTextFile, { sessionId, path }, wanted);
      return content;
    } catch {
      return undefined;
    }
  }
}

/** An editor that does not answer does not keep a file from being changed. */
const EDITOR_WAIT_MS = 5_000;
