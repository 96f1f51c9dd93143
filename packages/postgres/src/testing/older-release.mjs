// The release before, built by scripts/freeze-postgres.ts. Never edited.
import { hostname } from "node:os";
import { createHash, hash, randomBytes, randomUUID } from "node:crypto";
// packages/palimpsest/src/log/palimpsest-error.ts
/** The base class of all errors of this library. Each class has a stable code, and fields with the numbers that explain the error. */
var PalimpsestError = class extends Error {
	constructor(message, options) {
		super(message, options);
		this.name = new.target.name;
	}
	/** Works across copies of this package, where `instanceof` does not. Call it on the error class. */
	static isInstance(error) {
		return error instanceof Error && "code" in error && error.code === this.code;
	}
};
// packages/palimpsest/src/stores/assert-storable.ts
/** An entry that a store could not give back as it was. Nothing was written. */
var InvalidEntryError = class InvalidEntryError extends PalimpsestError {
	static code = "invalid-entry";
	code = InvalidEntryError.code;
	sequence;
	field;
	constructor(entry) {
		super(`Entry ${entry.sequence} was not appended: its ${entry.field} ${entry.reason}.`);
		this.sequence = entry.sequence;
		this.field = entry.field;
	}
};
/** Rejects entries that a database would return changed. */
function assertStorable(entries) {
	for (const { sequence, parent, kind, version, atMs, digest, hash, payload = "" } of entries) {
		for (const [field, value] of Object.entries({
			sequence,
			parent,
			version
		})) if (!Number.isSafeInteger(value)) throw new InvalidEntryError({
			sequence,
			field,
			reason: `is ${value}, no integer`
		});
		if (!Number.isFinite(atMs)) throw new InvalidEntryError({
			sequence,
			field: "atMs",
			reason: `is ${atMs}`
		});
		for (const [field, value] of Object.entries({
			kind,
			digest,
			hash,
			payload
		})) {
			if (!value.isWellFormed()) throw new InvalidEntryError({
				sequence,
				field,
				reason: "has half a surrogate pair"
			});
			if (value.includes("\0")) throw new InvalidEntryError({
				sequence,
				field,
				reason: "has a NUL character"
			});
		}
	}
}
// packages/palimpsest/src/log/search-text.ts
const MAX_WORD_LENGTH = 64;
const UNSPACED = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}";
const WORD = new RegExp(`[${UNSPACED}]|[[\\p{L}\\p{N}\\p{M}]--[${UNSPACED}]]+`, "gv");
const ACCENTS = /[\u0300-\u036f]+/g;
const SNIPPET_CHARACTERS = 200;
/** The words of a text, in order. */
function wordsOf(text) {
	return ((isAscii(text) ? text.toLowerCase().match(/[a-z0-9]+/g) : text.match(WORD)?.map(fold)) ?? []).filter((word) => word !== "").map((word) => word.slice(0, MAX_WORD_LENGTH));
}
/**
* What a query asks for: words, or several "in quotes", all of which must occur. Nothing in it has any other meaning,
* because it comes from a model.
*/
function readQuery(query) {
	return (query.match(/"[^"]*"|[^\s"]+/g) ?? []).map(wordsOf).filter((phrase) => phrase.length > 0);
}
function isMatch(text, phrases) {
	const words = ` ${wordsOf(text).join(" ")}`;
	return phrases.every((phrase) => words.includes(` ${phrase.join(" ")}`));
}
/** What stands around the place where the first phrase occurs, on one line. */
function snippetOf(text, phrases) {
	const at = placeOf(text, phrases[0] ?? []);
	const from = Math.max(0, at - SNIPPET_CHARACTERS / 4);
	const to = from + SNIPPET_CHARACTERS;
	const whole = text.slice(from, to).replace(/\s+/g, " ").trim().replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "").toWellFormed();
	return `${from > 0 ? "..." : ""}${whole}${to < text.length ? "..." : ""}`;
}
function placeOf(text, phrase) {
	const isAt = (words, index) => phrase.every((wanted, offset) => {
		const word = words[index + offset]?.word ?? "";
		return offset === phrase.length - 1 ? word.startsWith(wanted) : word === wanted;
	});
	const words = [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
		word: fold(word).slice(0, MAX_WORD_LENGTH),
		index
	})).filter(({ word }) => word !== "");
	return words[words.findIndex((_, index) => isAt(words, index))]?.index ?? 0;
}
function fold(word) {
	return isAscii(word) ? word.toLowerCase() : word.toLowerCase().normalize("NFD").replace(ACCENTS, "");
}
function isAscii(text) {
	return /^[\x00-\x7f]*$/.test(text);
}
// packages/palimpsest/src/log/payload.ts
/** The payload versions that this release writes. It reads these and all earlier versions. */
const PAYLOAD_VERSIONS = {
	message: 1,
	attachment: 1,
	configuration: 1,
	request: 1,
	usage: 1,
	replace: 1,
	restore: 1,
	boundary: 1,
	rewind: 1,
	fork: 1,
	pin: 1,
	unpin: 1,
	notes: 1,
	attempt: 1,
	overflow: 1,
	agent: 1,
	mark: 1,
	key: 1,
	erased: 1
};
// packages/palimpsest/src/log/read-payload.ts
/** The payload of an entry as a value; entries that this release cannot read are passed over, never dropped. */
function readPayload(entry) {
	const { sequence, version, payload } = entry;
	const kind = withoutName(entry.kind);
	if (!isKnown(kind) || version > PAYLOAD_VERSIONS[kind]) return {
		kind: "passed-over",
		sequence,
		why: "later"
	};
	if (payload === void 0) return {
		kind: "passed-over",
		sequence,
		why: "erased"
	};
	return readDraft({
		kind,
		version,
		payload
	}, sequence) ?? {
		kind: "passed-over",
		sequence,
		why: "malformed"
	};
}
/** What an entry in the making will be read as; undefined if it is not what its kind says. */
function readDraft(draft, sequence = 0) {
	const value = parse(draft.payload);
	const kind = withoutName(draft.kind);
	return isKnown(kind) && isRecord(value) && SHAPES[kind](value) ? {
		kind,
		sequence,
		payload: value
	} : void 0;
}
/** The kind of an entry without the name by which it is sought: `key:5d41` is a `key`. */
function withoutName(kind) {
	const end = kind.indexOf(":");
	return end < 0 ? kind : kind.slice(0, end);
}
function parse(text) {
	try {
		return JSON.parse(text);
	} catch {
		return;
	}
}
/** Only what the fold relies on: the chain of hashes already says that the text is what was written. */
const SHAPES = {
	message: (value) => isMessage(value) && (value["stored"] === void 0 || isStored(value["stored"])),
	attachment: ({ type, blocks, provenance }) => isText(type) && isListOf(blocks, isBlock) && isProvenance(provenance),
	configuration: ({ provider, model, system, tools, parameters }) => isText(provider) && isText(model) && isHeld(system, isText) && isHeld(tools, isTools) && isRecord(parameters),
	request: ({ maxTokens }) => isCount(maxTokens),
	usage: ({ responseId, freshTokens, cacheReadTokens, cacheWriteTokens, outputTokens }) => isText(responseId) && [
		freshTokens,
		cacheReadTokens,
		cacheWriteTokens,
		outputTokens
	].every(isCount),
	replace: (value) => isRange(value) && isListOf(value["with"], isReplacement),
	restore: (value) => isRange(value) && isCount(value["of"]),
	boundary: (value) => isRange(value) && isListOf(value["with"], isReplacement) && isListOf(value["outline"], isRange) && isState(value["state"]),
	rewind: ({ ledger, sharedTo }) => isRecord(ledger) && isCount(sharedTo),
	fork: ({ session, sequence, hash, source }) => [
		session,
		hash,
		source
	].every(isText) && isCount(sequence),
	pin: ({ text }) => isText(text),
	unpin: ({ of }) => isCount(of),
	notes: ({ markdown, coveredTo }) => isText(markdown) && isCount(coveredTo),
	attempt: ({ trigger, failure, why }) => [
		trigger,
		failure,
		why
	].every(isText),
	overflow: ({ inputTokens = 0, limitTokens = 0 }) => isCount(inputTokens) && isCount(limitTokens),
	agent: ({ id, step, goal = "", session = "" }) => [
		id,
		step,
		goal,
		session
	].every(isText),
	mark: ({ name, coveredTo }) => isText(name) && isCount(coveredTo),
	erased: ({ was, entry, stub }) => isCount(entry) && isRecord(stub) && isStub(was, stub),
	key: ({ key, entries }) => isText(key) && isCount(entries)
};
/** What each kind of block must have. */
const BLOCKS = {
	text: ({ text, provenance }) => isText(text) && isProvenance(provenance),
	thinking: ({ provider, text }) => isText(provider) && isText(text),
	tool_call: ({ id, name }) => isText(id) && isText(name),
	tool_result: ({ callId, content }) => isText(callId) && (isText(content) || isListOf(content, isPart)),
	image: ({ source }) => isSource(source),
	document: ({ source }) => isSource(source),
	opaque: ({ native }) => isRecord(native) && isText(native["provider"]) && isRecord(native["block"])
};
const isKnown = (kind) => Object.hasOwn(PAYLOAD_VERSIONS, kind);
const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value) => typeof value === "string";
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
const isListOf = (value, is) => Array.isArray(value) && value.every((element) => is(element));
const isRange = (value) => isRecord(value) && isCount(value["from"]) && isCount(value["to"]);
const isBlock = (value) => isRecord(value) && isText(value["kind"]) && Object.hasOwn(BLOCKS, value["kind"]) && BLOCKS[value["kind"]]?.(value) === true;
/** Kinds of later releases are read, too: what is not known is marked as data. */
const isProvenance = (value) => value === void 0 || isRecord(value) && isText(value["kind"]);
const isPart = (value) => isBlock(value) && ![
	"thinking",
	"tool_call",
	"tool_result"
].includes(value.kind);
const isSource = (value) => isRecord(value) && (isText(value["url"]) || isText(value["mediaType"]) && isText(value["data"]));
const isMessage = (value) => isRecord(value) && (value["role"] === "user" || value["role"] === "assistant") && isListOf(value["blocks"], isBlock) && isProvenance(value["provenance"]);
const isStub = (was, stub) => was === "message" ? isMessage(stub) : was === "attachment" && isText(stub["type"]) && isListOf(stub["blocks"], isBlock);
const isReplacement = (value) => isMessage(value) && ["undefined", "string"].includes(typeof value.attachment);
const isStored = (value) => isRecord(value) && isText(value["file"]) && isText(value["digest"]) && isCount(value["bytes"]) && isCount(value["lines"]);
const isTools = (value) => isListOf(value, (tool) => isRecord(tool) && isText(tool["name"]) && isRecord(tool["inputSchema"]));
const isHeld = (value, is) => isRecord(value) && (isCount(value["heldBy"]) || is(value["value"]));
const isState = (value) => isRecord(value) && isCount(value["configuration"]) && isRecord(value["ledger"]);
// packages/palimpsest/src/log/entry-text.ts
/**
* The text of an entry, for search and recall. Undefined if it has none (a request, a usage report) or its payload is erased. A
* message with one text block is that text, unchanged; other messages have one part per line. Thinking is left out, because it
* belongs to the provider and is often unreadable.
*/
function entryText(entry) {
	const read = readPayload(entry);
	switch (read.kind) {
		case "message":
		case "attachment": return blocksText(read.payload.blocks);
		case "replace":
		case "boundary": return read.payload.with.map(({ blocks }) => blocksText(blocks)).join("\n");
		default: return;
	}
}
function blocksText(blocks) {
	return blocks.flatMap(blockTexts).join("\n");
}
function blockTexts(block) {
	switch (block.kind) {
		case "text": return [block.text];
		case "thinking": return [];
		case "tool_call": return [`[call of ${block.name}] ${JSON.stringify(block.input) ?? ""}`];
		case "tool_result": return typeof block.content === "string" ? [block.content] : block.content.flatMap(blockTexts);
		case "image":
		case "document": return [mediaText(block)];
		case "opaque": return [];
	}
}
function mediaText({ kind, source }) {
	return source.kind === "url" ? `[${kind}: ${source.url}]` : `[${kind}: ${source.mediaType}]`;
}
// packages/coordination/src/mail/message.ts
const DEFAULT_MAIL_LIMITS = {
	maxMessageBytes: 262144,
	maxWaiting: 1e4
};
/** No `*`, no `:` and no `/`: a name must differ from "all", from `uds:<path>` and from a path. */
const NAME$1 = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
const PLAIN = /^[^\s/\p{Cc}]{1,200}$/u;
/** Names of teams and agents. */
function isName(name) {
	return NAME$1.test(name);
}
/** No spaces, no control characters, no `/`. */
function isId(id) {
	return PLAIN.test(id) && id.isWellFormed();
}
/** And no `:`, so that the keys of outside messages differ from those of agents. */
function isSession(id) {
	return isId(id) && !id.includes(":");
}
/** Returns why a message cannot be stored; undefined if it can. */
function checkDraft(draft, { maxMessageBytes }) {
	const { id, body, summary = "", inReplyTo } = draft;
	for (const [field, value] of Object.entries({
		id,
		inReplyTo: inReplyTo ?? id
	})) if (!isId(value)) return refuse("bad-id", `The ${field} must be 1 to 200 characters without spaces, control characters and "/".`);
	if (!body.isWellFormed() || !summary.isWellFormed()) return refuse("not-well-formed", "The text has half a surrogate pair: it was cut within a character.");
	const bytes = Buffer.byteLength(body) + Buffer.byteLength(summary);
	if (bytes > maxMessageBytes) return refuse("too-large", `The message has ${bytes} bytes; the limit is ${maxMessageBytes}. Write it to a file, and send where it is.`);
}
function refuse(because, why) {
	return {
		kind: "refused",
		because,
		why
	};
}
function refuseTakenId({ id }) {
	return refuse("id-taken", `The id ${id} was used for another message. Use a new one.`);
}
/** @param names all of the team */
function refuseUnknown({ to }, names) {
	const there = `There are: ${names.join(", ")}.`;
	return refuse("no-such-address", `Nobody in the team is called ${JSON.stringify(to)}. ${there}`);
}
function refuseFull(names, { maxWaiting }) {
	return refuse("mailbox-full", `${maxWaiting} messages wait for ${names.join(", ")}. Send again when some were read.`);
}
/** Identifies the message behind a sender's id. */
function digestOf({ to, kind = "message", body, summary, inReplyTo }) {
	return hash("sha256", JSON.stringify([
		to,
		kind,
		body,
		summary ?? null,
		inReplyTo ?? null
	]), "hex");
}
function toKey(session, id) {
	return `${session}/${id}`;
}
function fromKey(key) {
	const [session = "", id = ""] = key.split("/", 2);
	return {
		session,
		id
	};
}
// packages/coordination/src/mail/wait-for-mail.ts
/** Looks for mail whenever something may have arrived, until there is some or the wait is over. */
async function waitForMail({ wakeUp, ended, look }, { timeoutMs, signal } = {}) {
	const signals = [ended, ...[signal, timeoutMs === void 0 ? void 0 : AbortSignal.timeout(timeoutMs)]].filter((each) => each !== void 0);
	const rings = listenTo(wakeUp, signals);
	try {
		for (;;) {
			if (ended.aborted) return "lost";
			const found = await look();
			if (found !== "none") return found;
			if (signals.some(({ aborted }) => aborted)) return ended.aborted ? "lost" : "over";
			await rings.next();
		}
	} finally {
		rings.stop();
	}
}
/** `next` resolves when a wake-up or a signal came since the last call. */
function listenTo(wakeUp, signals) {
	let rung = Promise.withResolvers();
	const ring = () => rung.resolve();
	const listening = wakeUp.listen(ring);
	for (const signal of signals) signal.addEventListener("abort", ring);
	return {
		async next() {
			await rung.promise;
			rung = Promise.withResolvers();
		},
		stop() {
			listening.stop();
			for (const signal of signals) signal.removeEventListener("abort", ring);
		}
	};
}
// packages/coordination/src/mail/mailboxes.ts
/** Returns why an address cannot be registered; undefined if it can. */
function checkRegistration({ team, name, session }) {
	for (const value of [team, name]) if (!isName(value)) return {
		kind: "refused",
		because: "bad-name",
		why: badName(value)
	};
	if (isSession(session)) return void 0;
	return {
		kind: "refused",
		because: "bad-id",
		why: `${JSON.stringify(session)} is no id of a session.`
	};
}
function badName(name) {
	return `${JSON.stringify(name)} is no name: use 1 to 64 of A-Z a-z 0-9 _ . - and begin with a letter, a digit or _.`;
}
// packages/palimpsest/src/log/invalid-option-error.ts
const MAX_SHOWN = 200;
/** An invalid option or argument: its name, the given value, and what is needed. */
var InvalidOptionError = class InvalidOptionError extends PalimpsestError {
	static code = "invalid-option";
	code = InvalidOptionError.code;
	option;
	value;
	constructor(option, value, needed, message) {
		super(message ?? `${option} is ${shown(value)}; it must be ${needed}.`);
		this.option = option;
		this.value = value;
	}
};
function shown(value) {
	if (value === void 0) return "missing";
	if (typeof value === "function") return "a function";
	let text;
	try {
		text = JSON.stringify(value) ?? String(value);
	} catch {
		text = Object.prototype.toString.call(value);
	}
	return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}
