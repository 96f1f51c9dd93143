import type { Fault } from "../faults.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Reply, StopCause, Words } from "../script.ts";

/** A value of a script that is not what it should be: `message` names its place and what may stand there. */
export class ScriptProblem extends Error {
  override readonly name = "ScriptProblem";
}

const REPLY_FIELDS = ["thinking", "text", "calls", "stop", "fault"];
const CALL_FIELDS = ["name", "input", "id"];
const STOPS: readonly StopCause[] = ["end", "tool-call", "output-limit", "refusal", "pause", "stop-sequence"];

/** What a field of a fault may be: a list names all its values. */
type FieldType = "count" | "seconds" | "error-status" | "text" | "failure" | readonly string[];

/** What a fault may have beside that. */
const WORDING = ["message", "code", "headers"];

/** What each fault needs beside its kind. */
const FAULTS: Readonly<Record<Fault["kind"], Readonly<Record<string, FieldType>>>> = {
  "rate-limited": { retryAfterSeconds: "seconds" },
  "spend-limit": {},
  overloaded: {},
  "server-error": {},
  timeout: {},
  status: { status: "error-status", type: "text", message: "text" },
  "stream-error": { afterEvents: "count", failure: "failure" },
  "stream-cut": { afterEvents: "count", how: ["closed", "reset"] },
  "stream-stall": { afterEvents: "count", forMs: "count" },
  "response-failed": { code: "text", message: "text" },
  "connection-reset": {},
};

/** Reads one reply of a JSON script: a text, or an object with `thinking`, `text`, `calls`, `stop` and `fault`. */
export function readReply(value: unknown, path: string): Reply {
  if (typeof value === "string") return { words: [{ kind: "text", text: value }] };
  const { thinking, text, calls = [], stop, fault } = readObject(value, path, REPLY_FIELDS);
  const words: Words[] = [];
  if (thinking !== undefined) words.push({ kind: "thinking", text: readText(thinking, `${path}.thinking`) });
  if (text !== undefined) words.push({ kind: "text", text: readText(text, `${path}.text`) });
  if (!Array.isArray(calls)) throw new ScriptProblem(`${path}.calls must be a list of calls.`);
  words.push(...calls.map((call, index) => readCall(call, `${path}.calls[${index}]`)));
  return {
    words,
    stop: stop === undefined ? undefined : readChoice(stop, STOPS, `${path}.stop`),
    fault: fault === undefined ? undefined : readFault(fault, `${path}.fault`),
  };
}

function readCall(value: unknown, path: string): Words {
  const { name, input = {}, id } = readObject(value, path, CALL_FIELDS);
  const call = { kind: "tool-call", name: readText(name, `${path}.name`), input } as const;
  return id === undefined ? call : { ...call, id: readText(id, `${path}.id`) };
}

function readFault(value: unknown, path: string): Fault {
  const kind = readChoice(readObject(value, path)["kind"], Object.keys(FAULTS) as Fault["kind"][], `${path}.kind`);
  const fault = readObject(value, path, ["kind", ...Object.keys(FAULTS[kind]), ...WORDING]);
  for (const [name, type] of Object.entries(FAULTS[kind])) readField(fault[name], type, `${path}.${name}`);
  return fault as unknown as Fault;
}

function readField(value: unknown, type: FieldType, path: string): void {
  if (type === "failure") readFault(value, path);
  else if (type === "text") readText(value, path);
  else if (typeof type !== "string") readChoice(value, type, path);
  else readNumber(value, type, path);
}

function readNumber(value: unknown, type: "count" | "seconds" | "error-status", path: string): void {
  const number = typeof value === "number" && value >= 0 ? value : Number.NaN;
  if (type === "seconds" && Number.isNaN(number)) throw new ScriptProblem(`${path} must be a number, 0 or more.`);
  if (type === "count" && !Number.isInteger(number))
    throw new ScriptProblem(`${path} must be a whole number, 0 or more.`);
  const isStatus = Number.isInteger(number) && number >= 400 && number <= 599;
  if (type === "error-status" && !isStatus) throw new ScriptProblem(`${path} must be a status from 400 to 599.`);
}

/** Reads an object. With a list of fields, no other field may stand there: a misspelled one would be ignored in silence. */
export function readObject(value: unknown, path: string, fields?: readonly string[]): JsonObject {
  if (!isObject(value)) {
    throw new ScriptProblem(`${path} must be an object${fields === undefined ? "" : ` with ${fields.join(", ")}`}.`);
  }
  const unknown = Object.keys(value).find((name) => fields !== undefined && !fields.includes(name));
  if (unknown !== undefined) throw new ScriptProblem(`Unknown field ${path}.${unknown}. Known: ${fields?.join(", ")}.`);
  return value;
}

function readText(value: unknown, path: string): string {
  if (typeof value !== "string") throw new ScriptProblem(`${path} must be a text.`);
  return value;
}

function readChoice<Choice extends string>(value: unknown, choices: readonly Choice[], path: string): Choice {
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) throw new ScriptProblem(`${path} must be one of: ${choices.join(", ")}.`);
  return choice;
}
