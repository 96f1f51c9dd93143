import type { HookEvent, HookOutputs } from "./hook-event.ts";

type FieldCheck = (value: unknown) => boolean;

const isText: FieldCheck = (value) => typeof value === "string";
const isObject: FieldCheck = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isDecision: FieldCheck = (value) => value === "allow" || value === "deny";

const COMMON = { block: isText, userDisplayMessage: isText };
const CONTEXT = { ...COMMON, additionalContext: isText };

/** By event: what can be said, and which of it a plain text is. */
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

/** What a hook of an event has said; a problem in words if it is nothing that such a hook can say. */
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

/** Fields that are not known stay out: they may be those of another program, or of a later release. */
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
