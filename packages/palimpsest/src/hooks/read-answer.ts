import type { HookEvent, HookOutputs } from "./hook-event.ts";

type FieldCheck = (value: unknown) => boolean;

const isText: FieldCheck = (value) => typeof value === "string";
const isObject: FieldCheck = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isDecision: FieldCheck = (value) => value === "allow" || value === "deny";

const COMMON = { block: isText, userDisplayMessage: isText };
const CONTEXT = { ...COMMON, additionalContext: isText };

/** The possible fields by event, and the field that a plain text sets. */
const ANSWERS: { readonly [Event in HookEvent]: AnswerForm<Event> } = {
  PreCompact: { fields: { ...COMMON, newCustomInstructions: isText }, text: "newCustomInstructions" },
  PostCompact: { fields: COMMON, text: "userDisplayMessage" },
  SessionStart: { fields: CONTEXT, text: "additionalContext" },
  SessionEnd: { fields: COMMON, text: "userDisplayMessage" },
  Stop: { fields: COMMON, text: "userDisplayMessage" },
  SubagentStart: { fields: CONTEXT, text: "additionalContext" },
  SubagentStop: { fields: COMMON, text: "userDisplayMessage" },
  PermissionRequest: { fields: { ...COMMON, decision: isDecision }, text: "userDisplayMessage" },
  PreToolUse: { fields: { ...COMMON, newToolInput: isObject }, text: "userDisplayMessage" },
  PostToolUse: { fields: CONTEXT, text: "additionalContext" },
  InstructionsLoaded: { fields: COMMON, text: "userDisplayMessage" },
};

interface AnswerForm<Event extends HookEvent> {
  readonly fields: { readonly [Field in keyof HookOutputs[Event]]-?: FieldCheck };
  readonly text: keyof HookOutputs[Event] & string;
}

/** Parses the answer of a hook; returns a problem in words if the answer is not possible for this event. */
export function readAnswer<Event extends HookEvent>(
  event: Event,
  answer: unknown,
): { readonly output: HookOutputs[Event] | undefined } | { readonly problem: string } {
  if (answer === undefined || answer === null) return { output: undefined };
  const { fields, text } = ANSWERS[event];
  if (typeof answer !== "string") return readFields<Event>(event, answer, fields);
  const said = answer.trim();
  if (said === "") return { output: undefined };
  if (!said.startsWith("{")) return { output: { [text]: said } as HookOutputs[Event] };
  try {
    return readFields<Event>(event, JSON.parse(said), fields);
  } catch {
    return { problem: `It begins as JSON does and is none: ${said.slice(0, 100)}` };
  }
}

/** Unknown fields are ignored: they may belong to another program or a later release. */
function readFields<Event extends HookEvent>(
  event: Event,
  answer: unknown,
  fields: Readonly<Record<string, FieldCheck>>,
) {
  if (!isObject(answer)) return { problem: `A hook of ${event} returns an object, a text or nothing.` };
  const given = Object.entries(answer as object).filter(
    ([name, value]) => Object.hasOwn(fields, name) && value !== undefined && value !== null,
  );
  const wrong = given.find(([name, value]) => !fields[name]!(value));
  if (wrong !== undefined) {
    const [name, value] = wrong;
    const shown = typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : `of type ${typeof value}`;
    return { problem: `In an answer to ${event}, ${name} cannot be ${shown}.` };
  }
  return { output: Object.fromEntries(given) as HookOutputs[Event] };
}
