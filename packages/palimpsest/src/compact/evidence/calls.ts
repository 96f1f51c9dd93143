import type { ToolCall } from "../../log/block.ts";
import type { FileTouch, LineRange } from "../../stages/compact/evidence/file-touch.ts";
import { patchedFiles } from "../../stages/compact/evidence/patched-files.ts";
import { shownFile } from "../../stages/compact/evidence/shown-file.ts";
import { writtenLines } from "../../stages/compact/evidence/written-lines.ts";
import { headOf } from "../../text.ts";
import { fileOf } from "../../view/file-of.ts";

/** The effect of a call, as far as its shape shows it. */
export interface ReadCall {
  /** Only a patch has more than one. */
  readonly files?: readonly FileTouch[];
  readonly command?: string;
  /** The command as it was run, if that is not the same. */
  readonly asRun?: string;
}

const MAX_COMMAND_CHARACTERS = 240;

export function readCall(call: ToolCall): ReadCall {
  const fields = fieldsOf(call.input);
  const file = fileOf(call);
  if (file !== undefined) {
    const range = rangeOf(fields);
    const written = file.access === "edit" ? writtenLines(newTextOf(fields)) : undefined;
    const lines = { ...(range === undefined ? {} : { range }), ...(written === undefined ? {} : { written }) };
    return { files: [{ ...file, ...lines }] };
  }
  const patched = patchedFiles(partsOf(call.input));
  if (patched.length > 0) return { files: patched };
  const asRun = commandOf(fields["command"] ?? fields["cmd"]);
  if (asRun === undefined) return {};
  const command = toCommand(withoutFrame(asRun));
  const shown = shownFile(asRun);
  return {
    command,
    ...(command === toCommand(asRun) ? {} : { asRun: toCommand(asRun) }),
    ...(shown === undefined ? {} : { files: [{ ...shown, access: "read" }] }),
  };
}

/** Returns the line range of a result with line numbers: `12:`, `12|`, or `12` with a tab or an arrow. */
export function numberedLines(text: string): LineRange | undefined {
  const first = /^\s*(\d{1,7})[\t:|\u2192]/m.exec(text.slice(0, 2_000));
  const last = [...text.slice(-2_000).matchAll(/^\s*(\d{1,7})[\t:|\u2192]/gm)].at(-1);
  if (first === null || last === undefined) return undefined;
  const range: LineRange = [Number(first[1]), Number(last[1])];
  return range[0] >= 1 && range[0] <= range[1] ? range : undefined;
}

function fieldsOf(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
}

/** The values of an input, and the elements of lists: programs are passed with their arguments. */
function partsOf(input: unknown): readonly unknown[] {
  return typeof input === "string" ? [input] : Object.values(fieldsOf(input)).flat();
}

function rangeOf(fields: Readonly<Record<string, unknown>>): LineRange | undefined {
  const count = (...names: string[]): number | undefined => {
    const value = names.map((name) => fields[name]).find((field) => typeof field === "number");
    return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  };
  const view = fields["view_range"];
  if (Array.isArray(view) && view.every(Number.isSafeInteger) && view[0] >= 1 && view[1] >= view[0]) {
    return [view[0], view[1]];
  }
  const first = count("offset", "start_line", "startLine", "from_line");
  const limit = count("limit", "lines");
  const last = count("end_line", "endLine") ?? (limit === undefined ? undefined : (first ?? 1) + limit - 1);
  return last === undefined || last < (first ?? 1) ? undefined : [Math.max(1, first ?? 1), last];
}

/** The new text of an edit; of several in one call, the last one's. */
function newTextOf(fields: Readonly<Record<string, unknown>>): string {
  const edits = fields["edits"];
  const edit = Array.isArray(edits) ? fieldsOf(edits.at(-1)) : fields;
  const text = edit["new_string"] ?? edit["newText"] ?? edit["new_str"];
  return typeof text === "string" ? text : "";
}

/** Some tools pass a program with its arguments as a list, mostly wrapped: `["bash", "-lc", "..."]`. */
function commandOf(value: unknown): string | undefined {
  const text =
    Array.isArray(value) && value.every((part) => typeof part === "string")
      ? /^(?:\/\S*\/)?(?:ba|z|da)?sh$/.test(value[0] ?? "") && value.length > 2
        ? value.at(-1)
        : value.join(" ")
      : value;
  if (typeof text !== "string" || text.trim() === "") return undefined;
  return text.trim();
}

function toCommand(text: string): string {
  return headOf(text, MAX_COMMAND_CHARACTERS).toWellFormed();
}

/** Removes the working folder and output filters, which change from run to run; the command is the same. */
function withoutFrame(command: string): string {
  const bare = command
    .replace(/^(?:cd\s+\S+\s*&&\s*)+/, "")
    .replace(/(?:\s*\|\s*(?:head|tail)(?:\s+-\S+)*(?:\s+\d+)?)+\s*$/, "")
    .replace(/\s+2>&1(?=\s|$)/g, "")
    .trim();
  return bare === "" ? command : bare;
}
