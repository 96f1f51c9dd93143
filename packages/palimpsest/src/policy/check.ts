// Checks a policy before a session uses it. A builder in plain JavaScript can pass anything.

import { COMPACT_RULE, ENGINE_RULE } from "./decide.ts";
import { LEAST_THRESHOLD, RANGE_RULE, SUMMARY_RULE, shown } from "./guard.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The names of slots in reports of failures. No clear rule or part can have such a name. */
const SLOT_NAMES = [COMPACT_RULE, ENGINE_RULE, RANGE_RULE, "store", "cache", SUMMARY_RULE, "notes", "prepareAhead"];

/** Returns what is wrong with a policy, one sentence for each problem, with the field and what to do. Empty if nothing is wrong. */
export function checkPolicy(policy: unknown): readonly string[] {
  const problems: string[] = [];
  const check = new Check("policy", policy, problems);
  try {
    check.text("name");
    check.within("store", checkStore);
    checkClear(check);
    check.within("compact", checkCompact);
    check.within("notes", checkNotes, "optional");
    check.within("cache", checkCache);
    check.within("weigh", checkWeigh);
  } catch (error) {
    problems.push(`policy: it cannot be read: ${error instanceof Error ? error.message : "a field throws"}`);
  }
  return problems;
}

/** Reads the fields of one object, and adds a sentence to the problems for each field that is wrong. */
class Check {
  readonly path: string;
  readonly problems: string[];
  readonly fields: Fields;
  /** Whether the value is an object. The fields of anything else are not checked. */
  readonly isObject: boolean;

  constructor(path: string, value: unknown, problems: string[]) {
    this.path = path;
    this.problems = problems;
    this.isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    this.fields = this.isObject ? (value as Fields) : {};
    if (!this.isObject) problems.push(`${path} is ${shown(value)}, and has to be an object`);
  }

  wrong(field: string, needed: string): void {
    if (this.isObject)
      this.problems.push(`${this.path}.${field} is ${shown(this.fields[field])}, and has to be ${needed}`);
  }

  text(field: string): void {
    const value = this.fields[field];
    if (typeof value !== "string" || value.trim() === "") this.wrong(field, "a text");
  }

  /** A function that returns at once. */
  pure(field: string, presence: "needed" | "optional" = "needed"): void {
    const value = this.fields[field];
    if (value === undefined && presence === "optional") return;
    if (typeof value !== "function") this.wrong(field, "a function");
    else if (isAsync(value))
      this.problems.push(
        `${this.path}.${field} is asynchronous, and has to return its result at once; record what you have to look up with session.mark()`,
      );
  }

  count(field: string, least = 0, presence: "needed" | "optional" = "needed"): void {
    const value = this.fields[field];
    if (value === undefined && presence === "optional") return;
    if (typeof value !== "number" || !Number.isFinite(value) || value < least)
      this.wrong(field, `a number from ${least} on`);
  }

  /** A share from 0 to below 1, or up to 1. */
  share(field: string, most: "below 1" | "1"): void {
    const value = this.fields[field];
    const fits = typeof value === "number" && value >= 0 && (most === "1" ? value <= 1 : value < 1);
    if (!fits) this.wrong(field, `a number from 0 to ${most}`);
  }

  oneOf(field: string, words: readonly string[]): void {
    if (!words.includes(this.fields[field] as string)) this.wrong(field, words.map((word) => `"${word}"`).join(" or "));
  }

  within(field: string, check: (fields: Check) => void, presence: "needed" | "optional" = "needed"): void {
    if (!this.isObject || (this.fields[field] === undefined && presence === "optional")) return;
    check(new Check(`${this.path}.${field}`, this.fields[field], this.problems));
  }

  /** Each object of a list. */
  each(field: string, check: (fields: Check) => void): readonly Check[] {
    const list = this.fields[field];
    if (!Array.isArray(list)) {
      this.wrong(field, "a list");
      return [];
    }
    return list.map((value, index) => {
      const fields = new Check(`${this.path}.${field}[${index}]`, value, this.problems);
      check(fields);
      return fields;
    });
  }
}

function isAsync(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object AsyncFunction]";
}

/** The engine reports and pauses rules by their names. */
function checkNames(rules: readonly Check[], what: string, reserved: readonly string[]): void {
  const known = new Map<unknown, string>();
  for (const { fields, path, problems } of rules) {
    const { name } = fields;
    if (typeof name !== "string") continue;
    const first = known.get(name);
    if (first !== undefined)
      problems.push(`${first} and ${path} are both called ${shown(name)}: give one of the ${what} another name`);
    else known.set(name, path);
    if (reserved.includes(name))
      problems.push(`${path} is called ${shown(name)}, which the engine uses: choose another name`);
  }
}

