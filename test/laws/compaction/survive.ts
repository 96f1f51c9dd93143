import { answer, callTools, idleClock, type Reply } from "@palimpsest/provider-simulator";
import {
  memoryResults,
  memoryStore,
  openSession,
  ProviderError,
  readStream,
  type Session,
  type SessionEvent,
  toolResult,
} from "palimpsest";
import type { SummaryWay } from "palimpsest/inspect";
import { type Case, type Turn, textOf } from "./histories.ts";
import { SUMMARIZERS } from "./summarizers.ts";
import { createWorld, type World } from "./worlds.ts";

/** What went wrong, for a law that does not hold. */
class BrokenLaw extends Error {}

/** How often that happened which is tested. */
export interface Survived {
  readonly requests: number;
  readonly refusals: number;
  readonly summaryCalls: number;
  readonly ways: readonly SummaryWay[];
  readonly outcomes: readonly string[];
}

/** The setting's default. */
const MAX_CALLS = 8;
/** Of a turn, on the session's clock: calls that hang and waits between tries are bounded, whatever the model does. */
const MAX_TURN_MS = 15 * 60_000;
/** A request is refused, made smaller, refused again ... */
const MAX_REFUSALS = 6;
/** What is shorter stands in every request whole. */
const SHORT_SHARE = 0.02;

/** The words of the model in a compacted view. */
const SUMMARY_OF_MODEL = /<marked-data from="summary">[\s\S]*?<\/marked-data>/g;

/** With `recall`: what is cut is named by its number. All are small, since the windows are. */
const TOOLS = ["Read", "look", "recall"].map((name) => ({ name, inputSchema: { type: "object" } }));

interface Statement {
  readonly entry: number;
  readonly text: string;
}

interface Life {
  readonly of: Case;
  readonly world: World;
  readonly clock: ReturnType<typeof idleClock>;
  readonly open: () => Promise<Session>;
  readonly events: SessionEvent[];
  session: Session;
  /** Of the user, in order. */
  readonly said: Statement[];
  /** Everything that can be recalled, by entry. */
  readonly content: Map<number, string>;
  readonly pins: string[];
  requests: number;
  refusals: number;
}

/** Lives through a case as a user's own loop would, and holds it to the laws of compaction. */
export async function survive(of: Case): Promise<Survived> {
  const life = await begin(of);
  for (const [index, turn] of of.turns.entries()) {
    await take(life, turn, index);
    await afterwards(life, turn, index);
  }
  await checkRecall(life);
  checkEvents(life.events);
  const explained = await life.session.history.explain();
  const records = explained.flatMap(({ compaction }) => (compaction === undefined ? [] : [compaction]));
  for (const { tokensBefore, tokensAfter, summary } of records) {
    if (tokensAfter > tokensBefore * 0.8) throw new BrokenLaw(`${summary.way}: ${tokensBefore} became ${tokensAfter}`);
  }
  await life.session.close();
  return {
    requests: life.requests,
    refusals: life.refusals,
    summaryCalls: life.world.asked(),
    ways: records.map(({ summary }) => summary.way),
    outcomes: life.events.flatMap((event) => (event.kind === "compaction-ended" ? [event.outcome.kind] : [])),
  };
}

async function begin(of: Case): Promise<Life> {
  const clock = idleClock(1_000);
  const { windowTokens } = of;
  const world = createWorld({
    ...of,
    clock,
    summarizer: SUMMARIZERS[of.summarizer]!,
    trueWindowTokens: Math.floor(windowTokens * of.trueShare),
  });
  const { provider, model, parameters } = world;
  const store = memoryStore({ clock, leaseMs: 0 });
  const files = memoryResults();
  const events: SessionEvent[] = [];
  const open = () =>
    openSession({
      id: "s",
      store,
      files,
      provider,
      model,
      parameters,
      clock,
      system: "Be brief.",
      tools: TOOLS,
      // Notes are asked for beside the conversation, at times that this does not control.
      settings: { notes: "off" },
      settingsFrom: { environment: {} },
      takeover: "always",
      onEvent: (event) => events.push(event),
    });
  const session = await open();
  const life: Life = {
    of,
    world,
    clock,
    open,
    events,
    session,
    said: [],
    content: new Map(),
    pins: [],
    requests: 0,
    refusals: 0,
  };
  await say(life, textOf(of.task, windowTokens, "the task"));
  for (const [index, text] of of.before.entries()) {
    const whole = textOf(text, windowTokens, `earlier ${index}`);
    if (index % 3 === 1) await say(life, whole);
    else if (index % 3 === 2) await said(life, whole);
    else await looked(life, whole, index);
  }
  return life;
}

