import type { Agent } from "../agent/agent.ts";
import type { Project } from "../commands/open-project.ts";
import type { Terminal } from "../commands/terminal.ts";
import { nextEffort, OFFERED_MODES } from "./commands/model.ts";
import type { Printer } from "./create-printer.ts";
import type { Dialogs } from "./dialogs/create-dialogs.ts";
import { findFiles } from "./prompt/attach-files.ts";
import { editOutside } from "./prompt/edit-outside.ts";
import type { Screen } from "./screen.ts";
import type { Effect } from "./screen-event.ts";
import type { Transcript } from "./transcript/create-transcript.ts";
import type { Turns } from "./turns.ts";

/** What the controller can do with the drawing. */
export interface DrawingPorts {
  readonly show: (what: "conversation" | "transcript") => Promise<void>;
  readonly redraw: () => void;
  /** Leaves the terminal to another program. */
  readonly suspend: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** The parts of the terminal that effects act on. */
interface EffectPorts extends DrawingPorts, Pick<Screen, "emit">, Pick<Printer, "say"> {
  readonly agent: () => Agent;
  readonly project: Pick<Project, "folder">;
  readonly terminal: Terminal;
  readonly turns: Pick<Turns, "waiting">;
  readonly dialogs: Pick<Dialogs, "answer">;
  readonly transcript: Transcript;
  refresh(): Promise<void>;
  /** Stops the work that is going on. */
  stop(): void;
  submit(text: string): Promise<void>;
  runCommand(text: string): Promise<void>;
  leave(): void;
}

/** Carries out what a key asked for. */
export function createPerform(ports: EffectPorts): (effect: Effect) => Promise<void> {
  const { agent, project, terminal, turns, dialogs, transcript, emit, say, refresh } = ports;
  const { folder } = project;
  return async (effect) => {
    switch (effect.kind) {
      case "submit":
        return ports.submit(effect.text);
      case "stop":
        return ports.stop();
      case "withdraw": {
        const text = turns.waiting.withdraw(effect.id);
        if (text !== undefined && effect.to === "prompt") emit({ kind: "prompted", text, place: "above" });
        return;
      }
      case "move-queued":
        return turns.waiting.move(effect.id, effect.by);
      case "answer":
        return dialogs.answer(effect.id, effect.answer);
      case "open-transcript":
        return transcript.open();
      case "close-transcript":
        return ports.show("conversation");
      case "undo":
        await transcript.undo(effect.boundary);
        return refresh();
      case "find-files":
        return emit({ kind: "files-found", files: await findFiles(folder) });
      case "edit-outside": {
        const text = await ports.suspend(() => editOutside(effect.text, { ...terminal, folder }));
        return emit({ kind: "prompted", text });
      }
      case "next-mode":
        agent().setMode(OFFERED_MODES[(OFFERED_MODES.indexOf(agent().mode()) + 1) % OFFERED_MODES.length]!);
        return refresh();
      case "next-effort":
        await nextEffort(agent(), say);
        return refresh();
      case "background":
        return ports.runCommand("/background");
      case "pause":
        if (terminal.pause === undefined) return say("This system cannot suspend programs.", { color: "warning" });
        return ports.suspend(terminal.pause);
      case "redraw":
        return ports.redraw();
      case "leave":
        return ports.leave();
    }
  };
}
