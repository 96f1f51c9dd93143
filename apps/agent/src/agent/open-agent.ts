import { definitionOf } from "palimpsest/schema";
import type { BackgroundTask, Extension } from "../extension/extension.ts";
import { agentsExtension } from "../extensions/agents/agents-extension.ts";
import { checkpointsExtension } from "../extensions/checkpoints/checkpoints-extension.ts";
import { commandFilesExtension } from "../extensions/command-files/command-files-extension.ts";
import { dreamsExtension } from "../extensions/dreams/dreams-extension.ts";
import { filesExtension } from "../extensions/files/files-extension.ts";
import { allowStoredResults, resultsOf } from "../extensions/files/stored-results.ts";
import { hooksExtension } from "../extensions/hooks/hooks-extension.ts";
import { instructionsExtension } from "../extensions/instructions/instructions-extension.ts";
import { mailExtension } from "../extensions/mail/mail-extension.ts";
import { mcpExtension } from "../extensions/mcp/mcp-extension.ts";
import { extractionsExtension } from "../extensions/memory/extractions-extension.ts";
import { memoryExtension } from "../extensions/memory/memory-extension.ts";
import { notesExtension } from "../extensions/notes/notes-extension.ts";
import { permissionsExtension } from "../extensions/permissions/permissions-extension.ts";
import { planExtension } from "../extensions/plan/plan-extension.ts";
import { questionsExtension } from "../extensions/questions/questions-extension.ts";
import { recallExtension } from "../extensions/recall/recall-extension.ts";
import { searchExtension } from "../extensions/search/search-extension.ts";
import { shellExtension } from "../extensions/shell/shell-extension.ts";
import { situationExtension } from "../extensions/situation/situation-extension.ts";
import { skillsExtension } from "../extensions/skills/skills-extension.ts";
import { tasksExtension } from "../extensions/tasks/tasks-extension.ts";
import { todosExtension } from "../extensions/todos/todos-extension.ts";
import { openUserExtensions } from "../extensions/user/user-extensions.ts";
import { webExtension } from "../extensions/web/web-extension.ts";
import type { Agent, AgentOptions } from "./agent.ts";
import { loadContext, toolChanges } from "./load-context.ts";
import { appendChanges, openAround } from "./open-around.ts";
import { PromptWarmth, pingingWhileAsked } from "./prompt-warmth.ts";

/**
 * Opens the agent: its settings, its extensions in order, the session, and the extensions that run their own sessions.
 */
export async function openAgent(options: AgentOptions): Promise<Agent> {
  const closing = closingInReverse();
  try {
    const warmth = new PromptWarmth();
    const person = options.person && pingingWhileAsked(options.person, warmth);
    const loaded = await loadContext(person === undefined ? options : { ...options, person });
    const { context, settings, opened, parameters } = loaded;
    const extensions: Extension[] = [];
    const open = <One extends Extension>(extension: One): One => {
      extensions.push(extension);
      closing.add(extension.close);
      return extension;
    };

    // The prompt contains the tools and head sections of the extensions in this order.
    const plan = planExtension(context);
    const openResult = resultsOf(context.store.results, [plan.path]);
    open(await instructionsExtension(context));
    const { keepBefore } = open(checkpointsExtension(context));
    open(filesExtension(context, { keepBefore, openResult }));
    open(searchExtension(context, { openResult }));
    open(await shellExtension(context));
    open(todosExtension(context));
    open(questionsExtension(context));
    open(await skillsExtension(context));
    open(plan);
    open(recallExtension(context));
    open(webExtension(context));
    open(situationExtension(context));
    const { remembered, emitWaiting } = open(await memoryExtension(context));
    open(await mcpExtension(context));
    open(hooksExtension(context));
    const { notes } = open(await notesExtension(context));
    open(permissionsExtension(context));
    open(await commandFilesExtension(context));
    const ofUser = await openUserExtensions(context);
    for (const extension of ofUser.extensions) open(extension);

    const guard = allowStoredResults(context.guard, context.store.results, [plan.path]);
    const around = await openAround(options, context, [...extensions], { guard, parameters, notes });
    const { session, head, permission } = around;
    closing.add(session.close);
    opened(session);
    warmth.session = session;

    const mail = open(await mailExtension(context, options.name));
    const { agents } = open(await agentsExtension(context, around, mail));
    open(await extractionsExtension(context, around, remembered));
    open(dreamsExtension(context, remembered?.memory));
    const status = (): readonly BackgroundTask[] => extensions.flatMap((extension) => extension.status?.() ?? []);
    open(tasksExtension(status));
    for (const { begin } of extensions) await begin?.(session);

    const changed = toolChanges(context.offered, [...around.tools, ...agents.tools].map(definitionOf));
    return {
      session,
      tools: [...around.runnable, ...agents.tools],
      agents,
      waitForMail: mail.wait,
      permission,
      settings,
      mode: context.permissions.mode,
      setMode: context.permissions.setMode,
      model: context.model,
      setModel: loaded.setModel,
      effort: loaded.effort,
      setEffort: loaded.setEffort,
      commands: extensions.flatMap(({ commands = [] }) => commands),
      status,
      problems: [
        ...(options.operations?.problems ?? []),
        ...loaded.problems,
        ...extensions.flatMap(({ problems = [] }) => problems),
        ...ofUser.problems,
        ...(changed === undefined ? [] : [changed]),
      ],
      emitWaiting,
      async beforeTurn(words = "") {
        await appendChanges(session, head);
        for (const { beforeTurn } of extensions) await beforeTurn?.({ session, words });
      },
      async afterTurn(own) {
        await Promise.all(extensions.map(({ afterTurn }) => afterTurn?.(own)));
      },
      close: closing.close,
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}

/** Collects open resources, to close them in reverse order. */
interface Closing {
  add(close: (() => Promise<void>) | undefined): void;
  /** Closes all resources that were added since the last call. */
  readonly close: () => Promise<void>;
}

function closingInReverse(): Closing {
  const open: (() => Promise<void>)[] = [];
  return {
    add(close) {
      if (close !== undefined) open.push(close);
    },
    async close() {
      for (const close of open.splice(0).toReversed()) await close();
    },
  };
}
