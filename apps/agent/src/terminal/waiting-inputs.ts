import type { Inbox } from "palimpsest";
import type { WaitingInput } from "./screen-event.ts";
import type { QueuedInput } from "./state.ts";

/** What the user sent while the agent worked, in order. */
export interface WaitingInputs extends Pick<Inbox, "deliver"> {
  add(input: WaitingInput): void;
  /** Undefined if it waits no more: then it is part of the conversation. */
  withdraw(id: number): string | undefined;
  /** Takes everything back. */
  withdrawAll(): readonly string[];
  move(id: number, by: 1 | -1): void;
  /** What comes next. */
  next(): "message" | "command" | "nothing";
  /** Takes the next command. @returns its text */
  takeCommand(): string;
}

interface WaitingPorts {
  readonly onChange: (queued: readonly QueuedInput[]) => void;
  /** Messages were appended to the session. */
  readonly onTaken: (said: readonly string[]) => void;
}

export function createWaitingInputs({ onChange, onTaken }: WaitingPorts): WaitingInputs {
  let waiting: readonly (WaitingInput & QueuedInput)[] = [];
  let newestId = 0;
  const set = (next: typeof waiting): void => {
    waiting = next;
    onChange(waiting.map((one) => ({ id: one.id, text: one.text, ...("content" in one ? {} : { kind: "command" }) })));
  };
  return {
    add: (input) => set([...waiting, { ...input, id: ++newestId }]),
    withdraw(id) {
      const found = waiting.find((one) => one.id === id);
      if (found !== undefined) set(waiting.filter((one) => one !== found));
      return found?.text;
    },
    withdrawAll() {
      const texts = waiting.map(({ text }) => text);
      if (texts.length > 0) set([]);
      return texts;
    },
    move(id, by) {
      const at = waiting.findIndex((one) => one.id === id);
      const to = at + by;
      if (at >= 0 && to >= 0 && to < waiting.length) set(waiting.toSpliced(at, 1).toSpliced(to, 0, waiting[at]!));
    },
    next() {
      const [first] = waiting;
      return first === undefined ? "nothing" : "content" in first ? "message" : "command";
    },
    takeCommand() {
      const [first, ...rest] = waiting;
      if (first === undefined || "content" in first) throw new Error("No command waits.");
      set(rest);
      return first.text;
    },
    /** Up to the first command: what was said after it is said after it. */
    async deliver(session) {
      const end = waiting.findIndex((one) => !("content" in one));
      const taken = waiting.slice(0, end < 0 ? waiting.length : end);
      const contents = taken.flatMap((one) => ("content" in one ? one.content : []));
      if (contents.length === 0) return 0;
      // Out of the list first: what is being appended can no longer be withdrawn. What could not be stored waits again.
      set(waiting.slice(taken.length));
      try {
        await session.append(contents, { answer: "wanted" });
      } catch (error) {
        set([...taken, ...waiting]);
        throw error;
      }
      onTaken(taken.flatMap((one) => ("content" in one ? [one.shown] : [])));
      return taken.length;
    },
  };
}