function checkStore(store: Check): void {
  store.text("name");
  store.pure("thresholdOf");
  for (const field of ["roundCharacters", "userMessageCharacters"]) {
    const value = store.fields[field];
    if (typeof value !== "number" || !(value >= LEAST_THRESHOLD))
      store.wrong(field, `a number from ${LEAST_THRESHOLD} on`);
  }
}

function checkClear(policy: Check): void {
  const rules = policy.each("clear", (rule) => {
    rule.text("name");
    rule.pure("propose");
  });
  checkNames(rules, "rules", SLOT_NAMES);
}

function checkCompact(compact: Check): void {
  compact.pure("when");
  compact.pure("range");
  if (typeof compact.fields["summary"] !== "function") compact.within("summary", checkSummary);
  checkParts(compact);
  compact.within("prepareAhead", checkPrepare, "optional");
  compact.oneOf("patience", ["wait", "when-required"]);
  if (compact.fields["patience"] === "when-required" && compact.fields["prepareAhead"] === undefined)
    compact.problems.push(
      `${compact.path}.patience is "when-required", which needs ${compact.path}.prepareAhead: add nearCompaction({...}), or write "wait"`,
    );
  compact.within("expect", checkExpectation);
  compact.share("minShrinkShare", "below 1");
}

function checkSummary(summary: Check): void {
  const { kind } = summary.fields;
  if (kind === "form") checkForm(summary);
  else if (kind === "function" || kind === "native") {
    summary.text("name");
    summary.within("otherwise", checkForm, kind === "native" ? "needed" : "optional");
    if (kind === "function") checkFunction(summary);
  } else if (kind !== "none") summary.wrong("kind", `"form", "function", "native" or "none"`);
}

/** Only this function of a policy may be asynchronous. */
function checkFunction(summary: Check): void {
  if (typeof summary.fields["write"] !== "function") summary.wrong("write", "a function");
  summary.count("timeoutMs", 1);
}

function checkForm(form: Check): void {
  form.oneOf("kind", ["form"]);
  form.text("name");
  form.count("maxTokens", 1);
  form.pure("prompt");
  form.pure("check");
  form.oneOf("ifUnmet", ["accept", "refuse"]);
  if (form.fields["model"] !== undefined) form.text("model");
}

function checkParts(compact: Check): void {
  const parts = compact.each("keep", (part) => {
    part.text("name");
    part.pure("plan");
    part.pure("render");
    part.within("budget", checkBudget);
    part.within("collect", checkCollector, "optional");
  });
  checkNames(parts, "parts", SLOT_NAMES);
  const shares = parts.map(({ fields }) => (fields["budget"] as Fields | undefined)?.["share"]);
  const sum = shares.reduce<number>((total, share) => total + (typeof share === "number" ? share : 0), 0);
  // Sums of decimal fractions are not exact.
  if (sum > 1 + 1e-9)
    compact.problems.push(`the shares of ${compact.path}.keep add up to ${sum.toFixed(2)}: reduce them to 1 or less`);
}

function checkBudget(budget: Check): void {
  budget.count("maxTokens");
  budget.share("share", "1");
  budget.count("minTokens", 0, "optional");
}

function checkCollector(collect: Check): void {
  collect.count("version");
  collect.count("maxBytes", 1);
  collect.pure("add");
  if (!isJson(collect.fields["empty"])) collect.wrong("empty", "a JSON value");
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

function checkPrepare(prepare: Check): void {
  prepare.text("name");
  prepare.pure("start");
  prepare.count("maxTailTokens");
}

function checkExpectation(expect: Check): void {
  expect.count("keptTokens");
  expect.count("outputTokens");
  expect.within("comesBack", (back) => {
    back.count("tokens");
    back.count("requests");
  });
}

function checkNotes(notes: Check): void {
  notes.text("name");
  notes.pure("update");
  notes.count("sectionTokens", 1);
  notes.count("totalTokens", 1);
  notes.within("keep", (keep) => {
    keep.count("tokens");
    keep.count("messages");
    keep.count("maxTokens");
  });
}

function checkCache(cache: Check): void {
  cache.text("name");
  cache.pure("head");
  cache.pure("conversation");
  cache.within(
    "keepWarm",
    (rule) => {
      rule.text("name");
      rule.pure("obstacle");
    },
    "optional",
  );
}

function checkWeigh(weigh: Check): void {
  weigh.count("horizonRequests", 1);
  for (const field of ["marginShare", "tieShare", "regrowShare", "freeShare"]) weigh.share(field, "below 1");
}
