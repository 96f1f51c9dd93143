import type { AvailableCommand, PromptResponse } from "@agentclientprotocol/sdk";
import type { Provider } from "palimpsest";
import type { Agent } from "../agent/agent.ts";
import { loadWords } from "../commands/load-command.ts";
import type { Project } from "../commands/open-project.ts";
import type { Terminal } from "../commands/terminal.ts";
import { asTerminal, type ScreenContext } from "../terminal/commands/screen-command.ts";
import { findCommand, slashCommands } from "../terminal/commands/slash-commands.ts";
import { type Line, textOf } from "../text/line.ts";
import { fenced } from "./describe-call.ts";

interface CommandPorts extends Pick<ScreenContext, "ask" | "during" | "listModels"> {
  readonly agent: Agent;
  readonly project: Project;
  readonly provider: Provider;
  readonly terminal: Terminal;
  /** Shows text in the conversation. */
  message(text: string): Promise<void>;
  readonly state: () => "idle" | "busy";
  /** Sends a text to the model. */
  submit(text: string): Promise<PromptResponse>;
  continueTurn(): Promise<PromptResponse>;
}

/** Runs the terminal's slash commands that work in an editor. */
interface EditorCommands {
  readonly available: AvailableCommand[];
  /** Runs the command that a prompt names. Undefined if the prompt is a message and not a command. */
  run(prompt: string): Promise<PromptResponse> | undefined;
}

/** Commands that an editor replaces with its own list of sessions, scrollback and command menu. */
const OF_THE_SCREEN = ["transcript", "clear", "resume", "exit", "help", "inspect"];
const COLUMNS = 100;

/** Creates the slash commands of an editor session. */
export function editorCommands(ports: CommandPorts): EditorCommands {
  const { agent, project, provider, terminal, during, message } = ports;
  const commands = slashCommands(agent.commands).filter(({ name }) => !OF_THE_SCREEN.includes(name));

  const say = (text: string): void => void message(text.includes("\n") ? `${fenced(text)}\n\n` : `${text}\n\n`);

  async function open(found: Extract<ReturnType<typeof findCommand>, { kind: "found" }>): Promise<PromptResponse> {
    const { command, words } = found;
    if ((command.when ?? "idle") === "idle" && ports.state() === "busy") {
      say(`/${command.name} cannot run while the model is working. Stop the model first.`);
      return { stopReason: "end_turn" };
    }
    let begun: Promise<PromptResponse> | undefined;
    const notHere = async (): Promise<void> => say(`/${command.name} works in the terminal only.`);
    const context: ScreenContext = {
      words,
      agent,
      session: agent.session,
      project,
      provider,
      terminal,
      commands,
      listModels: ports.listModels,
      columns: COLUMNS,
      say,
      ask: ports.ask,
      during,
      print: (lines: readonly Line[]) => say(lines.map(textOf).join("\n")),
      prompt: (text) => say(text),
      async submit(text) {
        begun = ports.submit(text);
        await begun;
      },
      async runCommand(what, name, args) {
        const { run, rest } = await loadWords([name, ...args]);
        const here = { terminal, say, columns: COLUMNS };
        await during(what, (signal, progress) => run(rest, asTerminal(here, signal, progress), agent.session));
      },
      openTranscript: notHere,
      inspect: async () => "palimpsest inspect",
      reopen: notHere,
      continueTurn() {
        begun = ports.continueTurn();
      },
      leave: () => void notHere(),
    };
    await command.open(context);
    return (await begun) ?? { stopReason: "end_turn" };
  }

  return {
    available: commands.map(({ name, about, takes }) => ({
      name,
      description: about,
      input: takes === undefined ? undefined : { hint: takes },
    })),
    run(prompt) {
      const found = prompt.startsWith("/") ? findCommand(prompt, commands) : undefined;
      return found?.kind === "found" ? open(found) : undefined;
    },
  };
}