// packages/palimpsest/src/stores/metadata.ts
/** The size limit of a session's metadata, as JSON in UTF-8: lists stay fast, and content belongs in the log. */
const MAX_METADATA_BYTES = 16384;
/** Returns the metadata as JSON text. Throws an `InvalidOptionError` if a store could not return the same value. */
function toMetadataText(metadata) {
	const text = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata) ? JSON.stringify(metadata) : void 0;
	if (text === void 0) throw new InvalidOptionError("setMetadata(session, metadata)", metadata, "a JSON object");
	const bytes = new TextEncoder().encode(text).length;
	if (bytes <= 16384) return text;
	throw new InvalidOptionError("setMetadata(session, metadata)", metadata, "smaller", `The metadata takes ${bytes} bytes as JSON; at most ${MAX_METADATA_BYTES} are kept. Leave something out.`);
}
/** Parses metadata; undefined for an invalid text. */
function fromMetadataText(text) {
	try {
		const value = JSON.parse(text);
		return typeof value === "object" && value !== null && !Array.isArray(value) ? value : void 0;
	} catch {
		return;
	}
}
// packages/postgres/src/check-name.ts
/** What can be a key, and is ordered in the same way everywhere. */
const NAME = /^[\x21-\x7e]{1,200}$/;
/** Returns the name of a session or a tenant, if it can be one. */
function checkName(option, name) {
	if (typeof name === "string" && NAME.test(name)) return name;
	throw new InvalidOptionError(option, name, "1 to 200 visible ASCII characters without spaces");
}
// packages/postgres/src/database-error.ts
const REMEDIES = {
	"not-migrated": "the schema is missing or older than this release. Run migrate(pool) as an administrator",
	"no-permission": "this role may not do it. GRANT palimpsest_worker to it",
	"too-many-connections": "the server has too many connections or too little memory. Use a smaller pool, or a pooler",
	"disk-full": "the server's disk is full. Free some space and try again",
	unreachable: "the server cannot be reached, or is stopping. Whether the statement was done is not known. Try again",
	conflict: "another transaction was in the way. Try again",
	refused: "the server refused the statement"
};
/** PostgreSQL refused, or could not be reached. */
var DatabaseError = class DatabaseError extends PalimpsestError {
	static code = "database-failed";
	code = DatabaseError.code;
	reason;
	/** PostgreSQL's own code, if it answered. */
	sqlState;
	constructor(statement, reason, { sqlState, cause, remedy }) {
		const told = cause instanceof Error ? cause.message : String(cause);
		super(`${statement}: ${remedy ?? REMEDIES[reason]} (${told}).`, { cause });
		this.reason = reason;
		this.sqlState = sqlState;
	}
};
const REASONS = [
	["3F000", "not-migrated"],
	["42883", "not-migrated"],
	["42P01", "not-migrated"],
	["42501", "no-permission"],
	["28", "no-permission"],
	["53100", "disk-full"],
	["53", "too-many-connections"],
	["57P", "unreachable"],
	["08", "unreachable"],
	["40", "conflict"],
	["55P03", "conflict"]
];
/** @param remedy what to do, where more is known than PostgreSQL's code says */
function toDatabaseError(statement, error, remedy) {
	const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
	if (!/^[0-9A-Z]{5}$/.test(code)) return new DatabaseError(statement, "unreachable", { cause: error });
	return new DatabaseError(statement, REASONS.find(([start]) => code.startsWith(start))?.[1] ?? "refused", {
		sqlState: code,
		cause: error,
		remedy
	});
}
// packages/postgres/src/database.ts
/** No statement has a name and nothing is set for longer than a transaction: a pooler may change connections in between. */
function createDatabase(pool) {
	return { async call(name, values, columns = "*") {
		const parameters = values.map((_, index) => `$${index + 1}`).join(", ");
		try {
			const { rows } = await pool.query(`SELECT ${columns} FROM palimpsest.${name}(${parameters})`, [...values]);
			return rows;
		} catch (error) {
			throw toDatabaseError(name, error);
		}
	} };
}
// packages/postgres/src/coordination/postgres-leases.ts
/** Only silence takes a lease from its owner: nobody can tell whether a process on another machine is alive. */
function createPostgresLeases(options) {
	const { database, tenant, silentAfterMs, nowMs, onTaken } = options;
	const { host, pid } = options.process;
	return {
		async take(name, { owner }) {
			const holder = randomUUID();
			const values = [
				tenant,
				name,
				holder,
				owner,
				host,
				pid,
				nowMs(),
				silentAfterMs
			];
			const [row] = await database.call("take_lease", values);
			if (row?.["outcome"] === "held") return {
				kind: "held",
				by: toOwner(row)
			};
			const lease = createLease(options, name, holder, row);
			onTaken(lease);
			return {
				kind: "taken",
				lease
			};
		},
		async read(name) {
			const [row] = await database.call("read_lease", [tenant, name]);
			return {
				failures: Number(row?.["failures"] ?? 0),
				...present("lastTriedAtMs", row?.["last_tried_at_ms"]),
				...present("lastDoneAtMs", row?.["last_done_at_ms"]),
				...present("lastScanAtMs", row?.["last_scan_at_ms"]),
				...row?.["state"] === "held" ? { holder: toOwner(row) } : {}
			};
		},
		async confirm(name) {
			await database.call("confirm_lease", [tenant, name]);
		},
		async touch(name, { everyMs }) {
			const [row] = await database.call("touch_lease", [
				tenant,
				name,
				everyMs,
				nowMs()
			]);
			return row?.["touch_lease"] === true ? "touched" : "recent";
		}
	};
}
function createLease({ database, pool, tenant, nowMs }, name, holder, row) {
	const generation = Number(row["generation"]);
	const key = [
		tenant,
		name,
		generation,
		holder
	];
	const isDone = async (call, ...values) => (await database.call(call, [...key, ...values]))[0]?.[call] === true;
	return {
		name,
		generation,
		takenAtMs: Number(row["now_at_ms"]),
		failures: Number(row["failures"]),
		...present("lastDoneAtMs", row["last_done_at_ms"]),
		...row["outcome"] === "reclaimed" ? { reclaimed: {
			from: toOwner(row),
			because: "silent"
		} } : {},
		renew: async () => await isDone("renew_lease", nowMs()) ? "held" : "lost",
		check: async () => await isDone("hold_lease") ? "held" : "lost",
		async guard(write) {
			const client = await pool.connect();
			let outcome = "broken";
			try {
				await client.query("BEGIN");
				const [held] = await createDatabase(client).call("hold_lease", key);
				const value = held?.["hold_lease"] === true ? {
					kind: "done",
					value: await write()
				} : void 0;
				await client.query("COMMIT");
				outcome = "whole";
				return value ?? { kind: "lost" };
			} finally {
				client.release(outcome === "broken");
			}
		},
		finish: async (outcome) => await isDone("finish_lease", outcome) ? "finished" : "lost"
	};
}
function toOwner(row) {
	return {
		owner: String(row["owner"]),
		host: String(row["host"]),
		pid: Number(row["pid"]),
		takenAtMs: Number(row["taken_at_ms"]),
		renewedAtMs: Number(row["renewed_at_ms"])
	};
}
/** An object with the time under this name; an empty one if there is none. */
function present(name, value) {
	return value === null || value === void 0 ? {} : { [name]: Number(value) };
}
// packages/postgres/src/coordination/postgres-mailbox.ts
/** A process that does nothing else with its mailbox still says this often that it is alive, in parts of the allowed silence. */
const RENEWALS = 3;
function createPostgresMailbox(options) {
	const { database, tenant, address, token, silentAfterMs, pollMs, limits, nowMs } = options;
	const { team, name, session } = address;
	const own = [
		tenant,
		team,
		name,
		token
	];
	const renewMs = silentAfterMs / RENEWALS;
	const ended = new AbortController();
	let receivedThrough = 0;
	let lastSent = Promise.resolve();
	const look = async () => {
		const [row] = await database.call("look_for_mail", [
			...own,
			receivedThrough,
			nowMs(),
			renewMs
		]);
		return row?.["look_for_mail"];
	};
	const renewal = setInterval(() => void look().catch(() => void 0), renewMs).unref();
	async function sendNow(draft) {
		const { to, id, kind = "message", inReplyTo = null, summary, body } = draft;
		const content = [
			digestOf(draft),
			kind,
			inReplyTo,
			summary === void 0 ? null : toBytes(summary),
			toBytes(body)
		];
		const receiver = to === "*" || isName(to) ? to : "";
		const values = [
			...own,
			receiver,
			id,
			...content,
			limits.maxWaiting,
			nowMs(),
			silentAfterMs
		];
		return toOutcome(draft, await database.call("send_message", values), options);
	}
	return {
		team,
		name,
		session,
		send(draft) {
			const refused = checkDraft(draft, limits);
			if (refused !== void 0) return Promise.resolve(refused);
			const sent = lastSent.then(() => sendNow(draft));
			lastSent = sent.catch(() => void 0);
			return sent;
		},
		async receive({ limit = 100 } = {}) {
			const rows = await database.call("receive_messages", [
				...own,
				limit,
				nowMs(),
				renewMs
			]);
			if (rows.length === 0) return { kind: "lost" };
			const found = rows.filter((row) => row["number"] !== null);
			receivedThrough = Math.max(receivedThrough, Number(found.at(-1)?.["number"] ?? 0));
			return {
				kind: "received",
				messages: found.map((row) => toMessage(team, row))
			};
		},
		async acknowledge(keys) {
			const seen = keys.map(fromKey).filter((key) => isId(key.session) && isId(key.id));
			const [sessions, ids] = [seen.map((key) => key.session), seen.map(({ id }) => id)];
			const [row] = await database.call("acknowledge_messages", [
				...own,
				sessions,
				ids,
				nowMs(),
				renewMs
			]);
			return row?.["acknowledge_messages"] === true ? "acknowledged" : "lost";
		},
		wait: (wait) => waitForMail({
			wakeUp: { listen: pollEvery(pollMs) },
			ended: ended.signal,
			look
		}, wait),
		async stop() {
			if (ended.signal.aborted) return;
			ended.abort();
			clearInterval(renewal);
			await database.call("stop_address", own);
		}
	};
}
function pollEvery(pollMs) {
	return (onRing) => {
		const timer = setInterval(onRing, pollMs);
		return { stop: () => clearInterval(timer) };
	};
}
function toOutcome(draft, rows, { address, limits }) {
	const { team } = address;
	const { sent = [], full = [], ...other } = Object.groupBy(rows, (row) => String(row["outcome"]));
	const namesOf = (named) => named.map((row) => String(row["name"]));
	if (other["lost"] !== void 0) return { kind: "lost" };
	if (other["id-taken"] !== void 0) return refuseTakenId(draft);
	if (other["no-such-address"] !== void 0) return refuseUnknown(draft, namesOf(other["no-such-address"]));
	if (sent.length === 0 && full.length > 0) return refuseFull(namesOf(full), limits);
	return {
		kind: "sent",
		receivers: sent.map((row) => toAddress(team, row)),
		full: namesOf(full)
	};
}
function toAddress(team, row) {
	const { name, session, state, socket, host, pid } = row;
	return {
		team,
		name,
		session,
		state,
		...socket === null ? {} : { socket },
		host,
		pid
	};
}
function toMessage(team, row) {
	const [id, name, session] = [
		String(row["id"]),
		String(row["sender_name"]),
		String(row["sender_session"])
	];
	const { summary, in_reply_to: inReplyTo } = row;
	return {
		key: toKey(session, id),
		id,
		from: {
			kind: "agent",
			team,
			name,
			session
		},
		kind: row["kind"],
		body: toText(row["body"]),
		...summary === null ? {} : { summary: toText(summary) },
		...inReplyTo === null ? {} : { inReplyTo: String(inReplyTo) },
		sentAtMs: Number(row["sent_at_ms"])
	};
}
function toBytes(text) {
	return Buffer.from(text);
}
function toText(bytes) {
	return Buffer.from(bytes).toString();
}
// packages/postgres/src/coordination/postgres-mailboxes.ts
/** Only silence frees a name: nobody can tell whether a process on another machine is alive. */
function createPostgresMailboxes(options) {
	const { database, tenant, silentAfterMs, nowMs, onRegistered } = options;
	const { host, pid } = options.process;
	return {
		async register({ team, name, session, socket, takeover = "if-free" }) {
			const refused = checkRegistration({
				team,
				name,
				session
			});
			if (refused !== void 0) return refused;
			const token = randomBytes(32).toString("hex");
			const values = [
				tenant,
				team,
				name,
				...[
					session,
					token,
					socket ?? null,
					host,
					pid
				],
				takeover,
				nowMs(),
				silentAfterMs
			];
			const [holder] = await database.call("register_address", values);
			if (holder !== void 0) return {
				kind: "taken",
				by: toAddress(team, holder)
			};
			const mailbox = createPostgresMailbox({
				...options,
				address: {
					team,
					name,
					session
				},
				token
			});
			onRegistered(mailbox);
			return {
				kind: "registered",
				mailbox
			};
		},
		async addresses(team) {
			return (await database.call("list_addresses", [
				tenant,
				team,
				nowMs(),
				silentAfterMs
			])).map((row) => toAddress(team, row));
		},
		async disband(team) {
			const [row] = await database.call("disband_team", [
				tenant,
				team,
				nowMs(),
				silentAfterMs
			]);
			const names = row?.["disband_team"];
			return names.length > 0 ? {
				kind: "running",
				names
			} : { kind: "disbanded" };
		}
	};
}
// packages/postgres/src/coordination/open-postgres-coordination.ts
/**
* Keeps what the processes of a service share in PostgreSQL, on any number of machines: leases, daily budgets and mailboxes of one
* tenant. Run `migrate` before.
*/
function openPostgresCoordination(options) {
	const { pool, clock, silentAfterMs = 3e5, pollMs = 2e3 } = options;
	const { maxMessageBytes, maxWaiting } = {
		...DEFAULT_MAIL_LIMITS,
		...options
	};
	const tenant = checkName("tenant", options.tenant);
	const nowMs = () => clock?.now() ?? null;
	const database = createDatabase(pool);
	const taken = /* @__PURE__ */ new Set();
	const registered = /* @__PURE__ */ new Set();
	const shared = {
		database,
		tenant,
		nowMs,
		silentAfterMs,
		process: {
			host: hostname(),
			pid: process.pid
		}
	};
	return {
		leases: createPostgresLeases({
			...shared,
			pool,
			onTaken: (lease) => taken.add(lease)
		}),
		budgets: { daily: (name, limitTokens) => ({
			async leftTokens() {
				const [row] = await database.call("spent_tokens", [
					tenant,
					name,
					nowMs()
				]);
				return limitTokens - Number(row?.["spent_tokens"]);
			},
			async spend(tokens) {
				await database.call("spend_tokens", [
					tenant,
					name,
					tokens,
					nowMs()
				]);
			}
		}) },
		mailboxes: createPostgresMailboxes({
			...shared,
			pollMs,
			limits: {
				maxMessageBytes,
				maxWaiting
			},
			onRegistered: (mailbox) => registered.add(mailbox)
		}),
		async close() {
			for (const mailbox of registered) await mailbox.stop().catch(() => {});
			for (const lease of taken) await lease.finish("killed").catch(() => {});
		}
	};
}
// packages/postgres/src/migrations/migration-sql.ts
const LOCK = 1348553839;
/** The roles: who owns the tables, who serves sessions, who may list tenants. */
const ROLES = [
	"palimpsest_owner",
	"palimpsest_worker",
	"palimpsest_operator"
];
/** Roles belong to all databases of a server: another migration may create them at the same moment. */
const BEGINNING = `DO $$
DECLARE
  v_role text;
BEGIN
  FOREACH v_role IN ARRAY ARRAY[${ROLES.map((role) => `'${role}'`).join(", ")}] LOOP
    -- Where an administrator has created them, the right to create roles is not needed.
    IF to_regrole(v_role) IS NULL THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', v_role);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
      END;
    END IF;
  END LOOP;
  -- From PostgreSQL 16 on, who has created a role is a member that cannot act as this role.
  IF NOT pg_has_role('palimpsest_owner', CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END) THEN
    EXECUTE format('GRANT palimpsest_owner TO %I', current_user);
  END IF;
  -- What stands there is not announced as a notice again and again.
  IF to_regclass('palimpsest.migration') IS NULL THEN
    IF to_regnamespace('palimpsest') IS NULL THEN CREATE SCHEMA palimpsest AUTHORIZATION palimpsest_owner; END IF;
    SET LOCAL ROLE palimpsest_owner;
    CREATE TABLE palimpsest.migration (number integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
    GRANT SELECT ON palimpsest.migration TO palimpsest_worker;
  END IF;
END $$`;
/** The owner is a role of its own without any rights elsewhere, so that row-level security binds it, too. */
function migrationSql(number, sql) {
	return `SET LOCAL ROLE palimpsest_owner;
SET LOCAL search_path = palimpsest, pg_temp;
DO $migration$ BEGIN
  IF EXISTS (SELECT FROM palimpsest.migration WHERE number = ${number}) THEN RETURN; END IF;
  EXECUTE $sql$${sql}$sql$;
  INSERT INTO palimpsest.migration (number) VALUES (${number});
END $migration$;`;
}
// packages/postgres/src/migrations/explain-refusal.ts
/** The statements that an administrator has to run before this role can migrate; undefined if none is known. */
async function findMissingRights(pool) {
	const { rows } = await pool.query(`SELECT quote_ident(current_user) AS role, quote_ident(current_database()) AS database,
      (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) AS creates_roles,
      ARRAY(SELECT name FROM unnest($1::text[]) AS name WHERE to_regrole(name) IS NULL) AS absent,
      coalesce(pg_has_role(to_regrole('palimpsest_owner'), 'MEMBER'), false) AS acts_as_owner,
      has_database_privilege(current_database(), 'CREATE') OR to_regnamespace('palimpsest') IS NOT NULL AS creates_schema`, [ROLES]);
	const found = rows[0];
	const { role, database } = found;
	const statements = [
		...found.creates_roles ? [] : found.absent.map((name) => `CREATE ROLE ${name} NOLOGIN`),
		...found.acts_as_owner || found.creates_roles ? [] : [`GRANT palimpsest_owner TO ${role}`],
		...found.creates_schema ? [] : [`GRANT CREATE ON DATABASE ${database} TO ${role}`]
	];
	if (statements.length === 0) return void 0;
	return `the role ${role} may not do it. An administrator has to run: ${statements.join("; ")}`;
}
/** Who has held a lock for at least this long; undefined if nobody does any more. */
async function findLockHolders(pool, heldForMs) {
	const { rows } = await pool.query(`SELECT activity.pid, activity.usename AS role, activity.application_name AS application,
      extract(epoch FROM clock_timestamp() - activity.xact_start)::int AS seconds,
      coalesce(string_agg(DISTINCT 'palimpsest.' || relation.relname, ', '), 'the migration itself') AS what
    FROM pg_locks AS held JOIN pg_stat_activity AS activity USING (pid) LEFT JOIN pg_class AS relation ON relation.oid = held.relation
    WHERE held.granted AND held.pid <> pg_backend_pid() AND activity.datname = current_database()
      AND (relation.relnamespace = to_regnamespace('palimpsest') AND relation.relkind IN ('r', 'p')
        OR held.locktype = 'advisory' AND held.objid = $2)
      AND (activity.xact_start IS NULL OR activity.xact_start < clock_timestamp() - $1 * interval '1 millisecond')
    GROUP BY activity.pid, activity.usename, activity.application_name, activity.xact_start ORDER BY activity.xact_start LIMIT 3`, [heldForMs, LOCK]);
	const holders = rows;
	if (holders.length === 0) return void 0;
	const list = holders.map(holderText).join("; ");
	const ending = `SELECT pg_terminate_backend(${holders[0].pid})`;
	return `nothing was changed: a lock was not free for ${heldForMs.toLocaleString("en-US")} ms. ${list}. Try again, or end that transaction: ${ending}`;
}
function holderText({ pid, role, application, seconds, what }) {
	return `Process ${pid} (${[
		`role ${role ?? "unknown"}`,
		...application ? [`application ${application}`] : [],
		...seconds === null ? [] : [`in a transaction for ${seconds} s`]
	].join(", ")}) holds ${what}`;
}
// packages/postgres/src/migrations/migrations.ts
/**
* All migrations, in order: the first has number 1. They only go forward, and one that was released never changes. Releases of
* two numbers run side by side: a migration adds, and removes only what the release before has not used any more.
*/
const MIGRATIONS = [
	{
		name: "sessions",
		sql: `
CREATE SEQUENCE session_number;

-- One row a session: its head and its writer. No index on anything that an append changes, and space on each page: the
-- update stays on its page (HOT) and touches no index.
CREATE TABLE session (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  name text COLLATE "C" NOT NULL,
  -- Names an incarnation: a session that is deleted and begun again has another.
  number bigint NOT NULL DEFAULT nextval('session_number'),
  fence bigint NOT NULL,
  owner text NOT NULL,
  worker uuid NOT NULL,
  active_at_ms double precision NOT NULL,
  state text NOT NULL CHECK (state IN ('open', 'closed')),
  head_sequence integer NOT NULL DEFAULT 0,
  head_hash bytea NOT NULL DEFAULT '',
  PRIMARY KEY (tenant, name)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX session_by_number ON session (tenant, number);

-- Beside the session, which is written with every append.
CREATE TABLE session_metadata (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session bigint NOT NULL,
  metadata text NOT NULL,
  PRIMARY KEY (tenant, session)
);

-- The tenant is in the key: nobody can take the place of an entry of another tenant.
CREATE TABLE entry (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session bigint NOT NULL,
  at_ms double precision NOT NULL,
  sequence integer NOT NULL,
  parent integer NOT NULL,
  version integer NOT NULL,
  kind text COLLATE "C" NOT NULL,
  digest bytea NOT NULL,
  hash bytea NOT NULL,
  payload text,
  PRIMARY KEY (tenant, session, sequence)
);
-- The newest message, request or usage is never far from the end; every other kind is found by this index.
CREATE INDEX entry_rare ON entry (tenant, session, kind, sequence) WHERE kind NOT IN ('message', 'request', 'usage');
CREATE INDEX entry_fork ON entry (tenant, (payload::json ->> 'session')) WHERE sequence = 1 AND kind = 'fork';

-- One row for each process that has logs open for writing, however many. Belongs to no tenant and says nothing of any.
CREATE TABLE worker (
  id uuid PRIMARY KEY,
  renewed_at_ms double precision NOT NULL,
  lease_ms double precision NOT NULL
) WITH (fillfactor = 70);

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER entry_is_only_erased BEFORE UPDATE ON entry FOR EACH ROW
  WHEN (NEW.payload IS NOT NULL OR (NEW.tenant, NEW.session, NEW.sequence, NEW.parent, NEW.kind, NEW.version, NEW.at_ms, NEW.digest, NEW.hash)
    IS DISTINCT FROM (OLD.tenant, OLD.session, OLD.sequence, OLD.parent, OLD.kind, OLD.version, OLD.at_ms, OLD.digest, OLD.hash))
  EXECUTE FUNCTION refuse('entries never change; only a payload can be erased');
CREATE TRIGGER entry_stays BEFORE TRUNCATE ON entry FOR EACH STATEMENT EXECUTE FUNCTION refuse('entries are never truncated');
CREATE TRIGGER fence_never_falls BEFORE UPDATE ON session FOR EACH ROW
  WHEN (NEW.fence < OLD.fence OR NEW.head_sequence < OLD.head_sequence OR NEW.number <> OLD.number OR NEW.name <> OLD.name)
  EXECUTE FUNCTION refuse('a fence and a head never fall, and a session keeps its name');

-- Entries go with their session, all of them, or not at all.
CREATE FUNCTION entries_go_with_their_session() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  IF EXISTS (SELECT FROM gone JOIN session ON session.tenant = gone.tenant AND session.number = gone.session) THEN
    RAISE EXCEPTION 'entries are never deleted; a session is deleted as a whole' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER entries_go_with_their_session AFTER DELETE ON entry REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION entries_go_with_their_session();

ALTER TABLE session ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE session_metadata ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE entry ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON session USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON session_metadata USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON entry USING (tenant = current_setting('palimpsest.tenant', true));

GRANT USAGE ON SCHEMA palimpsest TO palimpsest_worker;
GRANT USAGE ON SEQUENCE session_number TO palimpsest_worker;
GRANT SELECT, INSERT, UPDATE (fence, owner, worker, active_at_ms, state, head_sequence, head_hash) ON session TO palimpsest_worker;
GRANT SELECT, INSERT, UPDATE (metadata) ON session_metadata TO palimpsest_worker;
GRANT SELECT, INSERT, UPDATE (payload) ON entry TO palimpsest_worker;
GRANT SELECT, INSERT, DELETE, UPDATE (renewed_at_ms, lease_ms) ON worker TO palimpsest_worker;
`
	},
	{
		name: "log functions",
		sql: `
-- The database's clock decides, because workers' clocks differ; a test may bring its own.
CREATE FUNCTION now_ms(p_now_ms double precision) RETURNS double precision LANGUAGE sql VOLATILE AS
  $$ SELECT coalesce(p_now_ms, extract(epoch FROM clock_timestamp()) * 1000) $$;


-- Who holds a session; no row if it is free. A writer is alive as long as it appends, or its process says so.
CREATE FUNCTION writer_of(p_tenant text, p_name text, p_now_ms double precision, p_lease_ms double precision)
RETURNS TABLE (owner text, active_at_ms double precision, free_at_ms double precision)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT held.owner, held.heard_at_ms, held.heard_at_ms + held.lease_ms FROM (
    SELECT session.owner, greatest(session.active_at_ms, worker.renewed_at_ms) AS heard_at_ms, coalesce(worker.lease_ms, p_lease_ms) AS lease_ms
    FROM session LEFT JOIN worker ON worker.id = session.worker
    WHERE session.tenant = p_tenant AND session.name = p_name AND session.state = 'open'
  ) AS held WHERE held.heard_at_ms + held.lease_ms > now_ms(p_now_ms);
END $$;

-- Takes a session for writing and begins it if there is none. Of two that race, one waits for the other's row and is second.
CREATE FUNCTION open_writer(p_tenant text, p_name text, p_owner text, p_worker uuid, p_takeover text,
  p_now_ms double precision, p_lease_ms double precision)
RETURNS TABLE (outcome text, session bigint, fence bigint, owner text, active_at_ms double precision, free_at_ms double precision)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_holder record;
  v_taken record;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  IF NOT EXISTS (SELECT FROM worker WHERE id = p_worker) THEN
    INSERT INTO worker VALUES (p_worker, now_ms(p_now_ms), p_lease_ms) ON CONFLICT DO NOTHING;
    -- A process that was silent for a day holds nothing. Rows that another process deletes at this moment are left to it.
    DELETE FROM worker WHERE id IN (SELECT id FROM worker
      WHERE renewed_at_ms + lease_ms < now_ms(p_now_ms) - 86400000 LIMIT 100 FOR UPDATE SKIP LOCKED);
  END IF;
  INSERT INTO session (tenant, name, fence, owner, worker, active_at_ms, state)
    VALUES (p_tenant, p_name, 1, p_owner, p_worker, now_ms(p_now_ms), 'open')
    ON CONFLICT (tenant, name) DO NOTHING RETURNING session.number, session.fence INTO v_taken;
  IF v_taken IS NULL THEN
    PERFORM FROM session WHERE tenant = p_tenant AND name = p_name FOR NO KEY UPDATE;
    IF p_takeover = 'if-free' THEN
      SELECT * FROM writer_of(p_tenant, p_name, p_now_ms, p_lease_ms) INTO v_holder;
      IF v_holder.owner IS NOT NULL THEN
        RETURN QUERY SELECT 'busy', NULL::bigint, NULL::bigint, v_holder.owner, v_holder.active_at_ms, v_holder.free_at_ms;
        RETURN;
      END IF;
    END IF;
    UPDATE session SET fence = session.fence + 1, owner = p_owner, worker = p_worker, active_at_ms = now_ms(p_now_ms), state = 'open'
      WHERE tenant = p_tenant AND name = p_name RETURNING session.number, session.fence INTO v_taken;
  END IF;
  -- No row at all: it was deleted just now, and the caller asks again.
  IF v_taken IS NOT NULL THEN
    RETURN QUERY SELECT 'opened', v_taken.number, v_taken.fence, NULL::text, NULL::double precision, NULL::double precision;
  END IF;
END $$;

-- Why nothing was written.
CREATE FUNCTION refusal(p_tenant text, p_session bigint, p_fence bigint)
RETURNS TABLE (outcome text, fence bigint, owner text, head_sequence integer, head_hash text)
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT CASE WHEN number IS NULL THEN 'gone' WHEN fence = p_fence THEN 'out-of-order' ELSE 'fenced' END,
    fence, owner, head_sequence, encode(head_hash, 'hex')
  FROM (VALUES (1)) AS one LEFT JOIN session ON tenant = p_tenant AND number = p_session
$$;

-- Compare and swap: the row moves only if fence and head are as expected, and entries come only where it moved. The row's lock
-- orders appends and takeovers; whoever waited for it is compared with what it has become.
CREATE FUNCTION append_one(p_tenant text, p_session bigint, p_fence bigint, p_now_ms double precision, p_sequence integer, p_parent integer,
  p_kind text, p_version integer, p_at_ms double precision, p_digest bytea, p_hash bytea, p_payload text)
RETURNS TABLE (outcome text, fence bigint, owner text, head_sequence integer, head_hash text)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE session SET head_sequence = p_sequence, head_hash = p_hash, active_at_ms = now_ms(p_now_ms)
    WHERE tenant = p_tenant AND number = p_session AND fence = p_fence AND head_sequence = p_sequence - 1;
  IF NOT FOUND THEN
    RETURN QUERY SELECT * FROM refusal(p_tenant, p_session, p_fence);
    RETURN;
  END IF;
  INSERT INTO entry (tenant, session, sequence, parent, kind, version, at_ms, digest, hash, payload)
    VALUES (p_tenant, p_session, p_sequence, p_parent, p_kind, p_version, p_at_ms, p_digest, p_hash, p_payload);
END $$;

-- The same for any number of entries, also none: then the log is only held against the fence.
CREATE FUNCTION append(p_tenant text, p_session bigint, p_fence bigint, p_now_ms double precision, p_sequence integer[], p_parent integer[],
  p_kind text[], p_version integer[], p_at_ms double precision[], p_digest bytea[], p_hash bytea[], p_payload text[])
RETURNS TABLE (outcome text, fence bigint, owner text, head_sequence integer, head_hash text)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  IF cardinality(p_sequence) = 0 THEN
    UPDATE session SET active_at_ms = now_ms(p_now_ms) WHERE tenant = p_tenant AND number = p_session AND fence = p_fence;
    RETURN QUERY SELECT CASE outcome WHEN 'out-of-order' THEN 'appended' ELSE outcome END, fence, owner, head_sequence, head_hash
      FROM refusal(p_tenant, p_session, p_fence);
    RETURN;
  END IF;
  UPDATE session SET head_sequence = p_sequence[cardinality(p_sequence)], head_hash = p_hash[cardinality(p_hash)], active_at_ms = now_ms(p_now_ms)
    WHERE tenant = p_tenant AND number = p_session AND fence = p_fence AND head_sequence = p_sequence[1] - 1;
  IF NOT FOUND THEN
    RETURN QUERY SELECT * FROM refusal(p_tenant, p_session, p_fence);
    RETURN;
  END IF;
  INSERT INTO entry (tenant, session, sequence, parent, kind, version, at_ms, digest, hash, payload)
    SELECT p_tenant, p_session, added.* FROM unnest(p_sequence, p_parent, p_kind, p_version, p_at_ms, p_digest, p_hash, p_payload) AS added;
END $$;

CREATE FUNCTION read_refusal(p_tenant text, p_session bigint, p_fence bigint)
RETURNS TABLE (outcome text, fence bigint, owner text, head_sequence integer, head_hash text)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM refusal(p_tenant, p_session, p_fence);
END $$;

-- The row's lock keeps a takeover out until the payload is gone.
CREATE FUNCTION erase_entry(p_tenant text, p_session bigint, p_fence bigint, p_sequence integer) RETURNS text
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  PERFORM FROM session WHERE tenant = p_tenant AND number = p_session AND fence = p_fence FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN 'fenced'; END IF;
  UPDATE entry SET payload = NULL WHERE tenant = p_tenant AND session = p_session AND sequence = p_sequence;
  RETURN CASE WHEN FOUND THEN 'erased' ELSE 'absent' END;
END $$;

CREATE FUNCTION close_writer(p_tenant text, p_session bigint, p_fence bigint) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE session SET state = 'closed' WHERE tenant = p_tenant AND number = p_session AND fence = p_fence;
END $$;

-- Need not survive a crash of the server: so that nobody waits for its disk.
CREATE FUNCTION renew_worker(p_worker uuid, p_now_ms double precision, p_lease_ms double precision) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO worker VALUES (p_worker, now_ms(p_now_ms), p_lease_ms)
    ON CONFLICT (id) DO UPDATE SET renewed_at_ms = excluded.renewed_at_ms, lease_ms = excluded.lease_ms;
END $$;

CREATE FUNCTION find_session(p_tenant text, p_name text) RETURNS bigint LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN (SELECT number FROM session WHERE tenant = p_tenant AND name = p_name);
END $$;

CREATE FUNCTION read_entries(p_tenant text, p_session bigint, p_from integer, p_to integer) RETURNS SETOF entry
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM entry WHERE tenant = p_tenant AND session = p_session AND sequence BETWEEN p_from AND p_to ORDER BY sequence;
END $$;

-- The kinds are named once more, so that the planner knows that the index has all there is.
CREATE FUNCTION newest_entry(p_tenant text, p_session bigint, p_kind text, p_below integer) RETURNS SETOF entry
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  IF p_kind IN ('message', 'request', 'usage') THEN
    RETURN QUERY SELECT * FROM entry WHERE tenant = p_tenant AND session = p_session AND kind = p_kind AND sequence < p_below
      ORDER BY sequence DESC LIMIT 1;
  ELSE
    RETURN QUERY SELECT * FROM entry WHERE tenant = p_tenant AND session = p_session AND kind = p_kind AND sequence < p_below
      AND kind NOT IN ('message', 'request', 'usage') ORDER BY sequence DESC LIMIT 1;
  END IF;
END $$;

-- Scattered entries, the newest of some kinds, and the end of the log since the newest of a kind: all for one session's opening.
-- Neighbors are read as one range, each entry once. OFFSET 0 keeps the planner from reading the whole log and picking from it: it
-- takes every session for a short one.
CREATE FUNCTION entries_of_batch(p_tenant text, p_session bigint, p_head integer, p_from integer[], p_to integer[], p_kinds text[],
  p_since text, p_limit integer) RETURNS SETOF entry LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_tail integer := p_head + 1;
  v_parts int4multirange;
BEGIN
  IF p_since IS NOT NULL THEN
    v_tail := greatest(1, p_head - p_limit + 1, (SELECT sequence FROM newest_entry(p_tenant, p_session, p_since, p_head + 1)));
  END IF;
  SELECT range_agg(int4range(part.first, least(part.last, v_tail - 1), '[]')) INTO v_parts FROM (
    SELECT newest.sequence, newest.sequence
      FROM unnest(p_kinds) AS wanted (kind), newest_entry(p_tenant, p_session, wanted.kind, p_head + 1) AS newest
    UNION ALL SELECT * FROM unnest(p_from, p_to)
  ) AS part (first, last) WHERE part.first <= least(part.last, v_tail - 1);
  RETURN QUERY SELECT found.* FROM unnest(v_parts) AS part, LATERAL (
    SELECT * FROM entry WHERE tenant = p_tenant AND session = p_session AND sequence >= lower(part) AND sequence < upper(part) OFFSET 0
  ) AS found;
  RETURN QUERY SELECT * FROM entry WHERE tenant = p_tenant AND session = p_session AND sequence BETWEEN v_tail AND p_head;
END $$;

-- Every row has the head: it is the only row if there is no entry.
CREATE FUNCTION read_batch(p_tenant text, p_session bigint, p_from integer[], p_to integer[], p_kinds text[], p_since text, p_limit integer)
RETURNS TABLE (head_sequence integer, head_hash text, sequence integer, parent integer, kind text, version integer,
  at_ms double precision, digest bytea, hash bytea, payload text)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_head record;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  SELECT session.head_sequence, session.head_hash FROM session WHERE tenant = p_tenant AND number = p_session INTO v_head;
  RETURN QUERY SELECT coalesce(v_head.head_sequence, 0), encode(coalesce(v_head.head_hash, ''), 'hex'),
    found.sequence, found.parent, found.kind, found.version, found.at_ms, found.digest, found.hash, found.payload
    FROM (VALUES (1)) AS one LEFT JOIN entries_of_batch(p_tenant, p_session, coalesce(v_head.head_sequence, 0), p_from, p_to, p_kinds,
      p_since, p_limit) AS found ON true;
END $$;

-- Takes a session for writing, and reads of it.
CREATE FUNCTION open_and_read(p_tenant text, p_name text, p_owner text, p_worker uuid, p_takeover text, p_now_ms double precision,
  p_lease_ms double precision, p_from integer[], p_to integer[], p_kinds text[], p_since text, p_limit integer)
RETURNS TABLE (outcome text, session bigint, fence bigint, owner text, active_at_ms double precision, free_at_ms double precision,
  head_sequence integer, head_hash text, sequence integer, parent integer, kind text, version integer,
  at_ms double precision, digest bytea, hash bytea, payload text)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_opened record;
BEGIN
  SELECT * FROM open_writer(p_tenant, p_name, p_owner, p_worker, p_takeover, p_now_ms, p_lease_ms) INTO v_opened;
  IF v_opened.outcome IS NULL THEN RETURN; END IF;
  RETURN QUERY SELECT v_opened.outcome, v_opened.session, v_opened.fence, v_opened.owner, v_opened.active_at_ms, v_opened.free_at_ms, batch.*
    FROM read_batch(p_tenant, v_opened.session, p_from, p_to, p_kinds, p_since, p_limit) AS batch;
END $$;

-- For a search: the newest first, until there is enough to look at.
CREATE FUNCTION read_back(p_tenant text, p_session bigint, p_from integer, p_to integer, p_characters bigint) RETURNS SETOF entry
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_entry entry;
  v_left bigint := p_characters;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  FOR v_entry IN SELECT * FROM entry WHERE tenant = p_tenant AND session = p_session AND sequence BETWEEN p_from AND p_to ORDER BY sequence DESC LIMIT 512 LOOP
    RETURN NEXT v_entry;
    v_left := v_left - coalesce(length(v_entry.payload), 0);
    EXIT WHEN v_left <= 0;
  END LOOP;
END $$;
`
	},
	{
		name: "results",
		sql: `
CREATE TABLE result (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session text COLLATE "C" NOT NULL,
  file text COLLATE "C" NOT NULL,
  content uuid NOT NULL,
  bytes bigint NOT NULL,
  at_ms double precision NOT NULL,
  PRIMARY KEY (tenant, session, file)
);
-- Pieces come before their result, which names them all at once when it is kept. Those that no result names are left over.
CREATE TABLE result_chunk (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  content uuid NOT NULL,
  number integer NOT NULL,
  at_ms double precision NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (tenant, content, number)
);
-- Most results are texts that a tool printed: lz4 is there in every PostgreSQL that we support, and costs a tenth of pglz.
ALTER TABLE result_chunk ALTER COLUMN bytes SET COMPRESSION lz4;
ALTER TABLE entry ALTER COLUMN payload SET COMPRESSION lz4;

ALTER TABLE result ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE result_chunk ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON result USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON result_chunk USING (tenant = current_setting('palimpsest.tenant', true));
GRANT SELECT, INSERT, UPDATE (at_ms), DELETE ON result TO palimpsest_worker;
GRANT SELECT, INSERT, DELETE ON result_chunk TO palimpsest_worker;

CREATE FUNCTION write_chunk(p_tenant text, p_content uuid, p_number integer, p_now_ms double precision, p_bytes bytea) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO result_chunk VALUES (p_tenant, p_content, p_number, now_ms(p_now_ms), p_bytes);
END $$;

-- The last piece, and the name. Kept before under this name: the pieces of the first stay, because somebody may read them.
CREATE FUNCTION keep_result(p_tenant text, p_session text, p_file text, p_content uuid, p_size bigint, p_number integer, p_now_ms double precision, p_bytes bytea)
RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO result VALUES (p_tenant, p_session, p_file, p_content, p_size, now_ms(p_now_ms)) ON CONFLICT (tenant, session, file) DO NOTHING;
  IF FOUND THEN
    INSERT INTO result_chunk VALUES (p_tenant, p_content, p_number, now_ms(p_now_ms), p_bytes);
  ELSE
    UPDATE result SET at_ms = now_ms(p_now_ms) WHERE tenant = p_tenant AND session = p_session AND file = p_file;
    DELETE FROM result_chunk WHERE tenant = p_tenant AND content = p_content;
  END IF;
END $$;

CREATE FUNCTION discard_content(p_tenant text, p_content uuid) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  DELETE FROM result_chunk WHERE tenant = p_tenant AND content = p_content;
END $$;

-- With its first piece, which is all there is of most.
CREATE FUNCTION find_result(p_tenant text, p_session text, p_file text) RETURNS TABLE (content uuid, size bigint, bytes bytea)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT result.content, result.bytes, result_chunk.bytes FROM result
    JOIN result_chunk ON result_chunk.tenant = result.tenant AND result_chunk.content = result.content AND result_chunk.number = 0
    WHERE result.tenant = p_tenant AND result.session = p_session AND result.file = p_file;
END $$;

CREATE FUNCTION read_chunk(p_tenant text, p_content uuid, p_number integer) RETURNS bytea LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN (SELECT bytes FROM result_chunk WHERE tenant = p_tenant AND content = p_content AND number = p_number);
END $$;

CREATE FUNCTION sessions_with_results(p_tenant text, p_after text, p_limit integer) RETURNS SETOF text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT DISTINCT session FROM result WHERE tenant = p_tenant AND session > p_after ORDER BY session LIMIT p_limit;
END $$;

CREATE FUNCTION measure_results(p_tenant text, p_session text) RETURNS TABLE (bytes bigint, newest_at_ms double precision)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT sum(result.bytes)::bigint, max(at_ms) FROM result WHERE tenant = p_tenant AND session = p_session HAVING count(*) > 0;
END $$;

CREATE FUNCTION remove_results(p_tenant text, p_session text, p_file text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  WITH gone AS (DELETE FROM result WHERE tenant = p_tenant AND session = p_session AND (p_file IS NULL OR file = p_file) RETURNING content)
  DELETE FROM result_chunk WHERE tenant = p_tenant AND content IN (SELECT content FROM gone);
END $$;
`
	},
	{
		name: "session functions",
		sql: `
CREATE FUNCTION list_sessions(p_tenant text, p_after text, p_limit integer) RETURNS TABLE (name text, metadata text)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT session.name, session_metadata.metadata FROM session
    LEFT JOIN session_metadata ON session_metadata.tenant = session.tenant AND session_metadata.session = session.number
    WHERE session.tenant = p_tenant AND session.name > p_after ORDER BY session.name LIMIT p_limit;
END $$;

CREATE FUNCTION read_metadata(p_tenant text, p_name text) RETURNS text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN (SELECT metadata FROM session JOIN session_metadata USING (tenant)
    WHERE tenant = p_tenant AND session.name = p_name AND session_metadata.session = session.number);
END $$;

CREATE FUNCTION set_metadata(p_tenant text, p_name text, p_metadata text) RETURNS text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO session_metadata SELECT tenant, number, p_metadata FROM session WHERE tenant = p_tenant AND name = p_name
    ON CONFLICT (tenant, session) DO UPDATE SET metadata = excluded.metadata;
  RETURN CASE WHEN FOUND THEN 'set' ELSE 'absent' END;
END $$;

-- Workers may not delete: they may ask for a whole session to be, which its owner does, under the same row-level security.
CREATE FUNCTION delete_session(p_tenant text, p_name text, p_now_ms double precision, p_lease_ms double precision)
RETURNS TABLE (outcome text, owner text, active_at_ms double precision, free_at_ms double precision, forks text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_number bigint;
  v_holder record;
  v_forks text[];
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  SELECT number FROM session WHERE tenant = p_tenant AND name = p_name FOR UPDATE INTO v_number;
  IF v_number IS NOT NULL THEN
    SELECT * FROM writer_of(p_tenant, p_name, p_now_ms, p_lease_ms) INTO v_holder;
    IF v_holder.owner IS NOT NULL THEN
      RETURN QUERY SELECT 'busy', v_holder.owner, v_holder.active_at_ms, v_holder.free_at_ms, NULL::text[];
      RETURN;
    END IF;
    SELECT array_agg(session.name ORDER BY session.name) FROM entry JOIN session ON session.tenant = entry.tenant AND session.number = entry.session
      WHERE entry.tenant = p_tenant AND entry.sequence = 1 AND entry.kind = 'fork' AND entry.payload::json ->> 'session' = p_name
        AND session.name <> p_name INTO v_forks;
    IF v_forks IS NOT NULL THEN
      RETURN QUERY SELECT 'cited', NULL::text, NULL::double precision, NULL::double precision, v_forks;
      RETURN;
    END IF;
    DELETE FROM session_metadata WHERE tenant = p_tenant AND session = v_number;
    DELETE FROM session WHERE tenant = p_tenant AND number = v_number;
    DELETE FROM entry WHERE tenant = p_tenant AND session = v_number;
  END IF;
  DELETE FROM result_chunk WHERE tenant = p_tenant AND content IN (SELECT content FROM result WHERE tenant = p_tenant AND session = p_name);
  DELETE FROM result WHERE tenant = p_tenant AND session = p_name;
  RETURN QUERY SELECT CASE WHEN v_number IS NULL THEN 'absent' ELSE 'deleted' END, NULL::text, NULL::double precision, NULL::double precision, NULL::text[];
END $$;
REVOKE ALL ON FUNCTION delete_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_session TO palimpsest_worker;

-- Looks at a page of sessions in the order of their names, because an index by time would cost every append.
CREATE FUNCTION expire_sessions(p_tenant text, p_silent_since_ms double precision, p_after text, p_limit integer, p_now_ms double precision, p_lease_ms double precision)
RETURNS TABLE (name text, outcome text) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_session record;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  FOR v_session IN SELECT session.name, session.active_at_ms FROM session
    WHERE tenant = p_tenant AND session.name > p_after ORDER BY session.name LIMIT p_limit LOOP
    RETURN QUERY SELECT v_session.name, CASE WHEN v_session.active_at_ms >= p_silent_since_ms THEN 'recent'
      ELSE (SELECT outcome FROM delete_session(p_tenant, v_session.name, p_now_ms, p_lease_ms)) END;
  END LOOP;
END $$;
`
	},
	{
		name: "coordination",
		sql: `
CREATE TABLE lease (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  name text COLLATE "C" NOT NULL,
  -- Rises with every taking, and fences whoever had it before.
  generation bigint NOT NULL DEFAULT 0,
  state text NOT NULL DEFAULT 'free' CHECK (state IN ('free', 'held')),
  holder uuid,
  owner text NOT NULL DEFAULT '',
  host text NOT NULL DEFAULT '',
  pid integer NOT NULL DEFAULT 0,
  taken_at_ms double precision NOT NULL DEFAULT 0,
  renewed_at_ms double precision NOT NULL DEFAULT 0,
  last_done_at_ms double precision,
  last_tried_at_ms double precision,
  last_scan_at_ms double precision,
  failures integer NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, name)
) WITH (fillfactor = 70);
CREATE TRIGGER generation_never_falls BEFORE UPDATE ON lease FOR EACH ROW WHEN (NEW.generation < OLD.generation)
  EXECUTE FUNCTION refuse('the generation of a lease never falls');
CREATE TABLE spent (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  name text COLLATE "C" NOT NULL,
  day date NOT NULL,
  tokens double precision NOT NULL,
  PRIMARY KEY (tenant, name, day)
) WITH (fillfactor = 70);
ALTER TABLE lease ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE spent ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON lease USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON spent USING (tenant = current_setting('palimpsest.tenant', true));
GRANT SELECT, INSERT, UPDATE ON lease TO palimpsest_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON spent TO palimpsest_worker;

-- The row's lock orders those that take it at once. The row before is returned: who holds it, or who held it until now.
CREATE FUNCTION take_lease(p_tenant text, p_name text, p_holder uuid, p_owner text, p_host text, p_pid integer, p_now_ms double precision,
  p_silent_ms double precision)
RETURNS TABLE (outcome text, now_at_ms double precision, generation bigint, owner text, host text, pid integer, taken_at_ms double precision,
  renewed_at_ms double precision, last_done_at_ms double precision, failures integer)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_before lease;
  v_now double precision;
  v_outcome text := 'taken';
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO lease (tenant, name) VALUES (p_tenant, p_name) ON CONFLICT DO NOTHING;
  SELECT * FROM lease WHERE tenant = p_tenant AND name = p_name FOR UPDATE INTO v_before;
  v_now := now_ms(p_now_ms);
  IF v_before.state = 'held' THEN
    v_outcome := CASE WHEN v_now - v_before.renewed_at_ms < p_silent_ms THEN 'held' ELSE 'reclaimed' END;
  END IF;
  IF v_outcome <> 'held' THEN
    UPDATE lease SET generation = generation + 1, state = 'held', holder = p_holder, owner = p_owner, host = p_host, pid = p_pid,
      taken_at_ms = v_now, renewed_at_ms = v_now WHERE tenant = p_tenant AND name = p_name;
  END IF;
  RETURN QUERY SELECT v_outcome, v_now, v_before.generation + 1, v_before.owner, v_before.host, v_before.pid, v_before.taken_at_ms,
    v_before.renewed_at_ms, v_before.last_done_at_ms, v_before.failures;
END $$;

CREATE FUNCTION read_lease(p_tenant text, p_name text) RETURNS SETOF lease LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM lease WHERE tenant = p_tenant AND name = p_name;
END $$;

-- Locked until the transaction ends: nobody takes the lease meanwhile.
CREATE FUNCTION hold_lease(p_tenant text, p_name text, p_generation bigint, p_holder uuid) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  PERFORM FROM lease WHERE tenant = p_tenant AND name = p_name AND state = 'held' AND generation = p_generation AND holder = p_holder FOR UPDATE;
  RETURN FOUND;
END $$;

CREATE FUNCTION renew_lease(p_tenant text, p_name text, p_generation bigint, p_holder uuid, p_now_ms double precision) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE lease SET renewed_at_ms = now_ms(p_now_ms)
    WHERE tenant = p_tenant AND name = p_name AND state = 'held' AND generation = p_generation AND holder = p_holder;
  RETURN FOUND;
END $$;

CREATE FUNCTION finish_lease(p_tenant text, p_name text, p_generation bigint, p_holder uuid, p_outcome text) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE lease SET state = 'free',
    last_done_at_ms = CASE p_outcome WHEN 'done' THEN taken_at_ms ELSE last_done_at_ms END,
    last_tried_at_ms = CASE p_outcome WHEN 'killed' THEN last_tried_at_ms ELSE taken_at_ms END,
    failures = CASE p_outcome WHEN 'killed' THEN failures WHEN 'failed' THEN failures + 1 ELSE 0 END
    WHERE tenant = p_tenant AND name = p_name AND state = 'held' AND generation = p_generation AND holder = p_holder;
  RETURN FOUND;
END $$;

CREATE FUNCTION confirm_lease(p_tenant text, p_name text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE lease SET last_done_at_ms = greatest(last_done_at_ms, last_tried_at_ms) WHERE tenant = p_tenant AND name = p_name;
END $$;

-- A time in the future is that of a clock that was wrong.
CREATE FUNCTION touch_lease(p_tenant text, p_name text, p_every_ms double precision, p_now_ms double precision) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO lease (tenant, name) VALUES (p_tenant, p_name) ON CONFLICT DO NOTHING;
  UPDATE lease SET last_scan_at_ms = now_ms(p_now_ms) WHERE tenant = p_tenant AND name = p_name
    AND (last_scan_at_ms IS NULL OR last_scan_at_ms > now_ms(p_now_ms) OR last_scan_at_ms <= now_ms(p_now_ms) - p_every_ms);
  RETURN FOUND;
END $$;

-- Days begin at midnight UTC.
CREATE FUNCTION day_of(p_now_ms double precision) RETURNS date LANGUAGE sql AS
  $$ SELECT (to_timestamp(palimpsest.now_ms(p_now_ms) / 1000) AT TIME ZONE 'UTC')::date $$;

CREATE FUNCTION spent_tokens(p_tenant text, p_name text, p_now_ms double precision) RETURNS double precision
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN coalesce((SELECT tokens FROM spent WHERE tenant = p_tenant AND name = p_name AND day = day_of(p_now_ms)), 0);
END $$;

CREATE FUNCTION spend_tokens(p_tenant text, p_name text, p_tokens double precision, p_now_ms double precision) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO spent VALUES (p_tenant, p_name, day_of(p_now_ms), p_tokens)
    ON CONFLICT (tenant, name, day) DO UPDATE SET tokens = spent.tokens + excluded.tokens;
  DELETE FROM spent WHERE tenant = p_tenant AND name = p_name AND day < day_of(p_now_ms);
END $$;
`
	},
	{
		name: "mail",
		sql: `
CREATE SEQUENCE message_number;
CREATE TABLE address (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  team text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  session text COLLATE "C" NOT NULL,
  -- Only the mailbox knows it: it sends in this name and reads its mail.
  token text NOT NULL,
  state text NOT NULL CHECK (state IN ('running', 'stopped')),
  socket text,
  host text NOT NULL,
  pid integer NOT NULL,
  renewed_at_ms double precision NOT NULL,
  PRIMARY KEY (tenant, team, name)
) WITH (fillfactor = 70);
-- Texts are bytes: a text of PostgreSQL cannot have a NUL.
CREATE TABLE message (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  number bigint NOT NULL DEFAULT nextval('message_number'),
  team text COLLATE "C" NOT NULL,
  receiver text COLLATE "C" NOT NULL,
  sender_name text COLLATE "C" NOT NULL,
  sender_session text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  digest text NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'acknowledged')),
  sent_at_ms double precision NOT NULL,
  kind text NOT NULL,
  in_reply_to text,
  summary bytea,
  body bytea,
  PRIMARY KEY (tenant, number),
  UNIQUE (tenant, sender_session, id, team, receiver)
);
CREATE INDEX message_waiting ON message (tenant, team, receiver, number) WHERE state = 'waiting';
CREATE INDEX message_acknowledged ON message (tenant, sender_session, number) WHERE state = 'acknowledged';
ALTER TABLE address ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE message ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON address USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON message USING (tenant = current_setting('palimpsest.tenant', true));
GRANT USAGE ON SEQUENCE message_number TO palimpsest_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON address, message TO palimpsest_worker;

-- An agent that was silent for long has no process: nobody can tell whether a process on another machine is alive.
CREATE FUNCTION address_state(p_state text, p_renewed_at_ms double precision, p_now_ms double precision, p_silent_ms double precision)
RETURNS text LANGUAGE sql AS
  $$ SELECT CASE WHEN p_state = 'running' AND palimpsest.now_ms(p_now_ms) - p_renewed_at_ms < p_silent_ms THEN 'running' ELSE 'stopped' END $$;

-- The row's lock orders those that register the name at once. Without a row in the answer it is registered.
CREATE FUNCTION register_address(p_tenant text, p_team text, p_name text, p_session text, p_token text, p_socket text, p_host text,
  p_pid integer, p_takeover text, p_now_ms double precision, p_silent_ms double precision)
RETURNS TABLE (name text, session text, state text, socket text, host text, pid integer)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_before address;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  LOOP
    INSERT INTO address VALUES (p_tenant, p_team, p_name, p_session, p_token, 'running', p_socket, p_host, p_pid, now_ms(p_now_ms))
      ON CONFLICT DO NOTHING;
    IF FOUND THEN RETURN; END IF;
    SELECT * FROM address WHERE tenant = p_tenant AND team = p_team AND name = p_name FOR UPDATE INTO v_before;
    -- Otherwise its team was disbanded in between.
    EXIT WHEN FOUND;
  END LOOP;
  IF p_takeover <> 'always' AND address_state(v_before.state, v_before.renewed_at_ms, p_now_ms, p_silent_ms) = 'running' THEN
    RETURN QUERY SELECT v_before.name, v_before.session, 'running', v_before.socket, v_before.host, v_before.pid;
    RETURN;
  END IF;
  UPDATE address SET session = p_session, token = p_token, state = 'running', socket = p_socket, host = p_host, pid = p_pid,
    renewed_at_ms = now_ms(p_now_ms) WHERE tenant = p_tenant AND team = p_team AND name = p_name;
END $$;

CREATE FUNCTION list_addresses(p_tenant text, p_team text, p_now_ms double precision, p_silent_ms double precision)
RETURNS TABLE (name text, session text, state text, socket text, host text, pid integer)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT name, session, address_state(state, renewed_at_ms, p_now_ms, p_silent_ms), socket, host, pid FROM address
    WHERE tenant = p_tenant AND team = p_team ORDER BY name;
END $$;

-- Returns who still runs; nobody: the team is gone, with its mail.
CREATE FUNCTION disband_team(p_tenant text, p_team text, p_now_ms double precision, p_silent_ms double precision) RETURNS text[]
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_running text[];
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  PERFORM FROM address WHERE tenant = p_tenant AND team = p_team ORDER BY name FOR UPDATE;
  SELECT coalesce(array_agg(name ORDER BY name), '{}') FROM address WHERE tenant = p_tenant AND team = p_team
    AND address_state(state, renewed_at_ms, p_now_ms, p_silent_ms) = 'running' INTO v_running;
  IF v_running = '{}' THEN
    DELETE FROM message WHERE tenant = p_tenant AND team = p_team;
    DELETE FROM address WHERE tenant = p_tenant AND team = p_team;
  END IF;
  RETURN v_running;
END $$;

-- Whether the token still has the name. It is renewed when that is due, and not written otherwise: this is asked with every poll.
CREATE FUNCTION own_address(p_tenant text, p_team text, p_name text, p_token text, p_now_ms double precision, p_renew_ms double precision)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_renewed_at_ms double precision;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  SELECT renewed_at_ms FROM address WHERE tenant = p_tenant AND team = p_team AND name = p_name AND token = p_token
    AND state = 'running' INTO v_renewed_at_ms;
  IF NOT FOUND THEN RETURN false; END IF;
  IF now_ms(p_now_ms) - v_renewed_at_ms >= p_renew_ms THEN
    UPDATE address SET renewed_at_ms = now_ms(p_now_ms) WHERE tenant = p_tenant AND team = p_team AND name = p_name AND token = p_token
      AND state = 'running';
    RETURN FOUND;
  END IF;
  RETURN true;
END $$;

CREATE FUNCTION stop_address(p_tenant text, p_team text, p_name text, p_token text) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE address SET state = 'stopped' WHERE tenant = p_tenant AND team = p_team AND name = p_name AND token = p_token;
END $$;

-- Outcomes, one row each: 'lost'; 'id-taken'; 'no-such-address', for every name there is; 'sent' and 'full', for every receiver.
-- The rows of sender and receivers are locked in the order of their names: the numbers of a receiver's messages rise in the order of
-- their commits, and two that send to each other do not wait for each other in a circle.
CREATE FUNCTION send_message(p_tenant text, p_team text, p_name text, p_token text, p_to text, p_id text, p_digest text, p_kind text,
  p_in_reply_to text, p_summary bytea, p_body bytea, p_max_waiting integer, p_now_ms double precision, p_silent_ms double precision)
RETURNS TABLE (outcome text, name text, session text, state text, socket text, host text, pid integer)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_session text;
  v_digest text;
  v_is_new boolean;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  PERFORM FROM address WHERE tenant = p_tenant AND team = p_team AND (p_to = '*' OR name IN (p_name, p_to)) ORDER BY name FOR UPDATE;
  SELECT session FROM address WHERE tenant = p_tenant AND team = p_team AND name = p_name AND token = p_token AND state = 'running'
    INTO v_session;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'lost', NULL, NULL, NULL, NULL, NULL, NULL::integer;
    RETURN;
  END IF;
  SELECT digest FROM message WHERE tenant = p_tenant AND sender_session = v_session AND id = p_id LIMIT 1 INTO v_digest;
  v_is_new := NOT FOUND;
  IF v_digest <> p_digest THEN
    RETURN QUERY SELECT 'id-taken', NULL, NULL, NULL, NULL, NULL, NULL::integer;
    RETURN;
  END IF;
  IF v_is_new AND p_to <> '*' AND NOT EXISTS (SELECT FROM address WHERE tenant = p_tenant AND team = p_team AND name = p_to) THEN
    RETURN QUERY SELECT 'no-such-address', name, NULL, NULL, NULL, NULL, NULL::integer FROM address
      WHERE tenant = p_tenant AND team = p_team ORDER BY name;
    RETURN;
  END IF;
  IF v_is_new THEN
    INSERT INTO message (tenant, team, receiver, sender_name, sender_session, id, digest, sent_at_ms, kind, in_reply_to, summary, body)
      SELECT p_tenant, p_team, name, p_name, v_session, p_id, p_digest, now_ms(p_now_ms), p_kind, p_in_reply_to, p_summary, p_body
      FROM address AS receiver WHERE tenant = p_tenant AND team = p_team AND (name = p_to OR p_to = '*' AND name <> p_name)
      AND (SELECT count(*) FROM message WHERE message.tenant = p_tenant AND message.team = p_team AND message.receiver = receiver.name
        AND message.state = 'waiting') < p_max_waiting;
    -- Acknowledged ids of a sender are kept to recognize what is sent again: the newest 1,000, by number, since clocks jump.
    IF FOUND THEN
      IF currval('message_number') % 64 = 0 THEN
        DELETE FROM message WHERE tenant = p_tenant AND sender_session = v_session AND state = 'acknowledged' AND number <= (
          SELECT number FROM message WHERE tenant = p_tenant AND sender_session = v_session AND state = 'acknowledged'
          ORDER BY number DESC OFFSET 1000 LIMIT 1);
      END IF;
    END IF;
  END IF;
  RETURN QUERY SELECT CASE WHEN sent.number IS NULL THEN 'full' ELSE 'sent' END, address.name, address.session,
    address_state(address.state, renewed_at_ms, p_now_ms, p_silent_ms), address.socket, address.host, address.pid
    FROM address LEFT JOIN message AS sent ON sent.tenant = p_tenant AND sent.sender_session = v_session AND sent.id = p_id
      AND sent.team = p_team AND sent.receiver = address.name
    WHERE address.tenant = p_tenant AND address.team = p_team
      AND CASE WHEN v_is_new THEN address.name = p_to OR p_to = '*' AND address.name <> p_name ELSE sent.number IS NOT NULL END
    ORDER BY address.name;
END $$;

-- No row: the name is lost. A row without a number: there is no mail.
CREATE FUNCTION receive_messages(p_tenant text, p_team text, p_name text, p_token text, p_limit integer, p_now_ms double precision,
  p_renew_ms double precision)
RETURNS TABLE (number bigint, sender_name text, sender_session text, id text, sent_at_ms double precision, kind text, in_reply_to text,
  summary bytea, body bytea)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  IF NOT own_address(p_tenant, p_team, p_name, p_token, p_now_ms, p_renew_ms) THEN RETURN; END IF;
  RETURN QUERY SELECT m.* FROM (VALUES (1)) AS one LEFT JOIN (
    SELECT number, sender_name, sender_session, id, sent_at_ms, kind, in_reply_to, summary, body FROM message
    WHERE tenant = p_tenant AND team = p_team AND receiver = p_name AND state = 'waiting' ORDER BY number LIMIT p_limit
  ) AS m ON true ORDER BY m.number;
END $$;

CREATE FUNCTION look_for_mail(p_tenant text, p_team text, p_name text, p_token text, p_after bigint, p_now_ms double precision,
  p_renew_ms double precision)
RETURNS text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT own_address(p_tenant, p_team, p_name, p_token, p_now_ms, p_renew_ms) THEN RETURN 'lost'; END IF;
  RETURN CASE WHEN EXISTS (SELECT FROM message WHERE tenant = p_tenant AND team = p_team AND receiver = p_name AND state = 'waiting'
    AND number > p_after) THEN 'mail' ELSE 'none' END;
END $$;

-- The ids of acknowledged messages stay; their texts go. Nobody takes the name before the transaction ends.
CREATE FUNCTION acknowledge_messages(p_tenant text, p_team text, p_name text, p_token text, p_sessions text[], p_ids text[],
  p_now_ms double precision, p_renew_ms double precision)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  PERFORM FROM address WHERE tenant = p_tenant AND team = p_team AND name = p_name FOR UPDATE;
  IF NOT own_address(p_tenant, p_team, p_name, p_token, p_now_ms, p_renew_ms) THEN RETURN false; END IF;
  UPDATE message SET state = 'acknowledged', summary = NULL, body = NULL FROM unnest(p_sessions, p_ids) AS seen (session, id)
    WHERE message.tenant = p_tenant AND message.team = p_team AND message.receiver = p_name
    AND message.sender_session = seen.session AND message.id = seen.id;
  RETURN true;
END $$;
`
	}
];
// packages/postgres/src/migrate.ts
/** How long a migration waits for another process that migrates. */
const OTHERS_TIMEOUT_MS = 6e4;
/** Lists the migrations that `migrate` would run. Changes nothing. */
async function planMigrations(pool) {
	try {
		const { rows } = await pool.query("SELECT to_regclass('palimpsest.migration') IS NOT NULL AS found");
		const version = rows[0].found ? await versionOf(pool) : 0;
		const first = {
			number: 0,
			name: "roles and schema",
			sql: `${BEGINNING};`
		};
		const pending = numbered().filter(({ number }) => number > version);
		return {
			version,
			latest: MIGRATIONS.length,
			pending: version === 0 ? [first, ...pending] : pending
		};
	} catch (error) {
		throw await explained(pool, "migrate", error, 0);
	}
}
/**
* Brings the schema up to date. Call it with the pool of a role that may create roles and schemas, or for which an administrator
* has created them; an error names the grants that are missing. May be called by many at a time. Each migration is one transaction.
*/
async function migrate(pool, { lockTimeoutMs = 2e3, workerRole, operatorRole } = {}) {
	const timeoutMs = Math.ceil(lockTimeoutMs);
	const run = async (what, text) => {
		try {
			await pool.query(`SELECT set_config('lock_timeout', '${OTHERS_TIMEOUT_MS}', true);
SELECT pg_advisory_xact_lock(${LOCK});
SELECT set_config('lock_timeout', '${timeoutMs}', true);
${text}`);
		} catch (error) {
			throw await explained(pool, what, error, timeoutMs);
		}
	};
	await run("migrate", BEGINNING);
	const before = await versionOf(pool);
	for (const { number, name, sql } of numbered()) if (number > before) await run(`migration ${number} (${name})`, sql);
	for (const [right, role] of [
		["palimpsest_worker", workerRole],
		["palimpsest_worker", operatorRole],
		["palimpsest_operator", operatorRole]
	]) if (role !== void 0) await grantRole(pool, right, role);
	return {
		before,
		version: Math.max(before, MIGRATIONS.length)
	};
}
function numbered() {
	return MIGRATIONS.map(({ name, sql }, index) => ({
		number: index + 1,
		name,
		sql: migrationSql(index + 1, sql)
	}));
}
/** The number of the newest migration in the database. */
async function versionOf(pool) {
	const { rows } = await pool.query("SELECT coalesce(max(number), 0)::int AS version FROM palimpsest.migration");
	return Number(rows[0].version);
}
async function grantRole(pool, right, role) {
	const statement = `GRANT ${right} TO ${role}`;
	try {
		const { rows } = await pool.query("SELECT pg_has_role($1, $2, 'MEMBER') AS has, format('GRANT %I TO %I', $2::text, $1::text) AS sql", [role, right]);
		const { has, sql } = rows[0];
		if (!has) await pool.query(sql);
	} catch (error) {
		const code = error.code;
		throw toDatabaseError(statement, error, code === "42704" ? `there is no role ${role}. Create it first: CREATE ROLE ${role} LOGIN` : code === "42501" ? `an administrator has to run: ${statement}` : void 0);
	}
}
/** With the grant that is missing, or the process that holds the lock, as far as this role may see it. */
async function explained(pool, what, error, timeoutMs) {
	const code = error.code;
	return toDatabaseError(what, error, code === "42501" ? await findMissingRights(pool).catch(() => void 0) : code === "55P03" ? await findLockHolders(pool, timeoutMs).catch(() => void 0) : void 0);
}
// packages/postgres/src/heartbeat.ts
/** A missed or late beat costs nothing. */
const BEATS_PER_LEASE = 3;
/** Timers take at most 24 days, and observers want to see regular beats. */
const MAX_BETWEEN_MS = 6e4;
/** Renews one row for all sessions that this process has open: ten thousand of them cost one small write in ten seconds. */
function createHeartbeat({ database, clock, leaseMs }) {
	const worker = randomUUID();
	const repeat = clock?.repeat ?? repeatByTimer;
	let open = 0;
	let stop;
	async function beat() {
		await database.call("renew_worker", [
			worker,
			clock?.now() ?? null,
			leaseMs
		]).catch(() => void 0);
	}
	return {
		worker,
		enter() {
			open++;
			if (stop === void 0 && leaseMs > 0) stop = repeat(Math.min(leaseMs / BEATS_PER_LEASE, MAX_BETWEEN_MS), beat);
		},
		leave() {
			open--;
			if (open > 0) return;
			stop?.();
			stop = void 0;
		}
	};
}
function repeatByTimer(everyMs, work) {
	const timer = setInterval(() => void work(), everyMs).unref();
	return () => clearInterval(timer);
}
// packages/postgres/src/expire.ts
/** Looks at one page of sessions, and deletes those that were silent for too long. */
async function expirePage({ call, leaseMs, nowMs }, { silentSinceMs, after = "", limit = 100 }) {
	const most = Math.max(1, Math.floor(limit));
	const seen = (await call("expire_sessions", [
		silentSinceMs,
		after,
		most,
		nowMs(),
		leaseMs
	])).map((row) => ({
		id: String(row["name"]),
		outcome: String(row["outcome"])
	}));
	const deleted = seen.filter(({ outcome }) => outcome === "deleted").map(({ id }) => id);
	const kept = seen.flatMap(({ id, outcome }) => outcome === "busy" || outcome === "cited" ? [{
		id,
		why: outcome
	}] : []);
	const last = seen.at(-1);
	return last === void 0 || seen.length < most ? {
		deleted,
		kept
	} : {
		deleted,
		kept,
		next: last.id
	};
}
// packages/postgres/src/log/entry-row.ts
/** What is selected of an entry. Digests are kept as bytes, which halves them. */
const ENTRY_COLUMNS = "sequence, parent, kind, version, at_ms, encode(digest, 'hex') AS digest, encode(hash, 'hex') AS hash, payload";
function toEntry(row) {
	const { sequence, parent, kind, version, at_ms: atMs, digest, hash, payload } = row;
	return {
		sequence: Number(sequence),
		parent: Number(parent),
		kind: String(kind),
		version: Number(version),
		atMs: Number(atMs),
		payload: payload ?? void 0,
		digest: String(digest),
		hash: String(hash)
	};
}
/** The values of an entry, in the order of the parameters of `append_one`. */
function valuesOf({ sequence, parent, kind, version, atMs, digest, hash, payload }) {
	const bytes = (field, hex) => {
		if (!/^([0-9a-f]{2})*$/.test(hex)) throw new InvalidEntryError({
			sequence,
			field,
			reason: "is not hexadecimal"
		});
		return Buffer.from(hex, "hex");
	};
	return [
		sequence,
		parent,
		kind,
		version,
		atMs,
		bytes("digest", digest),
		bytes("hash", hash),
		payload ?? null
	];
}
function toHead(row) {
	return {
		sequence: Number(row?.["head_sequence"] ?? 0),
		hash: String(row?.["head_hash"] ?? "")
	};
}
const MAX_SEQUENCE = 2147483647;
/** A number that the column can have: whoever reads to the end says `Infinity`. */
function toSequence(value) {
	return Math.ceil(Math.min(MAX_SEQUENCE, Math.max(0, value)));
}
// packages/postgres/src/log/entry-batch.ts
/** What is selected of a batch: its head is in every row. */
const BATCH_COLUMNS = `head_sequence, head_hash, ${ENTRY_COLUMNS}`;
/** The values of a batch, in the order of the parameters of `read_batch`. */
function batchValues({ ranges = [], newest = [], tail }) {
	return [
		ranges.map(({ from }) => Math.max(1, toSequence(from))),
		ranges.map(({ to }) => toSequence(Math.floor(to))),
		newest,
		tail?.since ?? null,
		toSequence(tail?.limit ?? 0)
	];
}
/** What was read of a log, by the rows that `read_batch` returned for these options. */
function toBatch(rows, { ranges = [], newest = [], tail }) {
	const head = toHead(rows[0]);
	const entries = rows.filter((row) => row["sequence"] !== null).map(toEntry).toSorted((a, b) => a.sequence - b.sequence);
	const found = newest.flatMap((kind) => {
		const entry = entries.findLast((one) => one.kind === kind);
		return entry === void 0 ? [] : [[kind, entry]];
	});
	const since = tail && (entries.findLast(({ kind }) => kind === tail.since)?.sequence ?? 1);
	const tailFrom = tail === void 0 ? head.sequence + 1 : Math.max(since ?? 1, head.sequence - tail.limit + 1);
	const isWanted = ({ sequence }) => sequence >= tailFrom || ranges.some(({ from, to }) => sequence >= from && sequence <= to);
	return {
		head,
		entries: entries.filter(isWanted),
		newest: new Map(found)
	};
}
// packages/postgres/src/log/search-log.ts
/** So much is looked at in one round trip. */
const CHARACTERS_PER_READ = 262144;
/** Reads back from the end until enough is found. There is no index: it would cost every append, and most logs are small. */
async function searchLog(readBack, query, { limit, from = 1, to = Number.POSITIVE_INFINITY }) {
	const phrases = readQuery(query);
	const hits = [];
	if (phrases.length === 0) return hits;
	const first = Math.max(1, toSequence(from));
	for (let last = toSequence(to); last >= first && hits.length < limit;) {
		const entries = await readBack(first, last, CHARACTERS_PER_READ);
		for (const entry of entries) {
			const text = entryText(entry);
			if (hits.length < limit && text !== void 0 && isMatch(text, phrases)) hits.push({
				sequence: entry.sequence,
				snippet: snippetOf(text, phrases)
			});
		}
		last = (entries.at(-1)?.sequence ?? 0) - 1;
	}
	return hits;
}
// packages/postgres/src/log/postgres-log.ts
function createReader({ database, tenant, session, assertOpen, onClose }) {
	const entries = async (name, ...values) => {
		assertOpen();
		return (await database.call(name, [
			tenant,
			session,
			...values
		], ENTRY_COLUMNS)).map(toEntry);
	};
	return {
		async head() {
			assertOpen();
			const [row] = await database.call("read_refusal", [
				tenant,
				session,
				0
			]);
			return toHead(row);
		},
		read: (from, to) => entries("read_entries", toSequence(from), toSequence(Math.floor(to))),
		async newest(kind, below = Number.POSITIVE_INFINITY) {
			const [entry] = await entries("newest_entry", kind, toSequence(below));
			return entry;
		},
		async readBatch(options) {
			assertOpen();
			const values = [
				tenant,
				session,
				...batchValues(options)
			];
			return toBatch(await database.call("read_batch", values, BATCH_COLUMNS), options);
		},
		search: (query, options) => searchLog((...values) => entries("read_back", ...values), query, options),
		close: async () => onClose()
	};
}
function createWriter(options, fence) {
	const { database, tenant, session, nowMs, assertOpen, onClose } = options;
	const call = (name, ...values) => database.call(name, [
		tenant,
		session,
		fence,
		...values
	]);
	return {
		...createReader(options),
		fence,
		async append(entries) {
			assertOpen();
			assertStorable(entries);
			const [first] = entries;
			if (entries.some(({ sequence }, index) => sequence !== first.sequence + index)) {
				const [row] = await call("read_refusal");
				return refusalOf(row, fence);
			}
			const values = entries.map(valuesOf);
			const [row] = values.length === 1 ? await call("append_one", nowMs(), ...values[0]) : await call("append", nowMs(), ...Array.from({ length: 8 }, (_, column) => values.map((one) => one[column])));
			if (row !== void 0) return refusalOf(row, fence);
			const { sequence, hash } = entries.at(-1);
			return {
				kind: "appended",
				head: {
					sequence,
					hash
				}
			};
		},
		async erase(sequence) {
			assertOpen();
			const [row] = await call("erase_entry", toSequence(sequence));
			return row?.["erase_entry"];
		},
		async close() {
			onClose();
			await call("close_writer").catch(() => void 0);
		}
	};
}
function refusalOf(row, fence) {
	if (row?.["outcome"] === "appended") return {
		kind: "appended",
		head: toHead(row)
	};
	if (row?.["outcome"] === "out-of-order") return {
		kind: "out-of-order",
		head: toHead(row)
	};
	if (row?.["outcome"] === "fenced") return {
		kind: "fenced",
		owner: String(row["owner"]),
		fence: Number(row["fence"])
	};
	return {
		kind: "fenced",
		owner: "nobody (the session was deleted)",
		fence: fence + 1
	};
}
// packages/postgres/src/results/postgres-results.ts
/** What is held in memory of a result, and read in one round trip. */
const CHUNK_BYTES = 262144;
const PAGE_SESSIONS$1 = 100;
const FILE = /^[0-9a-f]{64}\.(txt|json)$/;
/** Keeps results in the database, in pieces: one backup and one deletion has them and their logs. */
function postgresResults({ database, tenant, nowMs }) {
	const call = (name, ...values) => database.call(name, [tenant, ...values]);
	async function* chunksOf(content, first, bytes) {
		let left = bytes - first.length;
		yield new Uint8Array(first);
		for (let number = 1; left > 0; number++) {
			const [row] = await call("read_chunk", content, number);
			const chunk = row?.["read_chunk"];
			if (chunk === null) throw new Error(`A result was removed while it was read: ${left} of ${bytes} bytes are gone.`);
			left -= chunk.length;
			yield new Uint8Array(chunk);
		}
	}
	return {
		async create(session) {
			checkName("session", session);
			return createDraft(call, session, nowMs);
		},
		async find(session, file) {
			if (!FILE.test(file)) return void 0;
			const [row] = await call("find_result", checkName("session", session), file);
			if (row === void 0) return void 0;
			const bytes = Number(row["size"]);
			return {
				bytes,
				chunks: () => chunksOf(String(row["content"]), row["bytes"], bytes)
			};
		},
		locate: () => void 0,
		async *sessions() {
			for (let after = "";;) {
				const names = (await call("sessions_with_results", after, PAGE_SESSIONS$1)).map((row) => String(row["sessions_with_results"]));
				yield* names;
				if (names.length < PAGE_SESSIONS$1) return;
				after = names.at(-1);
			}
		},
		async measure(session) {
			const [row] = await call("measure_results", checkName("session", session));
			return row && {
				bytes: Number(row["bytes"]),
				newestAtMs: Number(row["newest_at_ms"])
			};
		},
		async remove(session, file) {
			if (file === void 0 || FILE.test(file)) await call("remove_results", checkName("session", session), file ?? null);
		}
	};
}
function createDraft(call, session, nowMs) {
	const content = randomUUID();
	const hash = createHash("sha256");
	let held = [];
	let heldBytes = 0;
	let bytes = 0;
	let chunks = 0;
	const taken = () => {
		const joined = Buffer.concat(held, heldBytes);
		held = [];
		heldBytes = 0;
		return joined;
	};
	return {
		async write(piece) {
			hash.update(piece);
			held.push(new Uint8Array(piece));
			heldBytes += piece.length;
			bytes += piece.length;
			if (heldBytes >= CHUNK_BYTES) await call("write_chunk", content, chunks++, nowMs(), taken());
		},
		async keep(ending) {
			const digest = hash.digest("hex");
			const file = `${digest}.${ending}`;
			await call("keep_result", session, file, content, bytes, chunks, nowMs(), taken());
			return {
				file,
				digest
			};
		},
		async discard() {
			taken();
			if (chunks > 0) await call("discard_content", content);
		}
	};
}
// packages/postgres/src/store-errors.ts
/** The reader, writer or store was closed before. */
var ClosedStoreError = class ClosedStoreError extends PalimpsestError {
	static code = "closed-store";
	code = ClosedStoreError.code;
	constructor(what) {
		super(`${what} was closed here. Open it again to use it.`);
	}
};
// packages/postgres/src/postgres-store.ts
const PAGE_SESSIONS = 100;
const OPENING_COLUMNS = `outcome, session, fence, owner, active_at_ms, free_at_ms, ${BATCH_COLUMNS}`;
/** The logs and results of one tenant. Nothing here reaches another: the database would not show it. */
function postgresStore({ database, heartbeat, tenant, leaseMs, nowMs }) {
	const openLogs = /* @__PURE__ */ new Set();
	let state = "open";
	const call = async (name, values, columns) => {
		if (state === "closed") throw new ClosedStoreError("The store");
		return database.call(name, [tenant, ...values], columns);
	};
	/** A log that is closed once, by whoever is first. */
	function open(session, create, onClose = () => {}) {
		const log = create({
			database,
			tenant,
			session,
			nowMs,
			assertOpen() {
				if (!openLogs.has(log)) throw new ClosedStoreError("The log");
			},
			onClose() {
				if (openLogs.delete(log)) onClose();
			}
		});
		openLogs.add(log);
		return log;
	}
	return {
		async list({ after = "", limit = PAGE_SESSIONS } = {}) {
			const most = Math.max(1, Math.floor(limit));
			const rows = await call("list_sessions", [after, most + 1]);
			const sessions = rows.slice(0, most).map(toListed);
			const last = sessions.at(-1);
			return rows.length > most && last !== void 0 ? {
				sessions,
				next: last.id
			} : { sessions };
		},
		async openReader(session) {
			const [row] = await call("find_session", [checkName("session", session)]);
			const number = row?.["find_session"] ?? void 0;
			return number === void 0 ? void 0 : open(String(number), createReader);
		},
		async openWriter(session, { owner, takeover = "if-free", read }) {
			checkName("session", session);
			for (;;) {
				const values = [
					session,
					owner,
					heartbeat.worker,
					takeover,
					nowMs(),
					leaseMs
				];
				const rows = await (read === void 0 ? call("open_writer", values) : call("open_and_read", [...values, ...batchValues(read)], OPENING_COLUMNS));
				const [row] = rows;
				if (row === void 0) continue;
				if (row["outcome"] === "busy") return {
					kind: "busy",
					...toHolder(row)
				};
				const fence = Number(row["fence"]);
				heartbeat.enter();
				const writer = open(String(row["session"]), (options) => createWriter(options, fence), heartbeat.leave);
				return read === void 0 ? {
					kind: "opened",
					writer
				} : {
					kind: "opened",
					writer,
					batch: toBatch(rows, read)
				};
			}
		},
		async writerOf(session) {
			const [row] = await call("writer_of", [
				checkName("session", session),
				nowMs(),
				leaseMs
			]);
			return row && toHolder(row);
		},
		async delete(session) {
			const [row] = await call("delete_session", [
				checkName("session", session),
				nowMs(),
				leaseMs
			]);
			if (row?.["outcome"] === "busy") return {
				kind: "busy",
				...toHolder(row)
			};
			if (row?.["outcome"] === "cited") return {
				kind: "cited",
				forks: row["forks"]
			};
			return { kind: row?.["outcome"] };
		},
		expire: (options) => expirePage({
			call,
			leaseMs,
			nowMs
		}, options),
		async readMetadata(session) {
			const [row] = await call("read_metadata", [checkName("session", session)]);
			return fromMetadataText(String(row?.["read_metadata"] ?? ""));
		},
		async setMetadata(session, metadata) {
			const [row] = await call("set_metadata", [checkName("session", session), toMetadataText(metadata)]);
			return row?.["set_metadata"];
		},
		results: postgresResults({
			database,
			tenant,
			nowMs
		}),
		async close() {
			await Promise.all([...openLogs].map((log) => log.close()));
			state = "closed";
		}
	};
}
function toHolder(row) {
	return {
		owner: String(row["owner"]),
		activeAtMs: Number(row["active_at_ms"]),
		freeAtMs: Number(row["free_at_ms"])
	};
}
function toListed(row) {
	const metadata = fromMetadataText(String(row["metadata"] ?? ""));
	return metadata === void 0 ? { id: String(row["name"]) } : {
		id: String(row["name"]),
		metadata
	};
}
// packages/postgres/src/open-postgres.ts
/** Keeps sessions in PostgreSQL, so that any number of machines can serve them. Run `migrate` before. */
function openPostgres({ pool, clock, leaseMs = 3e4 }) {
	const database = createDatabase(pool);
	const heartbeat = createHeartbeat({
		database,
		clock,
		leaseMs
	});
	const nowMs = () => clock?.now() ?? null;
	return { store: ({ tenant }) => postgresStore({
		database,
		heartbeat,
		tenant: checkName("tenant", tenant),
		leaseMs,
		nowMs
	}) };
}
export { ClosedStoreError, DatabaseError, migrate, openPostgres, openPostgresCoordination, planMigrations };
