import {
  askPerson,
  depthOf,
  type Effect,
  type Key,
  type PermissionQuestion,
  type ScreenEvent,
  type ScreenState,
  startState,
  textOf,
  update,
  viewLive,
} from "palimpsest-agent/attacked";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A question on a screen that is drawn after every event, as the real one is, and whose clock is moved by hand. */
export interface ShownQuestion {
  /** Keys by their names; one letter is typed. */
  press(...keys: readonly string[]): void;
  wait(ms: number): void;
  paste(text: string): void;
  /** Everything that has been on the screen. */
  seen(): string;
  /** What a person who sits there has allowed; undefined so far. */
  allowed(): string | undefined;
}

const NOBODY = { agent: { kind: "main" }, tool: { kind: "built-in" } } as const;

/** A question about a call, as the person at the screen is asked. */
export function questionOf(
  name: string,
  input: object,
  more: Partial<Pick<PermissionQuestion, "asker" | "reason" | "allowedBy">> = {},
): PermissionQuestion {
  const { asker = NOBODY, reason = "It runs a command.", allowedBy = [] } = more;
  return {
    call: { kind: "tool_call", id: "call", name, input },
    input,
    asker,
    reason,
    allowedBy,
  } as PermissionQuestion;
}

type Person = ReturnType<typeof askPerson>;

/** @param ask what the person is asked; files that it concerns do not exist */
export async function showQuestion(
  ask: (person: Person, signal: AbortSignal) => Promise<unknown>,
  { columns, rows }: Size = { columns: 80, rows: 24 },
): Promise<ShownQuestion> {
  let state: ScreenState = startState({
    columns,
    rows,
    style: "full",
    nowMs: 0,
    history: { texts: [], pastes: [] },
    commands: [],
  });
  const effects: Effect[] = [];
  const frames: string[] = [];
  let [nowMs, drawn] = [0, ""];
  function emit(event: ScreenEvent): void {
    const next = update(state, event);
    state = next.state;
    effects.push(...next.effects);
    frames.push(viewLive(state).map(textOf).join("\n"));
    const [front] = state.dialogs;
    const name = front === undefined ? "" : `${front.id} ${depthOf(front)}`;
    if (front === undefined || name === drawn) return;
    drawn = name;
    emit({ kind: "dialog-drawn", id: front.id, depth: depthOf(front), atMs: nowMs });
  }
  const ports = {
    ask: async (dialog: Extract<ScreenEvent, { kind: "asked" }>["dialog"]) => {
      emit({ kind: "asked", id: 1, dialog });
      // The answer is read from what the screen wants done.
      return new Promise<never>(() => {});
    },
    readFile: async () => ({ kind: "absent" as const }),
    folder: "/project",
  };
  void ask(askPerson(ports as never), new AbortController().signal);
  // A change of a file is planned before it is asked about.
  for (let turns = 0; state.dialogs.length === 0 && turns < 1_000; turns++)
    await new Promise((resolve) => setImmediate(resolve));
  if (state.dialogs.length === 0) throw new Error("nothing was asked");
  return {
    press(...keys) {
      for (const name of keys) {
        const text = name.length === 1 ? name : "";
        const key: Key = { name: text === "" ? (name as Key["name"]) : "text", text, held: "nothing" };
        emit({ kind: "key", key, atMs: nowMs });
      }
    },
    wait(ms) {
      nowMs += ms;
      emit({ kind: "tick", nowMs });
    },
    paste: (text) => emit({ kind: "pasted", text, atMs: nowMs }),
    seen: () => frames.join("\n"),
    allowed() {
      const answers = effects.flatMap((effect) => (effect.kind === "answer" ? [effect.answer] : []));
      const values = answers.flatMap((answer) => (answer.kind === "chosen" ? answer.values : []));
      return values.find((value) => value !== "deny");
    },
  };
}