async function say(life: Life, text: string): Promise<void> {
  const [entry] = await life.session.append(text);
  life.said.push({ entry: entry!, text });
  life.content.set(entry!, text);
}

async function said({ session, content }: Life, text: string): Promise<void> {
  const [entry] = await session.append({ role: "assistant", origin: "host", blocks: [{ kind: "text", text }] });
  content.set(entry!, text);
}

async function looked({ session, content }: Life, text: string, index: number): Promise<void> {
  const call = { kind: "tool_call", id: `earlier-${index}`, name: "look", input: { at: index } } as const;
  await session.append({ role: "assistant", origin: "host", blocks: [call] });
  const [entry] = await session.append(toolResult(call.id, text));
  content.set(entry!, text);
}

async function take(life: Life, turn: Turn, index: number): Promise<void> {
  const { of, world, clock, content } = life;
  await say(life, textOf(turn.say, of.windowTokens, `turn ${index}`));
  const calls = world.asked();
  const { newestEntry } = life.session.history;
  const beganMs = clock.now();
  for (let round = 0; round <= turn.rounds; round++) {
    const reply = round < turn.rounds ? calling(turn.calls, index, round) : answer(`Turn ${index} is done.`);
    const recorded = await ask(life, reply);
    for (const [place, { id }] of recorded.calls.entries()) {
      const text = textOf(turn.result, of.windowTokens, `result ${index}.${round}.${place}`);
      const [entry] = await life.session.append(toolResult(id, text));
      content.set(entry!, text);
    }
  }
  const made = world.asked() - calls;
  // A summary that a model wrote is worth its calls: the next may have as many.
  const since = (await life.session.history.explain()).filter(({ boundary }) => boundary > newestEntry);
  const budgets = 1 + since.filter(({ compaction }) => compaction?.summary.way !== "none").length;
  if (made > MAX_CALLS * budgets) throw new BrokenLaw(`${made} calls were made to compact in one turn`);
  const tookMs = clock.now() - beganMs;
  if (tookMs > MAX_TURN_MS) throw new BrokenLaw(`a turn took ${tookMs / 1_000} s`);
}

function calling(calls: number, turn: number, round: number): Reply {
  const words = Array.from({ length: calls }, (_, place) => {
    const name = place % 2 === 0 ? "Read" : "look";
    return { kind: "tool-call", name, input: { path: `src/${turn}/${round}/${place}.ts` } } as const;
  });
  return { words: [{ kind: "thinking", text: "Let me see." }, ...callTools(...words).words] };
}

async function ask(life: Life, reply: Reply) {
  const { session, world } = life;
  for (let refusals = 0; refusals <= MAX_REFUSALS; refusals++) {
    const request = await summarizing(life, () => session.prepare());
    life.requests++;
    checkRequest(life, request);
    try {
      const response = await send(world, request, reply);
      return await session.record(response, request);
    } catch (error) {
      if (!ProviderError.isInstance(error) || error.failure.kind !== "overflow") throw error;
      life.refusals++;
      const recovery = await summarizing(life, () => session.recover(error));
      if (recovery.kind === "give-up") throw new BrokenLaw(`given up: ${recovery.why}`, { cause: error });
    }
  }
  throw new BrokenLaw("refused for ever");
}

/** Whatever the model is asked meanwhile is for a summary. */
async function summarizing<Result>({ world }: Life, act: () => Promise<Result>): Promise<Result> {
  world.reply = undefined;
  return act();
}

async function send(world: World, request: object, reply: Reply): Promise<object> {
  world.reply = reply;
  return readStream(world.provider.send(request));
}

async function afterwards(life: Life, { afterwards: next }: Turn, index: number): Promise<void> {
  const { session } = life;
  switch (next) {
    case "compact": {
      const calls = life.world.asked();
      const before = session.history.newestEntry;
      const outcome = await summarizing(life, () => session.compact());
      if (outcome.kind === "failed" || outcome.kind === "aborted")
        throw new BrokenLaw(`compact: ${JSON.stringify(outcome)}`);
      if (outcome.kind === "nothing" && session.history.newestEntry !== before)
        throw new BrokenLaw("nothing wrote something");
      if (life.world.asked() - calls > MAX_CALLS) throw new BrokenLaw("too many calls by hand");
      return;
    }
    case "reopen": {
      await say(life, `«resumed ${index}» Go on.`);
      const request = await summarizing(life, () => session.prepare());
      life.session = await life.open();
      // In a process that was killed nothing goes on. Here a summary that is being prepared would.
      await session.close();
      const again = await summarizing(life, () => life.session.prepare());
      if (JSON.stringify(again) !== JSON.stringify(request)) throw new BrokenLaw("resumed is not live");
      return;
    }
    case "pin": {
      const text = `Pinned ${index}: never push to main without asking.`;
      await session.pins.add(text);
      life.pins.push(text);
      return;
    }
    case "come-back":
      await life.clock.wait(2 * 60 * 60_000);
      return;
    case "nothing":
      return;
  }
}

/** The task, the newest words of the user and the pins stand in every request: whole, and once. */
function checkRequest({ said, pins, of }: Life, request: object): void {
  // A summarizer that echoes may repeat the user's words in its summary. The engine's own copy stands outside.
  const isEchoed = of.summarizer.startsWith("echo");
  const texts = textsIn(request).map((one) => (isEchoed ? one.replaceAll(SUMMARY_OF_MODEL, "") : one));
  const text = texts.join("\n");
  const ends = new Set([said[0]!, said.at(-1)!]);
  for (const { entry, text: words } of ends) {
    const times = text.split(words).length - 1;
    if (times === 1) continue;
    const [name] = words.match(/«.*?»/)!;
    if (times > 1) throw new BrokenLaw(`${name} stands in the request ${times} times`);
    if (words.length < of.windowTokens * SHORT_SHARE) throw new BrokenLaw(`${name} is not in the request`);
    const previews = text.split(name).length - 1;
    if (previews !== 1) throw new BrokenLaw(`of ${name}, ${previews} previews are in the request`);
    if (!new RegExp(`\\b${entry}\\b`).test(text)) throw new BrokenLaw(`${name} is cut and its number not named`);
  }
  for (const pin of pins) {
    const times = text.split(pin).length - 1;
    if (times !== 1) throw new BrokenLaw(`${pin} stands in the request ${times} times`);
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** Byte for byte, in as many pieces as it takes. */
async function checkRecall({ session, content }: Life): Promise<void> {
  const entries = [...content.keys()];
  const some =
    entries.length <= 4 ? entries : [0, 1 / 3, 2 / 3, 1].map((at) => entries[Math.floor(at * (entries.length - 1))]!);
  for (const entry of some) {
    const whole = content.get(entry)!;
    let text = "";
    for (
      let place: { line: number; character: number } | undefined = { line: 1, character: 1 };
      place !== undefined;
    ) {
      const recalled = await session.recall({ entry, fromLine: place.line, fromCharacter: place.character });
      if (recalled.kind !== "text") throw new BrokenLaw(`entry ${entry} is recalled as ${recalled.kind}`);
      text += recalled.text;
      const next = recalled.next;
      if (next !== undefined && next.line > place.line && next.character === 1 && !text.endsWith("\n")) text += "\n";
      place = next;
    }
    if (text !== whole) throw new BrokenLaw(`entry ${entry} is recalled as something else`);
  }
}

function checkEvents(events: readonly SessionEvent[]): void {
  const open = new Map<string, number>();
  for (const event of events) {
    if (event.kind === "compaction-started") open.set(event.compaction, (open.get(event.compaction) ?? 0) + 1);
    if (event.kind === "compaction-ended") open.set(event.compaction, (open.get(event.compaction) ?? 0) - 1);
  }
  for (const [compaction, left] of open)
    if (left !== 0) throw new BrokenLaw(`${compaction} was told ${left} too often`);
}
