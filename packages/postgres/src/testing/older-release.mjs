// The release before, built by scripts/freeze-postgres.ts. Never edited.
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, randomUUID } from "node:crypto";
// packages/palimpsest/src/log/palimpsest-error.ts
/** The base class of all errors of this library. Each class has a stable code, and fields with the numbers that explain the error. */
var PalimpsestError = class extends Error {
	constructor(message, options) {
		super(message, options);
		this.name = new.target.name;
		const { code } = new.target;
		if (code !== void 0) this.stack = this.stack?.replace(/^\w+/, `${this.name} [${code}]`) ?? "";
	}
	/** Works across copies of this package, where `instanceof` does not. Call it on the error class. */
	static isInstance(error) {
		return error instanceof Error && "code" in error && error.code === this.code;
	}
};
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
// packages/palimpsest/src/log/check-options.ts
/** An object that has these methods. */
function withMethods(methods, needed) {
	return {
		needed,
		fits: (value) => isObject(value) && methods.every((name) => typeof value[name] === "function")
	};
}
/** Checks one argument. */
function checkArgument(name, value, { needed, fits }) {
	if (!fits(value)) throw new InvalidOptionError(name, value, needed);
}
function isObject(value) {
	return typeof value === "object" && value !== null || typeof value === "function";
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
	turn: 1,
	call: 1,
	taken: 1,
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
	const value = parse$1(draft.payload);
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
function parse$1(text) {
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
	key: ({ key, entries }) => isText(key) && isCount(entries),
	turn: ({ step }) => isText(step),
	call: ({ step, call, calls = [call] }) => isText(step) && isListOf(calls, isText),
	taken: ({ queue, number, entries, traceparent }) => isText(queue) && isCount(number) && isCount(entries) && (traceparent === void 0 || isText(traceparent))
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
/** Whether a result of a tool may hold it. */
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
// packages/palimpsest/src/log/lazy-pattern.ts
/**
* Returns a pattern that is built at its first use. For patterns with Unicode classes: V8 spends about 0.3 ms on every
* `\p{L}` of a literal as soon as it reads the file, even in a function that is not called (`bench -- import`).
*/
function lazyPattern(source, flags) {
	let built;
	return () => {
		built ??= new RegExp(source, flags);
		return built;
	};
}
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
// packages/palimpsest/src/log/search-text.ts
const MAX_WORD_LENGTH = 64;
const UNSPACED = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}";
const wordPattern = lazyPattern(`[${UNSPACED}]|[[\\p{L}\\p{N}\\p{M}]--[${UNSPACED}]]+`, "gv");
const ACCENTS = /[\u0300-\u036f]+/g;
const SNIPPET_CHARACTERS = 200;
/** The words of a text, in order. */
function wordsOf(text) {
	return ((isAscii(text) ? text.toLowerCase().match(/[a-z0-9]+/g) : text.match(wordPattern())?.map(fold)) ?? []).filter((word) => word !== "").map((word) => word.slice(0, MAX_WORD_LENGTH));
}
/**
* What a query asks for: words, or several "in quotes", all of which must occur. Nothing in it has any other meaning,
* because it comes from a model.
*/
function readQuery(query) {
	return (query.match(/"[^"]*"|[^\s"]+/g) ?? []).map(wordsOf).filter((phrase) => phrase.length > 0);
}
/** Whether a text has all phrases. */
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
	const words = [...text.matchAll(wordPattern())].map(({ 0: word, index }) => ({
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
// packages/palimpsest/src/log/seal-entries.ts
/** The hash of an entry, given that of the one before it. */
function chainHash(entry, hashBefore, digest) {
	const { sequence, parent, kind, version, atMs, digest: payloadDigest } = entry;
	return digest(JSON.stringify([
		hashBefore,
		sequence,
		parent,
		kind,
		version,
		atMs,
		payloadDigest
	]));
}
/** The same entry in another chain, in which payloads are digested in another way. Of an erased payload the digest stays what it was. */
function resealEntry(entry, hashBefore, { digest, payloadDigest = digest }) {
	const { payload } = entry;
	const unchained = {
		...entry,
		digest: payload === void 0 ? entry.digest : payloadDigest(payload)
	};
	return {
		...unchained,
		hash: chainHash(unchained, hashBefore, digest)
	};
}
// packages/palimpsest/src/log/check-chain.ts
/** Finds entries that differ from what was appended after `before`. Entries come in order of their numbers. */
function checkChain(entries, before, digest) {
	const problems = [];
	let { sequence, hash } = before;
	for (const entry of entries) {
		const isNext = entry.sequence === sequence + 1;
		for (let missing = sequence + 1; missing < entry.sequence; missing++) problems.push({
			sequence: missing,
			what: "missing"
		});
		if (entry.payload !== void 0 && digest(entry.payload) !== entry.digest) problems.push({
			sequence: entry.sequence,
			what: "payload"
		});
		if (entry.sequence <= sequence || isNext && chainHash(entry, hash, digest) !== entry.hash) problems.push({
			sequence: entry.sequence,
			what: "chain"
		});
		({sequence, hash} = entry);
	}
	return problems;
}
// packages/palimpsest/src/log/entry.ts
/** The head of a log without entries. */
const EMPTY_LOG = {
	sequence: 0,
	hash: ""
};
// packages/palimpsest/src/log/entry-line.ts
/** Writes an entry as one line of JSON, with a readable payload, for people and other programs. */
function toLine({ payload, ...entry }) {
	const fields = JSON.stringify(entry);
	return payload === void 0 ? fields : `${fields.slice(0, -1)},"payload":${payload}}`;
}
/** Reads an entry from a line; undefined if the line is no entry. It does not verify the entry: `checkChain` does. */
function fromLine(line) {
	let value;
	try {
		value = JSON.parse(line);
	} catch {
		return;
	}
	if (typeof value !== "object" || value === null) return void 0;
	const { sequence, parent, kind, version, atMs, digest, hash, payload } = value;
	if (!isNumber(sequence) || !isNumber(parent) || !isNumber(version) || !isNumber(atMs)) return void 0;
	if (typeof kind !== "string" || typeof digest !== "string" || typeof hash !== "string") return void 0;
	return {
		sequence,
		parent,
		kind,
		version,
		atMs,
		payload: "payload" in value ? JSON.stringify(payload) : void 0,
		digest,
		hash
	};
}
function isNumber(value) {
	return typeof value === "number";
}
/** Yields the entries from one number to another, both included, without holding all of them. */
async function* readEntries(log, from, to, batchEntries = 256) {
	for (let next = from; next <= to; next += batchEntries) yield* await log.read(next, Math.min(to, next + batchEntries - 1));
}
// packages/palimpsest/src/stores/portable-sha256.ts
/**
* SHA-256 (FIPS 180-4) in plain JavaScript. Entries are hashed synchronously, and `crypto.subtle` only answers with a promise:
* so runtimes without `node:crypto` need this one. Native hashing is faster; docs/dependencies.md has the ratio.
*/
function portableSha256(content) {
	const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
	const state = Int32Array.from(INITIAL_STATE);
	const schedule = /* @__PURE__ */ new Int32Array(64);
	const whole = bytes.length - bytes.length % BLOCK_BYTES;
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	for (let offset = 0; offset < whole; offset += BLOCK_BYTES) compress(state, view, {
		offset,
		schedule
	});
	const tail = padded(bytes, whole);
	for (let offset = 0; offset < tail.byteLength; offset += BLOCK_BYTES) compress(state, tail, {
		offset,
		schedule
	});
	return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
const BLOCK_BYTES = 64;
/** The bytes after the last whole block, the end bit, and the length in bits as the last eight bytes. */
function padded(bytes, from) {
	const rest = bytes.length - from;
	const tail = new Uint8Array(rest + 9 <= BLOCK_BYTES ? BLOCK_BYTES : 128);
	tail.set(bytes.subarray(from));
	tail[rest] = 128;
	const view = new DataView(tail.buffer);
	view.setUint32(tail.length - 8, Math.floor(bytes.length / 2 ** 29));
	view.setUint32(tail.length - 4, bytes.length * 8 % 2 ** 32);
	return view;
}
function compress(state, block, { offset, schedule }) {
	for (let index = 0; index < 16; index++) schedule[index] = block.getInt32(offset + index * 4);
	for (let index = 16; index < 64; index++) {
		const old = schedule[index - 15];
		const recent = schedule[index - 2];
		const small0 = rotated(old, 7) ^ rotated(old, 18) ^ old >>> 3;
		const small1 = rotated(recent, 17) ^ rotated(recent, 19) ^ recent >>> 10;
		schedule[index] = schedule[index - 16] + small0 + schedule[index - 7] + small1 | 0;
	}
	let a = state[0];
	let b = state[1];
	let c = state[2];
	let d = state[3];
	let e = state[4];
	let f = state[5];
	let g = state[6];
	let h = state[7];
	for (let index = 0; index < 64; index++) {
		const big1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
		const choice = e & f ^ ~e & g;
		const first = h + big1 + choice + ROUND_CONSTANTS[index] + schedule[index] | 0;
		const big0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
		const majority = a & b ^ a & c ^ b & c;
		h = g;
		g = f;
		f = e;
		e = d + first | 0;
		d = c;
		c = b;
		b = a;
		a = first + big0 + majority | 0;
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}
function rotated(word, bits) {
	return word >>> bits | word << 32 - bits;
}
const PRIMES = firstPrimes(64);
/** The first 32 bits of the fractional parts of the square roots of the first 8 primes, and of the cube roots of the first 64. */
const INITIAL_STATE = PRIMES.slice(0, 8).map((prime) => fractionBits(Math.sqrt(prime)));
const ROUND_CONSTANTS = Int32Array.from(PRIMES, (prime) => fractionBits(Math.cbrt(prime)));
function fractionBits(value) {
	return Math.floor((value - Math.floor(value)) * 2 ** 32) | 0;
}
function firstPrimes(count) {
	const primes = [];
	for (let candidate = 2; primes.length < count; candidate++) if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
	return primes;
}
// packages/palimpsest/src/stores/sha256.ts
/**
* Returns the SHA-256 of a text (as UTF-8) or of bytes, as 64 hexadecimal characters. Node's own module is used if there is one. It
* is found without an import, so that the engine also loads in browsers and workers, and at the first digest: loading it was a
* sixth of what importing the engine took.
*/
function sha256(content) {
	const native = globalThis.process?.getBuiltinModule?.("node:crypto");
	return typeof native?.hash === "function" ? native.hash("sha256", content, "hex") : portableSha256(content);
}
// packages/palimpsest/src/stores/export-log.ts
/**
* Exports a whole log as lines of JSON, one entry each, oldest first. A log with keyed digests is exported with those that everybody can
* check.
*/
async function* exportLog(reader) {
	checkArgument("exportLog(reader)", reader, withMethods(["head", "read"], "what store.openReader(session) returns"));
	const { sequence: last } = await reader.head();
	let before = EMPTY_LOG;
	for await (const entry of readEntries(reader, 1, last)) {
		const exported = reader.digests === "keyed" ? resealEntry(entry, before.hash, { digest: sha256 }) : entry;
		yield toLine(exported);
		before = exported;
	}
}
const LINES = {
	needed: "an iterable of lines, as exportLog() gives them",
	fits: (value) => typeof value === "object" && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value)
};
/** Fills an empty log with exported lines. Only entries that their hash chain confirms are imported. */
async function importLog(writer, lines) {
	checkArgument("importLog(writer)", writer, withMethods(["append"], "the writer that store.openWriter() returns"));
	checkArgument("importLog(writer, lines)", lines, LINES);
	let before = EMPTY_LOG;
	let newest = EMPTY_LOG;
	let line = 0;
	let batch = [];
	const flush = async () => {
		const result = await writer.append(batch);
		batch = [];
		return result.kind === "appended" ? void 0 : {
			kind: "refused",
			because: result
		};
	};
	for await (const text of lines) {
		line++;
		const entry = fromLine(text);
		const problem = entry === void 0 ? "not-an-entry" : checkChain([entry], before, sha256)[0]?.what;
		if (entry === void 0 || problem !== void 0) return await flush() ?? {
			kind: "damaged",
			line,
			problem: problem ?? "not-an-entry"
		};
		before = entry;
		const { digest: payloadDigest } = writer;
		const own = payloadDigest ? resealEntry(entry, newest.hash, {
			digest: sha256,
			payloadDigest
		}) : entry;
		newest = own;
		batch.push(own);
		const refused = batch.length === 256 ? await flush() : void 0;
		if (refused !== void 0) return refused;
	}
	return await flush() ?? {
		kind: "imported",
		entries: line
	};
}
// packages/palimpsest/src/stores/list-sessions.ts
/** Yields all sessions of a store, page by page. */
async function* eachSession(store) {
	for (let after = ""; after !== void 0;) {
		const { sessions, next } = await store.list({ after });
		yield* sessions;
		after = next;
	}
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
// packages/postgres/src/database-error.ts
const REMEDIES = {
	"not-migrated": "the schema is missing or older than this release. Run migrate(pool) as an administrator",
	"no-permission": "this role may not do it. GRANT palimpsest_worker to it (and for what concerns all tenants, GRANT palimpsest_operator)",
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
/** Codes of the system begin with E: most are longer (ECONNREFUSED), and EPIPE is not. No class of PostgreSQL does. */
const SQL_STATE = /^[0-9A-DF-Z][0-9A-Z]{4}$/;
/** @param remedy what to do, where more is known than PostgreSQL's code says */
function toDatabaseError(statement, error, remedy) {
	const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
	if (!SQL_STATE.test(code)) return new DatabaseError(statement, "unreachable", { cause: error });
	return new DatabaseError(statement, REASONS.find(([start]) => code.startsWith(start))?.[1] ?? "refused", {
		sqlState: code,
		cause: error,
		remedy
	});
}
// packages/postgres/src/migrations/migration-sql.ts
const LOCK = 1348553839;
/** The roles as which a migration acts: who owns the tables, and who owns the function that takes work of all tenants. */
const OWNERS = ["palimpsest_owner", "palimpsest_queue"];
/** All roles: the owners, who serves sessions, who may list tenants, who may take work of all tenants. */
const ROLES = [
	...OWNERS,
	"palimpsest_worker",
	"palimpsest_operator",
	"palimpsest_dispatcher"
];
/** Roles belong to all databases of a server: another migration may create them at the same moment. */
const BEGINNING = `DO $$
DECLARE
  v_role text;
BEGIN
  FOREACH v_role IN ARRAY ${arrayOf(ROLES)} LOOP
    -- Where an administrator has created them, the right to create roles is not needed.
    IF to_regrole(v_role) IS NULL THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', v_role);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
      END;
    END IF;
  END LOOP;
  -- From PostgreSQL 16 on, who has created a role is a member that cannot act as this role.
  FOREACH v_role IN ARRAY ${arrayOf(OWNERS)} LOOP
    IF NOT pg_has_role(v_role, CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END) THEN
      EXECUTE format('GRANT %I TO %I', v_role, current_user);
    END IF;
  END LOOP;
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
function arrayOf(names) {
	return `ARRAY[${names.map((name) => `'${name}'`).join(", ")}]`;
}
// packages/postgres/src/migrations/explain-refusal.ts
/** The statements that an administrator has to run before this role can migrate; undefined if none is known. */
async function findMissingRights(pool) {
	const { rows } = await pool.query(`SELECT quote_ident(current_user) AS role, quote_ident(current_database()) AS database,
      (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) AS creates_roles,
      ARRAY(SELECT name FROM unnest($1::text[]) AS name WHERE to_regrole(name) IS NULL) AS absent,
      ARRAY(SELECT name FROM unnest($2::text[]) AS name WHERE NOT coalesce(pg_has_role(to_regrole(name), 'MEMBER'), false)) AS unowned,
      has_database_privilege(current_database(), 'CREATE') OR to_regnamespace('palimpsest') IS NOT NULL AS creates_schema`, [ROLES, OWNERS]);
	const found = rows[0];
	const { role, database } = found;
	const statements = [
		...found.creates_roles ? [] : found.absent.map((name) => `CREATE ROLE ${name} NOLOGIN`),
		...found.creates_roles ? [] : found.unowned.map((name) => `GRANT ${name} TO ${role}`),
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
CREATE FUNCTION read_batch(p_tenant text, p_session bigint, p_up_to integer, p_from integer[], p_to integer[], p_kinds text[], p_since text, p_limit integer)
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
    FROM (VALUES (1)) AS one LEFT JOIN entries_of_batch(p_tenant, p_session, least(coalesce(v_head.head_sequence, 0), p_up_to), p_from, p_to,
      p_kinds, p_since, p_limit) AS found ON true;
END $$;

-- Takes a session for writing, and reads of it.
CREATE FUNCTION open_and_read(p_tenant text, p_name text, p_owner text, p_worker uuid, p_takeover text, p_now_ms double precision,
  p_lease_ms double precision, p_up_to integer, p_from integer[], p_to integer[], p_kinds text[], p_since text, p_limit integer)
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
    FROM read_batch(p_tenant, v_opened.session, p_up_to, p_from, p_to, p_kinds, p_since, p_limit) AS batch;
END $$;

-- Finds a session for reading, and reads of it.
CREATE FUNCTION find_and_read(p_tenant text, p_name text, p_up_to integer, p_from integer[], p_to integer[], p_kinds text[], p_since text,
  p_limit integer)
RETURNS TABLE (session bigint, head_sequence integer, head_hash text, sequence integer, parent integer, kind text, version integer,
  at_ms double precision, digest bytea, hash bytea, payload text)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_session bigint := find_session(p_tenant, p_name);
BEGIN
  IF v_session IS NULL THEN RETURN; END IF;
  RETURN QUERY SELECT v_session, batch.* FROM read_batch(p_tenant, v_session, p_up_to, p_from, p_to, p_kinds, p_since, p_limit) AS batch;
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
	},
	{
		name: "schedule",
		sql: `
CREATE SEQUENCE run_number;

-- One row for each session that is to run or runs, none for those that rest: all that a worker looks through.
CREATE TABLE wakeup (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session text COLLATE "C" NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'held', 'set-aside')),
  -- When it is to run; of one that is held or sent to another engine, when whoever has it counts as gone.
  due_at_ms double precision NOT NULL,
  -- Counts wakes: one that comes during a run is not forgotten at its end.
  version bigint NOT NULL DEFAULT 0,
  -- The wakes that a finished run has covered.
  done_version bigint NOT NULL DEFAULT 0,
  -- Never given twice, though rows come and go.
  run bigint NOT NULL DEFAULT 0,
  -- The run that sent it to another engine.
  sender bigint NOT NULL DEFAULT 0,
  attempts integer NOT NULL DEFAULT 0,
  set_aside_at_ms double precision,
  failure text,
  PRIMARY KEY (tenant, session)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
CREATE INDEX wakeup_due ON wakeup (tenant, due_at_ms) WHERE state <> 'set-aside';

CREATE TABLE reminder (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'ready')),
  due_at_ms double precision NOT NULL,
  reason text NOT NULL,
  past_entry integer,
  -- The run that it was given to.
  run bigint,
  PRIMARY KEY (tenant, session, key)
);
CREATE INDEX reminder_due ON reminder (due_at_ms) WHERE state = 'waiting';

ALTER TABLE wakeup ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE reminder ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON wakeup USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON reminder USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY all_tenants ON wakeup TO palimpsest_queue USING (true);
CREATE POLICY all_tenants ON reminder TO palimpsest_queue USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON wakeup, reminder TO palimpsest_worker;
GRANT USAGE, CREATE ON SCHEMA palimpsest TO palimpsest_queue;
GRANT USAGE ON SCHEMA palimpsest TO palimpsest_dispatcher;
GRANT USAGE ON SEQUENCE run_number TO palimpsest_queue;
GRANT SELECT (tenant, session, state, due_at_ms, run, attempts), INSERT (tenant, session, due_at_ms),
  UPDATE (state, due_at_ms, run, sender, attempts, set_aside_at_ms) ON wakeup TO palimpsest_queue;
GRANT SELECT (tenant, session, key, state, due_at_ms), UPDATE (state) ON reminder TO palimpsest_queue;

-- Locks are taken in one order everywhere: reminders, then the session's wake-up.
CREATE FUNCTION wake_session(p_tenant text, p_session text, p_now_ms double precision) RETURNS text
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_state text;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO wakeup AS w (tenant, session, due_at_ms, version) VALUES (p_tenant, p_session, now_ms(p_now_ms), 1)
    ON CONFLICT (tenant, session) DO UPDATE SET version = w.version + 1,
      due_at_ms = CASE w.state WHEN 'waiting' THEN least(w.due_at_ms, excluded.due_at_ms) ELSE w.due_at_ms END
    RETURNING state INTO v_state;
  RETURN CASE v_state WHEN 'set-aside' THEN v_state ELSE 'woken' END;
END $$;

-- A new time counts for the next run, also if the reminder of this key was given to the run that is under way.
CREATE FUNCTION remind_session(p_tenant text, p_session text, p_key text, p_due_at_ms double precision, p_reason text, p_past_entry integer)
RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO reminder (tenant, session, key, state, due_at_ms, reason, past_entry)
    VALUES (p_tenant, p_session, p_key, 'waiting', p_due_at_ms, p_reason, p_past_entry)
    ON CONFLICT (tenant, session, key) DO UPDATE SET state = 'waiting', due_at_ms = excluded.due_at_ms, reason = excluded.reason,
      past_entry = excluded.past_entry, run = NULL;
END $$;

CREATE FUNCTION cancel_reminder(p_tenant text, p_session text, p_key text) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  DELETE FROM reminder WHERE tenant = p_tenant AND session = p_session AND key = p_key AND run IS NULL;
  RETURN FOUND;
END $$;

CREATE FUNCTION list_set_aside(p_tenant text, p_after text, p_limit integer)
RETURNS TABLE (session text, attempts integer, set_aside_at_ms double precision, failure text)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT session, attempts, set_aside_at_ms, failure FROM wakeup
    WHERE tenant = p_tenant AND state = 'set-aside' AND session > p_after ORDER BY session LIMIT p_limit;
END $$;

CREATE FUNCTION resume_session(p_tenant text, p_session text, p_now_ms double precision) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE wakeup SET state = 'waiting', attempts = 0, due_at_ms = now_ms(p_now_ms), set_aside_at_ms = NULL
    WHERE tenant = p_tenant AND session = p_session AND state = 'set-aside';
  RETURN FOUND;
END $$;

-- Gives the run the reminders that are due, and drops the stale ones. One that an earlier run was given is not judged again: the log may have
-- grown by that run's own work. Returns no row if the run is lost, or if nothing is left to run for.
CREATE FUNCTION begin_run(p_tenant text, p_session text, p_run bigint)
RETURNS TABLE (version bigint, key text, reason text, due_at_ms double precision)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_row record;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  PERFORM FROM reminder WHERE tenant = p_tenant AND session = p_session AND state = 'ready' ORDER BY key FOR UPDATE;
  SELECT version, done_version FROM wakeup
    WHERE tenant = p_tenant AND session = p_session AND run = p_run AND state IN ('held', 'sent') FOR UPDATE INTO v_row;
  IF NOT FOUND THEN RETURN; END IF;
  DELETE FROM reminder WHERE tenant = p_tenant AND session = p_session AND state = 'ready' AND run IS NULL
    AND past_entry < (SELECT head_sequence FROM session WHERE tenant = p_tenant AND name = p_session);
  UPDATE reminder SET run = p_run WHERE tenant = p_tenant AND session = p_session AND state = 'ready';
  IF NOT FOUND AND v_row.version = v_row.done_version THEN
    DELETE FROM wakeup WHERE tenant = p_tenant AND session = p_session;
    RETURN;
  END IF;
  RETURN QUERY SELECT v_row.version, r.key, r.reason, r.due_at_ms FROM (SELECT) AS one
    LEFT JOIN reminder AS r ON r.tenant = p_tenant AND r.session = p_session AND r.run = p_run ORDER BY r.due_at_ms, r.key;
END $$;

-- A renewal that a crash of the server forgets costs a run at most, which the log's fence makes harmless.
CREATE FUNCTION renew_run(p_tenant text, p_session text, p_run bigint, p_silent_ms double precision, p_now_ms double precision) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true), set_config('synchronous_commit', 'off', true);
  UPDATE wakeup SET due_at_ms = now_ms(p_now_ms) + p_silent_ms
    WHERE tenant = p_tenant AND session = p_session AND run = p_run AND state IN ('held', 'sent');
  RETURN FOUND;
END $$;

-- The row goes, unless the session was woken since the run began.
CREATE FUNCTION finish_run(p_tenant text, p_session text, p_run bigint, p_version bigint, p_now_ms double precision) RETURNS text
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_version bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  PERFORM FROM reminder WHERE tenant = p_tenant AND session = p_session AND run = p_run ORDER BY key FOR UPDATE;
  SELECT version FROM wakeup WHERE tenant = p_tenant AND session = p_session AND run = p_run AND state IN ('held', 'sent') FOR UPDATE INTO v_version;
  IF NOT FOUND THEN RETURN 'lost'; END IF;
  DELETE FROM reminder WHERE tenant = p_tenant AND session = p_session AND run = p_run;
  IF v_version = p_version AND NOT EXISTS (SELECT FROM reminder WHERE tenant = p_tenant AND session = p_session AND state = 'ready') THEN
    DELETE FROM wakeup WHERE tenant = p_tenant AND session = p_session;
    RETURN 'finished';
  END IF;
  UPDATE wakeup SET state = 'waiting', due_at_ms = now_ms(p_now_ms), attempts = 0, done_version = p_version, failure = NULL
    WHERE tenant = p_tenant AND session = p_session;
  RETURN 'woken';
END $$;

-- Without a failure the attempt does not count, and a session that was woken since the run began runs at once. To send a session is no attempt.
CREATE FUNCTION give_back_run(p_tenant text, p_session text, p_run bigint, p_attempt integer, p_version bigint, p_after_ms double precision, p_failure text, p_now_ms double precision) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE wakeup SET state = 'waiting', failure = coalesce(p_failure, failure),
      due_at_ms = now_ms(p_now_ms) + CASE WHEN p_failure IS NULL AND version > p_version THEN 0 ELSE p_after_ms END,
      attempts = CASE WHEN state = 'sent' THEN attempts WHEN p_failure IS NULL THEN p_attempt - 1 ELSE p_attempt END
    WHERE tenant = p_tenant AND session = p_session AND run = p_run AND state IN ('held', 'sent');
  RETURN FOUND;
END $$;

-- Tells those that listen, apart from what happened: PostgreSQL commits transactions that notify one after another, so there are few of them. What a
-- crash loses, the listeners' poll finds.
CREATE FUNCTION ring(p_channels text[], p_payloads text[]) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM pg_notify(channel, payload) FROM unnest(p_channels, p_payloads) AS rung (channel, payload);
END $$;

-- What belongs to a session goes with it. The tables' owner does it, under the same row-level security.
CREATE FUNCTION wakeups_go_with_their_session() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM reminder WHERE tenant = OLD.tenant AND session = OLD.name;
  DELETE FROM wakeup WHERE tenant = OLD.tenant AND session = OLD.name;
  RETURN NULL;
END $$;
CREATE TRIGGER wakeups_go_with_their_session AFTER DELETE ON session FOR EACH ROW EXECUTE FUNCTION wakeups_go_with_their_session();

SET LOCAL ROLE palimpsest_queue;
-- One session of each tenant in turn, beginning behind the tenant that is named: a tenant with a million due sessions delays another by
-- one. Rows that another worker is taking are skipped. A row without a run: this session was set aside. Who takes sessions to send them to
-- another engine does not run them: that is no attempt. From the third on an attempt counts when the run is first kept (keep_run): a
-- worker that may not run it beside another suspect gives it back, and may be ended by that other one before it has.
CREATE FUNCTION take_wakeups(p_limit integer, p_after text, p_to text, p_max_attempts integer, p_silent_ms double precision, p_now_ms double precision)
RETURNS TABLE (tenant text, session text, run bigint, attempt integer) LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_now double precision := coalesce(p_now_ms, extract(epoch FROM clock_timestamp()) * 1000);
  v_tenant text := p_after;
  v_left integer := p_limit;
  v_due record;
  v_run bigint;
BEGIN
  WITH due AS (
    SELECT tenant, session, key FROM palimpsest.reminder WHERE state = 'waiting' AND due_at_ms <= v_now
      ORDER BY due_at_ms LIMIT 1000 FOR UPDATE SKIP LOCKED
  ), ready AS (
    UPDATE palimpsest.reminder AS r SET state = 'ready' FROM due
      WHERE r.tenant = due.tenant AND r.session = due.session AND r.key = due.key RETURNING r.tenant, r.session
  )
  INSERT INTO palimpsest.wakeup AS w (tenant, session, due_at_ms) SELECT DISTINCT tenant, session, v_now FROM ready ORDER BY tenant, session
    ON CONFLICT (tenant, session) DO UPDATE
      SET due_at_ms = CASE w.state WHEN 'waiting' THEN least(w.due_at_ms, excluded.due_at_ms) ELSE w.due_at_ms END;
  WHILE v_left > 0 LOOP
    SELECT w.tenant, w.session, w.attempts FROM palimpsest.wakeup AS w
      WHERE w.state <> 'set-aside' AND w.tenant > v_tenant AND w.due_at_ms <= v_now
      ORDER BY w.tenant, w.due_at_ms LIMIT 1 FOR UPDATE SKIP LOCKED INTO v_due;
    IF NOT FOUND THEN
      -- From the first tenant on there was none: none is left.
      EXIT WHEN v_tenant = '';
      v_tenant := '';
      CONTINUE;
    END IF;
    v_tenant := v_due.tenant;
    IF v_due.attempts >= p_max_attempts THEN
      v_run := NULL;
      UPDATE palimpsest.wakeup AS w SET state = 'set-aside', set_aside_at_ms = v_now, run = 0
        WHERE w.tenant = v_due.tenant AND w.session = v_due.session;
    ELSE
      v_run := nextval('palimpsest.run_number');
      v_left := v_left - 1;
      UPDATE palimpsest.wakeup AS w SET state = CASE p_to WHEN 'send' THEN 'sent' ELSE 'held' END, due_at_ms = v_now + p_silent_ms, run = v_run,
          sender = CASE p_to WHEN 'send' THEN v_run ELSE 0 END,
          attempts = w.attempts + CASE WHEN p_to = 'send' OR w.attempts >= 2 THEN 0 ELSE 1 END
        WHERE w.tenant = v_due.tenant AND w.session = v_due.session;
    END IF;
    RETURN QUERY SELECT v_due.tenant, v_due.session, v_run, v_due.attempts + CASE p_to WHEN 'send' THEN 0 ELSE 1 END;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION take_wakeups FROM PUBLIC;
GRANT EXECUTE ON FUNCTION take_wakeups TO palimpsest_dispatcher;
SET LOCAL ROLE palimpsest_owner;
REVOKE CREATE ON SCHEMA palimpsest FROM palimpsest_queue;
`
	},
	{
		name: "approvals",
		sql: `
CREATE SEQUENCE approval_number;
CREATE TABLE approval (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session text COLLATE "C" NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  -- The order of asking.
  number bigint NOT NULL DEFAULT nextval('approval_number'),
  tool text NOT NULL,
  input text NOT NULL,
  reason text,
  asked_at_ms double precision NOT NULL,
  expires_at_ms double precision,
  decision text CHECK (decision IN ('allow', 'deny')),
  answer_reason text,
  answered_by text,
  answered_at_ms double precision,
  PRIMARY KEY (tenant, session, call_id)
);
CREATE INDEX approval_pending ON approval (tenant, number) WHERE decision IS NULL;
CREATE TRIGGER approval_is_answered_once BEFORE UPDATE ON approval FOR EACH ROW WHEN (OLD.decision IS NOT NULL)
  EXECUTE FUNCTION refuse('a question is answered once');
ALTER TABLE approval ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON approval USING (tenant = current_setting('palimpsest.tenant', true));
GRANT USAGE ON SEQUENCE approval_number TO palimpsest_worker;
GRANT SELECT, INSERT, UPDATE (decision, answer_reason, answered_by, answered_at_ms) ON approval TO palimpsest_worker;

-- Returns the question as it was asked first, and the time.
CREATE FUNCTION ask_approval(p_tenant text, p_session text, p_call_id text, p_tool text, p_input text, p_reason text,
  p_expires_at_ms double precision, p_expiry_key text, p_expiry_reason text, p_now_ms double precision)
RETURNS TABLE (now_at_ms double precision, asked approval) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_now double precision := now_ms(p_now_ms);
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO approval (tenant, session, call_id, tool, input, reason, asked_at_ms, expires_at_ms)
    VALUES (p_tenant, p_session, p_call_id, p_tool, p_input, p_reason, v_now, p_expires_at_ms) ON CONFLICT DO NOTHING;
  IF FOUND AND p_expires_at_ms IS NOT NULL THEN
    PERFORM remind_session(p_tenant, p_session, p_expiry_key, p_expires_at_ms, p_expiry_reason, NULL);
  END IF;
  RETURN QUERY SELECT v_now, a FROM approval AS a WHERE tenant = p_tenant AND session = p_session AND call_id = p_call_id;
END $$;

CREATE FUNCTION read_approval(p_tenant text, p_session text, p_call_id text, p_now_ms double precision)
RETURNS TABLE (now_at_ms double precision, asked approval) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT now_ms(p_now_ms), a FROM approval AS a WHERE tenant = p_tenant AND session = p_session AND call_id = p_call_id;
END $$;

CREATE FUNCTION pending_approvals(p_tenant text, p_session text, p_after bigint, p_limit integer, p_now_ms double precision)
RETURNS SETOF approval LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_now double precision := now_ms(p_now_ms);
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  IF p_session IS NULL THEN
    RETURN QUERY SELECT * FROM approval WHERE tenant = p_tenant AND decision IS NULL AND number > p_after
      AND (expires_at_ms IS NULL OR expires_at_ms > v_now) ORDER BY number LIMIT p_limit;
  ELSE
    RETURN QUERY SELECT * FROM approval WHERE tenant = p_tenant AND session = p_session AND decision IS NULL AND number > p_after
      AND (expires_at_ms IS NULL OR expires_at_ms > v_now) ORDER BY number LIMIT p_limit;
  END IF;
END $$;

-- The row's lock orders those that answer at once. Returns the row as it was before, and the time; no row: nobody asked.
CREATE FUNCTION answer_approval(p_tenant text, p_session text, p_call_id text, p_decision text, p_by text, p_reason text, p_expiry_key text,
  p_now_ms double precision)
RETURNS TABLE (now_at_ms double precision, asked approval) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_asked approval;
  v_now double precision;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  SELECT * FROM approval WHERE tenant = p_tenant AND session = p_session AND call_id = p_call_id FOR UPDATE INTO v_asked;
  IF NOT FOUND THEN RETURN; END IF;
  v_now := now_ms(p_now_ms);
  IF v_asked.decision IS NULL AND (v_asked.expires_at_ms IS NULL OR v_asked.expires_at_ms > v_now) THEN
    UPDATE approval SET decision = p_decision, answer_reason = p_reason, answered_by = p_by, answered_at_ms = v_now
      WHERE tenant = p_tenant AND session = p_session AND call_id = p_call_id;
    PERFORM cancel_reminder(p_tenant, p_session, p_expiry_key);
    PERFORM wake_session(p_tenant, p_session, p_now_ms);
  END IF;
  RETURN QUERY SELECT v_now, v_asked;
END $$;

-- Workers may not delete: they may take an open question back, which its owner does, under the same row-level security.
CREATE FUNCTION withdraw_approval(p_tenant text, p_session text, p_call_id text, p_expiry_key text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_decision text;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  SELECT decision FROM approval WHERE tenant = p_tenant AND session = p_session AND call_id = p_call_id FOR UPDATE INTO v_decision;
  IF NOT FOUND THEN RETURN 'absent'; END IF;
  IF v_decision IS NOT NULL THEN RETURN 'answered'; END IF;
  DELETE FROM approval WHERE tenant = p_tenant AND session = p_session AND call_id = p_call_id;
  PERFORM cancel_reminder(p_tenant, p_session, p_expiry_key);
  RETURN 'withdrawn';
END $$;
REVOKE ALL ON FUNCTION withdraw_approval FROM PUBLIC;
GRANT EXECUTE ON FUNCTION withdraw_approval TO palimpsest_worker;

CREATE FUNCTION approvals_go_with_their_session() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM approval WHERE tenant = OLD.tenant AND session = OLD.name;
  RETURN NULL;
END $$;
CREATE TRIGGER approvals_go_with_their_session AFTER DELETE ON session FOR EACH ROW EXECUTE FUNCTION approvals_go_with_their_session();
`
	},
	{
		name: "events",
		sql: `
CREATE TABLE event_stream (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session text COLLATE "C" NOT NULL,
  oldest_offset bigint NOT NULL DEFAULT 1,
  newest_offset bigint NOT NULL DEFAULT 0,
  -- The highest right to publish so far.
  fence bigint NOT NULL DEFAULT 0,
  batch text,
  PRIMARY KEY (tenant, session)
) WITH (fillfactor = 70);
-- One row for each batch: deltas of a text come a few at a time.
CREATE TABLE event (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session text COLLATE "C" NOT NULL,
  last_offset bigint NOT NULL,
  first_offset bigint NOT NULL,
  at_ms double precision NOT NULL,
  payload text NOT NULL,
  PRIMARY KEY (tenant, session, last_offset)
);
ALTER TABLE event_stream ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE event ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON event_stream USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON event USING (tenant = current_setting('palimpsest.tenant', true));
GRANT SELECT, INSERT, UPDATE ON event_stream TO palimpsest_worker;
GRANT SELECT, INSERT, DELETE ON event TO palimpsest_worker;

-- Synced before it returns: after a crash of the server no watcher has an offset that is given to another event.
CREATE FUNCTION publish_events(p_tenant text, p_session text, p_count integer, p_payload text, p_fence bigint, p_batch text,
  p_now_ms double precision)
RETURNS TABLE (outcome text, newest_offset bigint, fence bigint)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_stream event_stream;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  SELECT * FROM event_stream WHERE tenant = p_tenant AND session = p_session FOR UPDATE INTO v_stream;
  IF NOT FOUND THEN
    INSERT INTO event_stream (tenant, session) VALUES (p_tenant, p_session) ON CONFLICT DO NOTHING;
    SELECT * FROM event_stream WHERE tenant = p_tenant AND session = p_session FOR UPDATE INTO v_stream;
  END IF;
  IF p_fence < v_stream.fence THEN
    RETURN QUERY SELECT 'fenced', v_stream.newest_offset, v_stream.fence;
    RETURN;
  END IF;
  IF p_count = 0 OR p_batch = v_stream.batch THEN
    RETURN QUERY SELECT 'published', v_stream.newest_offset, v_stream.fence;
    RETURN;
  END IF;
  UPDATE event_stream SET newest_offset = v_stream.newest_offset + p_count, fence = greatest(v_stream.fence, p_fence),
      batch = coalesce(p_batch, v_stream.batch)
    WHERE tenant = p_tenant AND session = p_session;
  INSERT INTO event VALUES (p_tenant, p_session, v_stream.newest_offset + p_count, v_stream.newest_offset + 1, now_ms(p_now_ms), p_payload);
  RETURN QUERY SELECT 'published', v_stream.newest_offset + p_count, v_stream.fence;
END $$;

-- One statement, so that the ends of the stream and its events are of one moment. No row: nothing was ever published.
CREATE FUNCTION read_events(p_tenant text, p_session text, p_after bigint, p_limit integer)
RETURNS TABLE (oldest_offset bigint, newest_offset bigint, first_offset bigint, payload text)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT s.oldest_offset, s.newest_offset, e.first_offset, e.payload FROM event_stream AS s
    LEFT JOIN LATERAL (SELECT * FROM event WHERE tenant = p_tenant AND session = p_session AND last_offset > p_after
      ORDER BY last_offset LIMIT p_limit) AS e ON true
    WHERE s.tenant = p_tenant AND s.session = p_session ORDER BY e.last_offset;
END $$;

-- For all sessions that a process watches, at once.
CREATE FUNCTION newest_events(p_tenant text, p_sessions text[]) RETURNS TABLE (session text, newest_offset bigint)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT session, newest_offset FROM event_stream WHERE tenant = p_tenant AND session = ANY (p_sessions);
END $$;

-- Looks at a page of sessions in the order of their names, because an index by time would cost every publisher.
CREATE FUNCTION prune_events(p_tenant text, p_before_ms double precision, p_after text, p_limit integer)
RETURNS TABLE (session text, pruned bigint) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_session text;
  v_pruned bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  FOR v_session IN SELECT s.session FROM event_stream AS s WHERE s.tenant = p_tenant AND s.session > p_after ORDER BY s.session LIMIT p_limit LOOP
    -- Locked first: a publisher that waits finds the stream as it is then.
    PERFORM FROM event_stream AS s WHERE s.tenant = p_tenant AND s.session = v_session FOR UPDATE;
    -- From the beginning on, whatever the clock did: there are never holes.
    DELETE FROM event AS e WHERE e.tenant = p_tenant AND e.session = v_session AND e.last_offset < coalesce((SELECT min(kept.last_offset)
      FROM event AS kept WHERE kept.tenant = p_tenant AND kept.session = v_session AND kept.at_ms >= p_before_ms), 'infinity'::float8);
    GET DIAGNOSTICS v_pruned = ROW_COUNT;
    IF v_pruned > 0 THEN
      UPDATE event_stream AS s SET oldest_offset = coalesce((SELECT min(e.first_offset) FROM event AS e
        WHERE e.tenant = p_tenant AND e.session = v_session), s.newest_offset + 1) WHERE s.tenant = p_tenant AND s.session = v_session;
    END IF;
    RETURN QUERY SELECT v_session, v_pruned;
  END LOOP;
END $$;

CREATE FUNCTION events_go_with_their_session() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM event WHERE tenant = OLD.tenant AND session = OLD.name;
  DELETE FROM event_stream WHERE tenant = OLD.tenant AND session = OLD.name;
  RETURN NULL;
END $$;
CREATE TRIGGER events_go_with_their_session AFTER DELETE ON session FOR EACH ROW EXECUTE FUNCTION events_go_with_their_session();
`
	},
	{
		name: "result objects",
		sql: `
-- The start of a tenant's keys. Both are random: a bucket's list of keys names no tenant and no session.
CREATE TABLE object_folder (
  tenant text COLLATE "C" PRIMARY KEY CHECK (tenant <> ''),
  folder uuid NOT NULL DEFAULT gen_random_uuid(),
  salt uuid NOT NULL DEFAULT gen_random_uuid()
);
ALTER TABLE object_folder ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON object_folder USING (tenant = current_setting('palimpsest.tenant', true));
GRANT SELECT, INSERT ON object_folder TO palimpsest_worker;

-- Every result that may be in the bucket, with all objects below its key: written before the first, removed after the last. It outlives
-- its result and its tenant, so it belongs to none and says nothing of any. Workers change it by the functions below only.
CREATE TABLE result_object (
  key text COLLATE "C" PRIMARY KEY,
  state text NOT NULL CHECK (state IN ('uploading', 'kept', 'doomed')),
  at_ms double precision NOT NULL
);
CREATE INDEX result_object_doomed ON result_object (key) WHERE state = 'doomed';
CREATE INDEX result_object_uploading ON result_object (at_ms) WHERE state = 'uploading';

-- A result is in the bucket under this key, or in pieces in result_chunk if it has none.
ALTER TABLE result ADD COLUMN object_key text COLLATE "C";
-- The key of the tenant that encrypted it; null: it is as it was written.
ALTER TABLE result ADD COLUMN key_id text;
-- Encrypted: the name that the session knows it by. Its column \`file\` is derived from that with a key.
ALTER TABLE result ADD COLUMN sealed_name text;
-- Deleting a result dooms its object. So workers name objects by keep_content only, which knows whose they are.
REVOKE INSERT ON result FROM palimpsest_worker;
GRANT INSERT (tenant, session, file, content, bytes, at_ms, key_id, sealed_name) ON result TO palimpsest_worker;

-- Whoever deletes results, in whatever way: their objects are doomed in the same transaction.
CREATE FUNCTION objects_go_with_their_results() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
  UPDATE result_object SET state = 'doomed', at_ms = now_ms(NULL) FROM gone WHERE result_object.key = gone.object_key AND state = 'kept';
  RETURN NULL;
END $$;
CREATE TRIGGER objects_go_with_their_results AFTER DELETE ON result REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION objects_go_with_their_results();
CREATE TRIGGER result_stays BEFORE TRUNCATE ON result FOR EACH STATEMENT
  EXECUTE FUNCTION refuse('results are never truncated: their objects would stay in the bucket');

CREATE FUNCTION begin_object(p_tenant text, p_session text, p_content uuid, p_now_ms double precision) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_folder object_folder;
  v_key text;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO object_folder (tenant) VALUES (p_tenant) ON CONFLICT DO NOTHING;
  SELECT * FROM object_folder WHERE tenant = p_tenant INTO v_folder;
  v_key := concat_ws('/', v_folder.folder, left(encode(sha256(convert_to(v_folder.salt || p_session, 'UTF8')), 'hex'), 32), p_content);
  INSERT INTO result_object (key, state, at_ms) VALUES (v_key, 'uploading', now_ms(p_now_ms));
  RETURN v_key;
END $$;

CREATE FUNCTION is_own_object(p_tenant text, p_key text) RETURNS boolean LANGUAGE sql STABLE SET search_path FROM CURRENT AS
  $$ SELECT EXISTS (SELECT FROM object_folder WHERE tenant = p_tenant AND folder::text = split_part(p_key, '/', 1)) $$;

CREATE FUNCTION doom_object(p_tenant text, p_key text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE result_object SET state = 'doomed' WHERE key = p_key AND state = 'uploading' AND is_own_object(p_tenant, p_key);
END $$;

-- The name of a content that is whole: in the bucket, or in pieces of which this is the last. The first that was kept under a name
-- stays, because somebody may read it, unless the caller has found that it cannot be read and names it in p_replace.
CREATE FUNCTION keep_content(p_tenant text, p_session text, p_file text, p_content uuid, p_size bigint, p_number integer, p_now_ms double precision,
  p_bytes bytea, p_object text, p_key_id text, p_sealed_name text, p_replace uuid)
RETURNS TABLE (outcome text, content uuid, object_key text, key_id text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  IF p_object IS NOT NULL THEN
    PERFORM FROM result_object WHERE key = p_object AND state = 'uploading' AND is_own_object(p_tenant, p_object) FOR UPDATE;
    IF NOT FOUND THEN
      RETURN QUERY SELECT 'gone', NULL::uuid, NULL::text, NULL::text;
      RETURN;
    END IF;
  END IF;
  IF p_replace IS NOT NULL THEN
    DELETE FROM result WHERE tenant = p_tenant AND session = p_session AND file = p_file AND content = p_replace;
    DELETE FROM result_chunk WHERE tenant = p_tenant AND content = p_replace;
  END IF;
  INSERT INTO result (tenant, session, file, content, bytes, at_ms, object_key, key_id, sealed_name)
    VALUES (p_tenant, p_session, p_file, p_content, p_size, now_ms(p_now_ms), p_object, p_key_id, p_sealed_name)
    ON CONFLICT (tenant, session, file) DO NOTHING;
  IF NOT FOUND THEN
    UPDATE result SET at_ms = now_ms(p_now_ms) WHERE tenant = p_tenant AND session = p_session AND file = p_file;
    RETURN QUERY SELECT 'other', result.content, result.object_key, result.key_id FROM result WHERE tenant = p_tenant AND session = p_session AND file = p_file;
    RETURN;
  END IF;
  IF p_object IS NULL THEN
    INSERT INTO result_chunk VALUES (p_tenant, p_content, p_number, now_ms(p_now_ms), p_bytes);
  ELSE
    UPDATE result_object SET state = 'kept', at_ms = now_ms(p_now_ms) WHERE key = p_object;
  END IF;
  RETURN QUERY SELECT 'kept', p_content, p_object, p_key_id;
END $$;

-- With its first piece, which is all there is of most.
CREATE FUNCTION find_content(p_tenant text, p_session text, p_file text)
RETURNS TABLE (content uuid, size bigint, bytes bytea, object_key text, key_id text, sealed_name text)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT result.content, result.bytes, result_chunk.bytes, result.object_key, result.key_id, result.sealed_name FROM result
    LEFT JOIN result_chunk ON result_chunk.tenant = result.tenant AND result_chunk.content = result.content AND result_chunk.number = 0
    WHERE result.tenant = p_tenant AND result.session = p_session AND result.file = p_file
      AND (result_chunk.content IS NOT NULL OR result.object_key IS NOT NULL);
END $$;

-- Pieces that no result names, of processes that died before they kept or discarded them. At most so many at a time.
CREATE FUNCTION expire_drafts(p_tenant text, p_silent_since_ms double precision, p_now_ms double precision, p_draft_ms double precision,
  p_limit integer) RETURNS bigint
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_count bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  WITH left_over AS (
    SELECT content FROM result_chunk WHERE tenant = p_tenant AND number = 0
      AND at_ms < least(p_silent_since_ms, now_ms(p_now_ms) - p_draft_ms)
      AND NOT EXISTS (SELECT FROM result WHERE result.tenant = p_tenant AND result.content = result_chunk.content) LIMIT p_limit),
  gone AS (DELETE FROM result_chunk WHERE tenant = p_tenant AND content IN (SELECT content FROM left_over) RETURNING 1)
  SELECT count(*) FROM gone INTO v_count;
  RETURN v_count;
END $$;

-- What a sweep removes from the bucket: of all tenants, and uploads that nobody has kept for so long that nobody will.
CREATE FUNCTION doomed_objects(p_after text, p_limit integer, p_now_ms double precision, p_stale_ms double precision)
RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF p_after = '' THEN
    UPDATE result_object SET state = 'doomed' WHERE state = 'uploading' AND at_ms < now_ms(p_now_ms) - p_stale_ms;
  END IF;
  RETURN QUERY SELECT key FROM result_object WHERE state = 'doomed' AND key > p_after ORDER BY key LIMIT p_limit;
END $$;

CREATE FUNCTION forget_objects(p_keys text[]) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS
  $$ DELETE FROM result_object WHERE key = ANY (p_keys) AND state = 'doomed' $$;

CREATE FUNCTION unknown_objects(p_keys text[]) RETURNS SETOF text LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS
  $$ SELECT unnest(p_keys) EXCEPT SELECT key FROM result_object WHERE key = ANY (p_keys) $$;

REVOKE ALL ON FUNCTION begin_object, doom_object, keep_content, doomed_objects, forget_objects, unknown_objects FROM PUBLIC;
GRANT EXECUTE ON FUNCTION begin_object, doom_object, keep_content, doomed_objects, forget_objects, unknown_objects TO palimpsest_worker;
`
	},
	{
		name: "rates",
		sql: `
-- Buckets belong to the keys of the service, not to a tenant, and say nothing of any. They change often: a page has room for it.
CREATE TABLE rate_bucket (
  key text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  requests double precision NOT NULL,
  tokens double precision NOT NULL,
  -- When the level was right. In the future while the bucket is paused.
  at_ms double precision NOT NULL,
  -- Where the service stands: the start of the newest grant, in time of the limit.
  virtual_ms double precision NOT NULL DEFAULT 0,
  PRIMARY KEY (key, model)
) WITH (fillfactor = 50);
-- What each tenant has had of a bucket. A flow is the digest of a tenant's name. It is forgotten ten minutes after its last
-- request, when others use the bucket.
CREATE TABLE rate_flow (
  key text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  flow text COLLATE "C" NOT NULL,
  virtual_ms double precision NOT NULL,
  state text NOT NULL CHECK (state IN ('idle', 'waiting')),
  needed_requests double precision NOT NULL,
  needed_tokens double precision NOT NULL,
  start_ms double precision NOT NULL,
  since_ms double precision NOT NULL,
  asked_at_ms double precision NOT NULL,
  PRIMARY KEY (key, model, flow)
) WITH (fillfactor = 50);
GRANT SELECT, INSERT, UPDATE, DELETE ON rate_bucket, rate_flow TO palimpsest_worker;

-- How long the limit needs for an amount: by requests or by tokens, whichever is more.
CREATE FUNCTION rate_time(p_requests double precision, p_tokens double precision, p_requests_per_ms double precision,
  p_tokens_per_ms double precision)
RETURNS double precision LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN abs(p_requests / p_requests_per_ms) > abs(p_tokens / p_tokens_per_ms)
  THEN p_requests / p_requests_per_ms ELSE p_tokens / p_tokens_per_ms END $$;

-- Gives back and takes, for any number of tenants in one step. The bucket's row orders the workers. A crash may forget the newest
-- grants: nobody waits for the disk.
CREATE FUNCTION exchange_rates(p_key text, p_model text, p_requests_per_ms double precision, p_tokens_per_ms double precision,
  p_most_requests double precision, p_most_tokens double precision, p_now_ms double precision, p_flows text[],
  p_returned_requests double precision[], p_returned_tokens double precision[], p_needed_requests double precision[],
  p_needed_tokens double precision[], p_wanted_requests double precision[], p_wanted_tokens double precision[],
  p_forget_demand_ms double precision, p_forget_flow_ms double precision)
RETURNS TABLE (flow text, requests double precision, tokens double precision, wait_ms double precision)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_bucket rate_bucket;
  v_now double precision;
  v_claim record;
  v_others record;
  v_returned_ms double precision;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  LOOP
    SELECT * FROM rate_bucket WHERE key = p_key AND model = p_model FOR UPDATE INTO v_bucket;
    EXIT WHEN FOUND;
    INSERT INTO rate_bucket VALUES (p_key, p_model, p_most_requests, p_most_tokens, now_ms(p_now_ms)) ON CONFLICT DO NOTHING;
  END LOOP;
  v_now := now_ms(p_now_ms);
  -- Nothing times an infinite rate is not a number.
  IF v_now > v_bucket.at_ms THEN
    v_bucket.requests := v_bucket.requests + (v_now - v_bucket.at_ms) * p_requests_per_ms;
    v_bucket.tokens := v_bucket.tokens + (v_now - v_bucket.at_ms) * p_tokens_per_ms;
    v_bucket.at_ms := v_now;
  END IF;
  v_bucket.requests := least(v_bucket.requests, p_most_requests);
  v_bucket.tokens := least(v_bucket.tokens, p_most_tokens);
  IF random() < 0.01 THEN
    DELETE FROM rate_flow WHERE key = p_key AND model = p_model AND asked_at_ms <= v_now - p_forget_flow_ms;
  END IF;
  FOR v_claim IN SELECT * FROM unnest(p_flows, p_returned_requests, p_returned_tokens, p_needed_requests, p_needed_tokens)
    AS claim (flow, returned_requests, returned_tokens, needed_requests, needed_tokens)
  LOOP
    v_bucket.requests := least(v_bucket.requests + v_claim.returned_requests, p_most_requests);
    v_bucket.tokens := least(v_bucket.tokens + v_claim.returned_tokens, p_most_tokens);
    v_returned_ms := rate_time(v_claim.returned_requests, v_claim.returned_tokens, p_requests_per_ms, p_tokens_per_ms);
    INSERT INTO rate_flow AS known VALUES (p_key, p_model, v_claim.flow, v_bucket.virtual_ms - v_returned_ms,
      CASE WHEN v_claim.needed_requests > 0 OR v_claim.needed_tokens > 0 THEN 'waiting' ELSE 'idle' END,
      v_claim.needed_requests, v_claim.needed_tokens, v_bucket.virtual_ms, v_now, v_now)
    ON CONFLICT (key, model, flow) DO UPDATE SET
      virtual_ms = known.virtual_ms - v_returned_ms,
      state = excluded.state, needed_requests = excluded.needed_requests, needed_tokens = excluded.needed_tokens,
      start_ms = CASE WHEN known.state = 'waiting' AND known.asked_at_ms > v_now - p_forget_demand_ms THEN known.start_ms
        ELSE greatest(known.virtual_ms - v_returned_ms, v_bucket.virtual_ms) END,
      since_ms = CASE WHEN known.state = 'waiting' AND known.asked_at_ms > v_now - p_forget_demand_ms THEN known.since_ms ELSE v_now END,
      asked_at_ms = v_now;
  END LOOP;
  FOR v_claim IN SELECT own.flow, own.needed_requests, own.needed_tokens, own.start_ms, own.since_ms, wanted_requests, wanted_tokens
    FROM unnest(p_flows, p_wanted_requests, p_wanted_tokens) WITH ORDINALITY AS claim (flow, wanted_requests, wanted_tokens, number)
    JOIN rate_flow AS own ON own.key = p_key AND own.model = p_model AND own.flow = claim.flow
    WHERE own.state = 'waiting' ORDER BY own.start_ms, own.since_ms, claim.number
  LOOP
    SELECT coalesce(sum(least(needed_requests, p_most_requests)), 0) AS requests,
      coalesce(sum(least(needed_tokens, p_most_tokens)), 0) AS tokens,
      coalesce(sum(least(needed_requests, p_most_requests)) FILTER (WHERE (start_ms, since_ms) < (v_claim.start_ms, v_claim.since_ms)), 0) AS ahead_requests,
      coalesce(sum(least(needed_tokens, p_most_tokens)) FILTER (WHERE (start_ms, since_ms) < (v_claim.start_ms, v_claim.since_ms)), 0) AS ahead_tokens
      FROM rate_flow WHERE key = p_key AND model = p_model AND flow <> v_claim.flow AND state = 'waiting'
      AND asked_at_ms > v_now - p_forget_demand_ms INTO v_others;
    flow := v_claim.flow;
    requests := 0;
    tokens := 0;
    -- A request that is larger than the bucket waits for a full one, and leaves a debt.
    wait_ms := v_bucket.at_ms - v_now + rate_time(
      greatest(v_others.ahead_requests + least(v_claim.needed_requests, p_most_requests) - v_bucket.requests, 0),
      greatest(v_others.ahead_tokens + least(v_claim.needed_tokens, p_most_tokens) - v_bucket.tokens, 0), p_requests_per_ms, p_tokens_per_ms);
    IF wait_ms <= 1e-6 THEN
      wait_ms := 0;
      v_bucket.requests := v_bucket.requests - v_claim.needed_requests;
      v_bucket.tokens := v_bucket.tokens - v_claim.needed_tokens;
      -- Half of what is free, so that the next worker finds some, too; no tokens without a request.
      requests := floor(least(v_claim.wanted_requests, greatest(v_bucket.requests - v_others.requests, 0) / 2));
      IF requests > 0 THEN tokens := least(v_claim.wanted_tokens, greatest(v_bucket.tokens - v_others.tokens, 0) / 2); END IF;
      v_bucket.requests := v_bucket.requests - requests;
      v_bucket.tokens := v_bucket.tokens - tokens;
      requests := requests + v_claim.needed_requests;
      tokens := tokens + v_claim.needed_tokens;
      v_bucket.virtual_ms := greatest(v_bucket.virtual_ms, v_claim.start_ms);
      UPDATE rate_flow SET state = 'idle', virtual_ms = v_claim.start_ms + rate_time(requests, tokens, p_requests_per_ms, p_tokens_per_ms)
        WHERE key = p_key AND model = p_model AND rate_flow.flow = v_claim.flow;
    END IF;
    RETURN NEXT;
  END LOOP;
  UPDATE rate_bucket SET requests = v_bucket.requests, tokens = v_bucket.tokens, at_ms = v_bucket.at_ms, virtual_ms = v_bucket.virtual_ms
    WHERE key = p_key AND model = p_model;
END $$;

-- It fills again when the pause is over: whoever waited does not come back all at once.
CREATE FUNCTION pause_rates(p_key text, p_model text, p_for_ms double precision, p_now_ms double precision) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT AS $$
  UPDATE rate_bucket SET requests = least(requests, 0), tokens = least(tokens, 0), at_ms = greatest(at_ms, now_ms(p_now_ms) + p_for_ms)
    WHERE key = p_key AND model = p_model;
$$;
`
	},
	{
		name: "memory",
		sql: `
-- The number is the place in line: of two commits upon the same one, the key takes the first and refuses the second.
CREATE TABLE memory_commit (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  memory text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  -- As git would name it: it follows from all files, and from the commit before.
  id text COLLATE "C" NOT NULL,
  author text NOT NULL CHECK (author IN ('user', 'model', 'dream')),
  at_ms double precision NOT NULL,
  message text NOT NULL,
  PRIMARY KEY (tenant, memory, number)
);
CREATE INDEX memory_commit_by_id ON memory_commit (tenant, memory, id);
CREATE TABLE memory_change (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  memory text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  -- The path itself or, in an encrypted memory, what is derived from it; the name is the path, as it can be read with the key.
  path text COLLATE "C" NOT NULL,
  name text NOT NULL,
  author text NOT NULL CHECK (author IN ('user', 'model', 'dream')),
  -- The commit that wrote the content before; none if there was no file.
  replaced integer,
  -- None: the file was removed.
  content text,
  PRIMARY KEY (tenant, memory, number, path)
);
ALTER TABLE memory_change ALTER COLUMN content SET COMPRESSION lz4;
CREATE TABLE memory_file (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  memory text COLLATE "C" NOT NULL,
  path text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  PRIMARY KEY (tenant, memory, path)
) WITH (fillfactor = 70);
CREATE TABLE memory_use (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  memory text COLLATE "C" NOT NULL,
  slug text COLLATE "C" NOT NULL,
  name text NOT NULL,
  uses integer NOT NULL,
  last_at_ms double precision NOT NULL,
  PRIMARY KEY (tenant, memory, slug)
) WITH (fillfactor = 70);

CREATE TRIGGER memory_commit_stays BEFORE UPDATE ON memory_commit FOR EACH ROW EXECUTE FUNCTION refuse('commits of a memory never change');
CREATE TRIGGER memory_change_stays BEFORE UPDATE ON memory_change FOR EACH ROW EXECUTE FUNCTION refuse('commits of a memory never change');
ALTER TABLE memory_commit ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE memory_change ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE memory_file ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE memory_use ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON memory_commit USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON memory_change USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON memory_file USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON memory_use USING (tenant = current_setting('palimpsest.tenant', true));
GRANT SELECT, INSERT ON memory_commit, memory_change TO palimpsest_worker;
GRANT SELECT, INSERT, UPDATE (number) ON memory_file TO palimpsest_worker;
GRANT SELECT, INSERT, UPDATE (uses, last_at_ms) ON memory_use TO palimpsest_worker;

-- Rows are looked up one by one, each by its whole key: a join would be planned by guesses about a memory's size. Functions that read are
-- STABLE: all their statements see the same moment.

-- The files that have changed since a commit that the caller knows; all files, if there is no such commit (any more). Without a
-- row nothing was ever written; a row without a path says that nothing has changed.
CREATE FUNCTION read_memory(p_tenant text, p_memory text, p_number integer, p_id text)
RETURNS TABLE (base integer, head integer, id text, path text, name text, number integer, author text, at_ms double precision, content text)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_head record;
  v_base integer;
  v_file record;
  v_found integer := 0;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  SELECT number, id FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory ORDER BY number DESC LIMIT 1 INTO v_head;
  IF v_head.number IS NULL THEN RETURN; END IF;
  v_base := CASE WHEN v_head.number = p_number AND v_head.id = p_id
    OR EXISTS (SELECT FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory AND number = p_number AND id = p_id)
    THEN p_number ELSE 0 END;
  IF v_base < v_head.number THEN
    FOR v_file IN SELECT path, number FROM memory_file WHERE tenant = p_tenant AND memory = p_memory AND number > v_base LOOP
      v_found := v_found + 1;
      RETURN QUERY SELECT v_base, v_head.number, v_head.id, changed.path, changed.name, changed.number, changed.author,
          (SELECT at_ms FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory AND number = v_file.number), changed.content
        FROM memory_change AS changed
        WHERE changed.tenant = p_tenant AND changed.memory = p_memory AND changed.number = v_file.number AND changed.path = v_file.path;
    END LOOP;
  END IF;
  IF v_found = 0 THEN
    RETURN QUERY SELECT v_base, v_head.number, v_head.id, NULL::text, NULL::text, NULL::integer, NULL::text, NULL::double precision, NULL::text;
  END IF;
END $$;

-- Upon this commit or not at all: false says that another writer was faster.
CREATE FUNCTION commit_memory(p_tenant text, p_memory text, p_number integer, p_id text, p_new_id text, p_author text,
  p_at_ms double precision, p_message text, p_paths text[], p_names text[], p_authors text[], p_contents text[]) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_before integer;
  v_replaced integer;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  IF p_number > 0 AND NOT EXISTS (SELECT FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory AND number = p_number AND id = p_id) THEN
    RETURN false;
  END IF;
  INSERT INTO memory_commit VALUES (p_tenant, p_memory, p_number + 1, p_new_id, p_author, p_at_ms, p_message) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN false; END IF;
  FOR v_index IN 1 .. cardinality(p_paths) LOOP
    v_before := (SELECT number FROM memory_file WHERE tenant = p_tenant AND memory = p_memory AND path = p_paths[v_index]);
    v_replaced := (SELECT number FROM memory_change WHERE tenant = p_tenant AND memory = p_memory AND number = v_before
      AND path = p_paths[v_index] AND content IS NOT NULL);
    INSERT INTO memory_change VALUES (p_tenant, p_memory, p_number + 1, p_paths[v_index], p_names[v_index], p_authors[v_index], v_replaced,
      p_contents[v_index]);
    INSERT INTO memory_file VALUES (p_tenant, p_memory, p_paths[v_index], p_number + 1)
      ON CONFLICT (tenant, memory, path) DO UPDATE SET number = excluded.number;
  END LOOP;
  RETURN true;
END $$;

-- The newest first, with one row for each change.
CREATE FUNCTION list_commits(p_tenant text, p_memory text, p_limit integer)
RETURNS TABLE (id text, number integer, author text, at_ms double precision, message text, name text, how text)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_commit memory_commit;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  FOR v_commit IN SELECT * FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory ORDER BY number DESC LIMIT p_limit LOOP
    RETURN QUERY SELECT v_commit.id, v_commit.number, v_commit.author, v_commit.at_ms, v_commit.message, name,
        CASE WHEN content IS NULL THEN 'removed' WHEN replaced IS NULL THEN 'added' ELSE 'changed' END
      FROM memory_change WHERE tenant = p_tenant AND memory = p_memory AND number = v_commit.number;
  END LOOP;
END $$;

-- One commit by the beginning of its id, the newest without one; no row if there are several.
CREATE FUNCTION read_commit(p_tenant text, p_memory text, p_start text)
RETURNS TABLE (id text, message text, number integer, name text, content text, before_number integer, before_author text, before_content text)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_numbers integer[];
  v_commit memory_commit;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  -- Ids are hexadecimal: a g comes behind all that begin in the same way.
  v_numbers := ARRAY(SELECT number FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory
    AND (p_start IS NULL OR (memory_commit.id >= p_start AND memory_commit.id < p_start || 'g'))
    ORDER BY number DESC LIMIT CASE WHEN p_start IS NULL THEN 1 ELSE 2 END);
  IF cardinality(v_numbers) <> 1 THEN RETURN; END IF;
  SELECT * FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory AND number = v_numbers[1] INTO v_commit;
  RETURN QUERY SELECT v_commit.id, v_commit.message, change.number, change.name, change.content, change.replaced,
      (SELECT author FROM memory_change WHERE tenant = p_tenant AND memory = p_memory AND number = change.replaced AND path = change.path),
      (SELECT content FROM memory_change WHERE tenant = p_tenant AND memory = p_memory AND number = change.replaced AND path = change.path)
    FROM memory_change AS change WHERE change.tenant = p_tenant AND change.memory = p_memory AND change.number = v_commit.number;
END $$;

CREATE FUNCTION note_uses(p_tenant text, p_memory text, p_slugs text[], p_names text[], p_now_ms double precision) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  -- In one order, so that two that count at once do not wait for each other.
  INSERT INTO memory_use SELECT p_tenant, p_memory, used.slug, used.name, 1, p_now_ms FROM unnest(p_slugs, p_names) AS used (slug, name)
    ORDER BY used.slug
    ON CONFLICT (tenant, memory, slug) DO UPDATE SET uses = memory_use.uses + 1, last_at_ms = greatest(memory_use.last_at_ms, excluded.last_at_ms);
END $$;

CREATE FUNCTION read_uses(p_tenant text, p_memory text) RETURNS SETOF memory_use LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM memory_use WHERE tenant = p_tenant AND memory = p_memory;
END $$;

-- All of one memory, with its history. Workers cannot delete anything else of it.
CREATE FUNCTION delete_memory(p_tenant text, p_memory text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_found boolean;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  DELETE FROM memory_use WHERE tenant = p_tenant AND memory = p_memory;
  DELETE FROM memory_file WHERE tenant = p_tenant AND memory = p_memory;
  DELETE FROM memory_change WHERE tenant = p_tenant AND memory = p_memory;
  DELETE FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory;
  v_found := FOUND;
  RETURN v_found;
END $$;
REVOKE ALL ON FUNCTION delete_memory FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_memory TO palimpsest_worker;
`
	},
	{
		name: "tenants",
		sql: `
-- The session is first: once its row is gone, its writer cannot append, and its entries can be deleted.
CREATE FUNCTION tenant_tables() RETURNS SETOF text LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT relname::text FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE relnamespace = 'palimpsest'::regnamespace AND attname = 'tenant' AND NOT attisdropped AND relkind IN ('r', 'p') AND NOT relispartition
  ORDER BY relname <> 'session', relname
$$;

CREATE FUNCTION count_tenant_rows(p_tenant text) RETURNS TABLE (name text, rows bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  FOR name IN SELECT tenant_tables() LOOP
    EXECUTE format('SELECT count(*) FROM %I WHERE tenant = $1', name) USING p_tenant INTO rows;
    RETURN NEXT;
  END LOOP;
END $$;

-- Writers that are alive: the first of them, in the order of their sessions.
CREATE FUNCTION open_writers(p_tenant text, p_now_ms double precision, p_lease_ms double precision, p_limit integer)
RETURNS TABLE (name text, owner text, active_at_ms double precision, free_at_ms double precision)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT session.name, holder.owner, holder.active_at_ms, holder.free_at_ms
    FROM session CROSS JOIN LATERAL writer_of(p_tenant, session.name, p_now_ms, p_lease_ms) AS holder
    WHERE session.tenant = p_tenant AND session.state = 'open' ORDER BY session.name LIMIT p_limit;
END $$;

-- One batch of one table, and which it was; no row when nothing is left.
CREATE FUNCTION delete_tenant_rows(p_tenant text, p_limit integer) RETURNS TABLE (name text, rows bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  FOR name IN SELECT tenant_tables() LOOP
    EXECUTE format('DELETE FROM %1$I WHERE tenant = $1 AND ctid = ANY (ARRAY(SELECT ctid FROM %1$I WHERE tenant = $1 LIMIT $2))', name)
      USING p_tenant, p_limit;
    GET DIAGNOSTICS rows = ROW_COUNT;
    IF rows > 0 THEN
      RETURN NEXT;
      RETURN;
    END IF;
  END LOOP;
END $$;

CREATE FUNCTION list_results(p_tenant text, p_session text, p_after text, p_limit integer) RETURNS SETOF text
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT file FROM result WHERE tenant = p_tenant AND session = p_session AND file > p_after ORDER BY file LIMIT p_limit;
END $$;

-- Rows of any table of tenants in the order of its key, behind the row that was read last.
CREATE FUNCTION read_tenant_rows(p_tenant text, p_table text, p_after jsonb, p_limit integer) RETURNS SETOF jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_table text := (SELECT name FROM tenant_tables() AS name WHERE name = p_table);
  v_key text := (SELECT string_agg(format('%%1$s.%I', attname), ', ' ORDER BY position) FROM pg_index
    CROSS JOIN LATERAL unnest(indkey::smallint[]) WITH ORDINALITY AS key (attnum, position)
    JOIN pg_attribute ON pg_attribute.attrelid = indrelid AND pg_attribute.attnum = key.attnum
    WHERE indisprimary AND indrelid = to_regclass(format('palimpsest.%I', v_table)));
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  IF v_key IS NULL THEN RAISE EXCEPTION 'There is no table % of tenants with a primary key.', p_table; END IF;
  RETURN QUERY EXECUTE format('SELECT to_jsonb(one) FROM %I AS one CROSS JOIN jsonb_populate_record(NULL::%1$I, $2) AS last
    WHERE one.tenant = $1 AND ($2 = ''{}'' OR (%s) > (%s)) ORDER BY %2$s LIMIT $3', v_table, format(v_key, 'one'), format(v_key, 'last'))
    USING p_tenant, p_after, p_limit;
END $$;

-- The tenants that have sessions or leases. Nobody else sees rows of more than one tenant: neither workers, nor the owner elsewhere.
CREATE POLICY every_tenant ON session FOR SELECT TO palimpsest_owner USING (current_setting('palimpsest.every_tenant', true) = 'on');
CREATE POLICY every_tenant ON lease FOR SELECT TO palimpsest_owner USING (current_setting('palimpsest.every_tenant', true) = 'on');
CREATE FUNCTION list_tenants(p_after text, p_limit integer) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_tenant text := p_after;
BEGIN
  PERFORM set_config('palimpsest.every_tenant', 'on', true);
  -- From one to the next by the index, however many sessions they have.
  FOR v_count IN 1 .. p_limit LOOP
    v_tenant := least((SELECT tenant FROM session WHERE tenant > v_tenant ORDER BY tenant LIMIT 1),
      (SELECT tenant FROM lease WHERE tenant > v_tenant ORDER BY tenant LIMIT 1));
    EXIT WHEN v_tenant IS NULL;
    RETURN NEXT v_tenant;
  END LOOP;
  PERFORM set_config('palimpsest.every_tenant', '', true);
END $$;

-- After a restore, workers of the time before may have numbers and fences that are given out again: all rise far above them.
CREATE FUNCTION raise_fences(p_tenant text, p_by bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_rows bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE session SET fence = fence + p_by, state = 'closed' WHERE tenant = p_tenant;
  GET DIAGNOSTICS v_rows = ROW_COUNT;
  UPDATE lease SET generation = generation + p_by, state = 'free' WHERE tenant = p_tenant;
  RETURN v_rows;
END $$;
CREATE FUNCTION raise_sequences(p_by bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_sequence regclass;
BEGIN
  FOR v_sequence IN SELECT oid FROM pg_class WHERE relkind = 'S' AND relnamespace = 'palimpsest'::regnamespace LOOP
    PERFORM setval(v_sequence, nextval(v_sequence) + p_by);
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION count_tenant_rows, delete_tenant_rows, read_tenant_rows, list_tenants, raise_fences, raise_sequences FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_tenant_rows, delete_tenant_rows, read_tenant_rows TO palimpsest_worker;
GRANT EXECUTE ON FUNCTION list_tenants, raise_fences, raise_sequences TO palimpsest_operator;
`
	},
	{
		name: "tenant keys",
		sql: `
CREATE TABLE tenant_key (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  id text COLLATE "C" NOT NULL,
  -- 'payload' is rotated: the highest number encrypts, the others still decrypt. 'names' has one.
  purpose text NOT NULL CHECK (purpose IN ('payload', 'names')),
  number integer NOT NULL,
  wrapped bytea NOT NULL,
  at_ms double precision NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX tenant_key_by_number ON tenant_key (tenant, purpose, number);
ALTER TABLE tenant_key ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON tenant_key USING (tenant = current_setting('palimpsest.tenant', true));
GRANT SELECT, INSERT, DELETE ON tenant_key TO palimpsest_worker;

CREATE FUNCTION newest_key(p_tenant text, p_purpose text) RETURNS SETOF tenant_key LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM tenant_key WHERE tenant = p_tenant AND purpose = p_purpose ORDER BY number DESC LIMIT 1;
END $$;

CREATE FUNCTION find_key(p_tenant text, p_id text) RETURNS SETOF tenant_key LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM tenant_key WHERE tenant = p_tenant AND id = p_id;
END $$;

-- Returns the key that has this number now: this one, or that of whoever was first.
CREATE FUNCTION add_key(p_tenant text, p_id text, p_purpose text, p_number integer, p_wrapped bytea) RETURNS SETOF tenant_key
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO tenant_key VALUES (p_tenant, p_id, p_purpose, p_number, p_wrapped, now_ms(NULL)) ON CONFLICT (tenant, purpose, number) DO NOTHING;
  RETURN QUERY SELECT * FROM tenant_key WHERE tenant = p_tenant AND purpose = p_purpose AND number = p_number;
END $$;

CREATE FUNCTION forget_keys(p_tenant text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  DELETE FROM tenant_key WHERE tenant = p_tenant;
END $$;
`
	},
	{
		name: "restored events",
		sql: `
CREATE FUNCTION raise_offsets(p_tenant text, p_by bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  DELETE FROM event WHERE tenant = p_tenant;
  UPDATE event_stream SET newest_offset = newest_offset + p_by, oldest_offset = newest_offset + p_by + 1, batch = NULL WHERE tenant = p_tenant;
END $$;
REVOKE ALL ON FUNCTION raise_offsets FROM PUBLIC;
GRANT EXECUTE ON FUNCTION raise_offsets TO palimpsest_operator;
`
	},
	{
		name: "inbox",
		sql: `
CREATE SEQUENCE inbox_number;
CREATE TABLE inbox (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  -- Gone once the item is in the log. The key stays, so that nobody says a thing twice.
  payload text,
  added_at_ms double precision NOT NULL,
  PRIMARY KEY (tenant, session, key)
);
CREATE UNIQUE INDEX inbox_waiting ON inbox (tenant, session, number) WHERE payload IS NOT NULL;
ALTER TABLE inbox ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON inbox USING (tenant = current_setting('palimpsest.tenant', true));
GRANT USAGE ON SEQUENCE inbox_number TO palimpsest_worker;
GRANT SELECT, INSERT, UPDATE (payload) ON inbox TO palimpsest_worker;

CREATE FUNCTION add_to_inbox(p_tenant text, p_session text, p_key text, p_payload text, p_now_ms double precision)
RETURNS TABLE (outcome text, number bigint, woken text) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_woken text;
  v_number bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  v_woken := wake_session(p_tenant, p_session, p_now_ms);
  INSERT INTO inbox (tenant, session, key, number, payload, added_at_ms)
    VALUES (p_tenant, p_session, p_key, nextval('inbox_number'), p_payload, now_ms(p_now_ms))
    ON CONFLICT (tenant, session, key) DO NOTHING RETURNING number INTO v_number;
  IF FOUND THEN
    RETURN QUERY SELECT 'added', v_number, v_woken;
  ELSE
    RETURN QUERY SELECT 'known', number, v_woken FROM inbox WHERE tenant = p_tenant AND session = p_session AND key = p_key;
  END IF;
END $$;

CREATE FUNCTION read_inbox(p_tenant text, p_session text, p_limit integer)
RETURNS TABLE (number bigint, key text, payload text, added_at_ms double precision) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT number, key, payload, added_at_ms FROM inbox
    WHERE tenant = p_tenant AND session = p_session AND payload IS NOT NULL ORDER BY number LIMIT p_limit;
END $$;

-- Returns how many there were.
CREATE FUNCTION acknowledge_inbox(p_tenant text, p_session text, p_numbers bigint[]) RETURNS bigint
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_rows bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE inbox SET payload = NULL WHERE tenant = p_tenant AND session = p_session AND payload IS NOT NULL AND number = ANY (p_numbers);
  GET DIAGNOSTICS v_rows = ROW_COUNT;
  RETURN v_rows;
END $$;

-- As renew_run, counts the attempt, and says whether the session was woken since the run began.
CREATE FUNCTION keep_run(p_tenant text, p_session text, p_run bigint, p_attempt integer, p_version bigint, p_silent_ms double precision, p_now_ms double precision)
RETURNS text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_version bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true), set_config('synchronous_commit', 'off', true);
  UPDATE wakeup SET due_at_ms = now_ms(p_now_ms) + p_silent_ms, attempts = greatest(attempts, p_attempt)
    WHERE tenant = p_tenant AND session = p_session AND run = p_run AND state IN ('held', 'sent') RETURNING version INTO v_version;
  IF NOT FOUND THEN RETURN 'lost'; END IF;
  RETURN CASE WHEN v_version > p_version THEN 'woken' ELSE 'held' END;
END $$;

CREATE FUNCTION inboxes_go_with_their_session() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM inbox WHERE tenant = OLD.tenant AND session = OLD.name;
  RETURN NULL;
END $$;
CREATE TRIGGER inboxes_go_with_their_session AFTER DELETE ON session FOR EACH ROW EXECUTE FUNCTION inboxes_go_with_their_session();
`
	},
	{
		name: "API tokens",
		sql: `
CREATE TABLE api_token (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  scopes text[] NOT NULL,
  digest text NOT NULL,
  created_at_ms double precision NOT NULL,
  expires_at_ms double precision,
  requests_per_minute integer,
  PRIMARY KEY (tenant, id)
);
ALTER TABLE api_token ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON api_token USING (tenant = current_setting('palimpsest.tenant', true));
GRANT SELECT, INSERT, DELETE ON api_token TO palimpsest_worker;

CREATE FUNCTION add_api_token(p_tenant text, p_id text, p_name text, p_scopes text[], p_digest text, p_created_at_ms double precision,
  p_expires_at_ms double precision, p_requests_per_minute integer) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO api_token VALUES (p_tenant, p_id, p_name, p_scopes, p_digest, p_created_at_ms, p_expires_at_ms, p_requests_per_minute);
END $$;

CREATE FUNCTION find_api_token(p_tenant text, p_id text) RETURNS SETOF api_token LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM api_token WHERE tenant = p_tenant AND id = p_id;
END $$;

CREATE FUNCTION list_api_tokens(p_tenant text) RETURNS SETOF api_token LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM api_token WHERE tenant = p_tenant ORDER BY created_at_ms, id;
END $$;

CREATE FUNCTION revoke_api_token(p_tenant text, p_id text) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  DELETE FROM api_token WHERE tenant = p_tenant AND id = p_id;
  RETURN FOUND;
END $$;
`
	},
	{
		name: "forget sessions",
		sql: `
CREATE FUNCTION forget_session(p_tenant text, p_session text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_rows bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  WITH reminders AS (DELETE FROM reminder WHERE tenant = p_tenant AND session = p_session RETURNING 1),
    wakeups AS (DELETE FROM wakeup WHERE tenant = p_tenant AND session = p_session RETURNING 1),
    items AS (DELETE FROM inbox WHERE tenant = p_tenant AND session = p_session RETURNING 1),
    approvals AS (DELETE FROM approval WHERE tenant = p_tenant AND session = p_session RETURNING 1),
    events AS (DELETE FROM event WHERE tenant = p_tenant AND session = p_session RETURNING 1),
    streams AS (DELETE FROM event_stream WHERE tenant = p_tenant AND session = p_session RETURNING 1)
  SELECT count(*) INTO v_rows FROM (TABLE reminders UNION ALL TABLE wakeups UNION ALL TABLE items UNION ALL TABLE approvals
    UNION ALL TABLE events UNION ALL TABLE streams) AS gone;
  RETURN v_rows;
END $$;
REVOKE ALL ON FUNCTION forget_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_session TO palimpsest_worker;
`
	},
	{
		name: "inbox fingerprints",
		sql: `
ALTER TABLE inbox ADD COLUMN fingerprint text;

DROP FUNCTION add_to_inbox;
CREATE FUNCTION add_to_inbox(p_tenant text, p_session text, p_key text, p_payload text, p_fingerprints text[], p_now_ms double precision)
RETURNS TABLE (outcome text, number bigint, woken text) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_woken text;
  v_number bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  v_woken := wake_session(p_tenant, p_session, p_now_ms);
  INSERT INTO inbox (tenant, session, key, number, payload, fingerprint, added_at_ms)
    VALUES (p_tenant, p_session, p_key, nextval('inbox_number'), p_payload, p_fingerprints[1], now_ms(p_now_ms))
    ON CONFLICT (tenant, session, key) DO NOTHING RETURNING number INTO v_number;
  IF FOUND THEN
    RETURN QUERY SELECT 'added', v_number, v_woken;
  ELSE
    RETURN QUERY SELECT CASE WHEN fingerprint = ANY (p_fingerprints) THEN 'known' ELSE 'different' END, number, v_woken
      FROM inbox WHERE tenant = p_tenant AND session = p_session AND key = p_key;
  END IF;
END $$;
`
	},
	{
		name: "take over",
		sql: `
GRANT USAGE ON SEQUENCE run_number TO palimpsest_dispatcher;

-- Whoever was sent by the run p_from takes the session from it, and again if the engine says so; what was sent later, or runs otherwise, is not
-- for it, unless whoever has it is silent. A row without a run: the session was set aside. Attempts count as in take_wakeups.
CREATE FUNCTION take_over_wakeup(p_tenant text, p_session text, p_from bigint, p_max_attempts integer, p_silent_ms double precision, p_now_ms double precision)
RETURNS TABLE (tenant text, session text, run bigint, attempt integer) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_attempts integer;
  v_run bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  SELECT attempts FROM wakeup
    WHERE tenant = p_tenant AND session = p_session AND state <> 'set-aside'
      AND (due_at_ms <= now_ms(p_now_ms) OR state <> 'waiting' AND sender = p_from)
    FOR UPDATE INTO v_attempts;
  IF NOT FOUND THEN RETURN; END IF;
  IF v_attempts >= p_max_attempts THEN
    UPDATE wakeup SET state = 'set-aside', set_aside_at_ms = now_ms(p_now_ms), run = 0 WHERE tenant = p_tenant AND session = p_session;
  ELSE
    v_run := nextval('run_number');
    UPDATE wakeup SET state = 'held', due_at_ms = now_ms(p_now_ms) + p_silent_ms, run = v_run, sender = p_from,
        attempts = v_attempts + CASE WHEN v_attempts >= 2 THEN 0 ELSE 1 END
      WHERE tenant = p_tenant AND session = p_session;
  END IF;
  RETURN QUERY SELECT p_tenant, p_session, v_run, v_attempts + 1;
END $$;
REVOKE ALL ON FUNCTION take_over_wakeup FROM PUBLIC;
GRANT EXECUTE ON FUNCTION take_over_wakeup TO palimpsest_dispatcher;
`
	},
	{
		name: "fleet overview",
		sql: `
ALTER TABLE inbox ADD COLUMN traceparent text;

DROP FUNCTION add_to_inbox;
CREATE FUNCTION add_to_inbox(p_tenant text, p_session text, p_key text, p_payload text, p_fingerprints text[], p_traceparent text,
  p_now_ms double precision)
RETURNS TABLE (outcome text, number bigint, woken text) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_woken text;
  v_number bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  v_woken := wake_session(p_tenant, p_session, p_now_ms);
  INSERT INTO inbox (tenant, session, key, number, payload, fingerprint, traceparent, added_at_ms)
    VALUES (p_tenant, p_session, p_key, nextval('inbox_number'), p_payload, p_fingerprints[1], p_traceparent, now_ms(p_now_ms))
    ON CONFLICT (tenant, session, key) DO NOTHING RETURNING number INTO v_number;
  IF FOUND THEN
    RETURN QUERY SELECT 'added', v_number, v_woken;
  ELSE
    RETURN QUERY SELECT CASE WHEN fingerprint = ANY (p_fingerprints) THEN 'known' ELSE 'different' END, number, v_woken
      FROM inbox WHERE tenant = p_tenant AND session = p_session AND key = p_key;
  END IF;
END $$;

DROP FUNCTION read_inbox;
CREATE FUNCTION read_inbox(p_tenant text, p_session text, p_limit integer)
RETURNS TABLE (number bigint, key text, payload text, traceparent text, added_at_ms double precision)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT number, key, payload, traceparent, added_at_ms FROM inbox
    WHERE tenant = p_tenant AND session = p_session AND payload IS NOT NULL ORDER BY number LIMIT p_limit;
END $$;

CREATE POLICY every_tenant ON wakeup FOR SELECT TO palimpsest_owner USING (current_setting('palimpsest.every_tenant', true) = 'on');
CREATE POLICY every_tenant ON inbox FOR SELECT TO palimpsest_owner USING (current_setting('palimpsest.every_tenant', true) = 'on');
CREATE POLICY every_tenant ON approval FOR SELECT TO palimpsest_owner USING (current_setting('palimpsest.every_tenant', true) = 'on');

-- A run belongs to the process that has the session's log open: a run that was taken just now may have none yet.
CREATE FUNCTION fleet_overview(p_limit integer, p_now_ms double precision) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_now double precision := now_ms(p_now_ms);
  v_overview jsonb;
BEGIN
  PERFORM set_config('palimpsest.every_tenant', 'on', true);
  WITH running AS (
    SELECT w.tenant, w.session, w.attempts, s.owner, s.worker, s.active_at_ms FROM wakeup AS w
      LEFT JOIN session AS s ON s.tenant = w.tenant AND s.name = w.session AND s.state = 'open'
      WHERE w.state = 'held' AND w.due_at_ms > v_now
  ), question AS (
    SELECT tenant, session, tool, asked_at_ms FROM approval
      WHERE decision IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > v_now)
  )
  SELECT jsonb_build_object(
    'atMs', v_now,
    'queue', (SELECT jsonb_strip_nulls(jsonb_build_object(
      'running', count(*) FILTER (WHERE state = 'held' AND due_at_ms > v_now),
      'due', count(*) FILTER (WHERE state = 'sent' OR state <> 'set-aside' AND due_at_ms <= v_now),
      'later', count(*) FILTER (WHERE state = 'waiting' AND due_at_ms > v_now),
      'setAside', count(*) FILTER (WHERE state = 'set-aside'),
      'oldestDueAtMs', min(due_at_ms) FILTER (WHERE state <> 'set-aside' AND due_at_ms <= v_now),
      'nextDueAtMs', min(due_at_ms) FILTER (WHERE state = 'waiting' AND due_at_ms > v_now))) FROM wakeup),
    'inbox', (SELECT jsonb_strip_nulls(jsonb_build_object('items', count(*), 'sessions', count(DISTINCT (tenant, session)),
      'oldestAtMs', min(added_at_ms))) FROM inbox WHERE payload IS NOT NULL),
    'questions', (SELECT jsonb_strip_nulls(jsonb_build_object('open', count(*), 'sessions', count(DISTINCT (tenant, session)),
      'oldestAtMs', min(asked_at_ms))) FROM question),
    'workers', (SELECT coalesce(jsonb_agg(to_jsonb(one) ORDER BY runs DESC, worker), '[]') FROM (
      SELECT worker::text, max(owner) AS owner, count(*) AS runs FROM running WHERE worker IS NOT NULL
        GROUP BY worker ORDER BY count(*) DESC, worker LIMIT p_limit) AS one),
    'running', (SELECT coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(one)) ORDER BY "activeAtMs"), '[]') FROM (
      SELECT tenant, session, attempts AS attempt, owner, active_at_ms AS "activeAtMs" FROM running
        ORDER BY active_at_ms LIMIT p_limit) AS one),
    'waiting', (SELECT coalesce(jsonb_agg(to_jsonb(one) ORDER BY "askedAtMs"), '[]') FROM (
      SELECT tenant, session, tool, asked_at_ms AS "askedAtMs" FROM question ORDER BY asked_at_ms LIMIT p_limit) AS one),
    'setAside', (SELECT coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(one)) ORDER BY "setAsideAtMs" DESC), '[]') FROM (
      SELECT tenant, session, attempts, set_aside_at_ms AS "setAsideAtMs", failure FROM wakeup WHERE state = 'set-aside'
        ORDER BY set_aside_at_ms DESC LIMIT p_limit) AS one)
  ) INTO v_overview;
  PERFORM set_config('palimpsest.every_tenant', '', true);
  RETURN v_overview;
END $$;
REVOKE ALL ON FUNCTION fleet_overview FROM PUBLIC;
GRANT EXECUTE ON FUNCTION fleet_overview TO palimpsest_operator;
`
	}
];
// packages/postgres/src/migrate.ts
/** How long a migration waits for another process that migrates. */
const OTHERS_TIMEOUT_MS = 6e4;
/**
* Brings the schema up to date. Call it with the pool of a role that may create roles and schemas, or for which an administrator
* has created them; an error names the grants that are missing. May be called by many at a time. Each migration is one transaction.
*/
async function migrate(pool, { lockTimeoutMs = 2e3, workerRole, operatorRole, dispatcherRole } = {}) {
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
		["palimpsest_operator", operatorRole],
		["palimpsest_worker", dispatcherRole],
		["palimpsest_dispatcher", dispatcherRole]
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
// packages/postgres/src/check-name.ts
/** What can be a key, and is ordered in the same way everywhere. */
const NAME = /^[\x21-\x7e]{1,200}$/;
function isName(name) {
	return typeof name === "string" && NAME.test(name);
}
/** Returns the name of a session or a tenant, if it can be one. */
function checkName(option, name) {
	if (isName(name)) return name;
	throw new InvalidOptionError(option, name, "1 to 200 visible ASCII characters without spaces");
}
// packages/postgres/src/database.ts
/** No statement has a name and nothing is set for longer than a transaction: a pooler may change connections in between. */
function createDatabase(pool, onEvent) {
	return { async call(name, values, columns = "*") {
		const parameters = values.map((_, index) => `$${index + 1}`).join(", ");
		const startedAtMs = performance.now();
		const tell = (told) => onEvent?.({
			kind: "statement",
			operation: name,
			durationMs: performance.now() - startedAtMs,
			...told
		});
		try {
			const { rows } = await pool.query(`SELECT ${columns} FROM palimpsest.${name}(${parameters})`, [...values]);
			const outcome = rows[0]?.["outcome"];
			tell(typeof outcome === "string" ? { outcome } : {});
			return rows;
		} catch (error) {
			const failure = toDatabaseError(name, error);
			tell({ error: failure.reason });
			throw failure;
		}
	} };
}
// packages/postgres/src/heartbeat.ts
/** A missed or late beat costs nothing. */
const BEATS_PER_LEASE = 3;
/** Timers take at most 24 days, and observers want to see regular beats. */
const MAX_BETWEEN_MS = 6e4;
/** Renews one row for all sessions that this process has open: ten thousand of them cost one small write in ten seconds. */
function createHeartbeat({ database, clock, leaseMs, onEvent }) {
	const worker = randomUUID();
	const repeat = clock?.repeat ?? repeatByTimer;
	let open = 0;
	let stop;
	const everyMs = Math.min(leaseMs / BEATS_PER_LEASE, MAX_BETWEEN_MS);
	const nowMs = clock?.now ?? (() => performance.now());
	let renewedAtMs = 0;
	async function beat() {
		const outcome = await database.call("renew_worker", [
			worker,
			clock?.now() ?? null,
			leaseMs
		]).then(() => "renewed").catch(() => "failed");
		onEvent?.({
			kind: "heartbeat",
			lateMs: Math.max(0, nowMs() - renewedAtMs - everyMs),
			outcome
		});
		if (outcome === "renewed") renewedAtMs = nowMs();
	}
	return {
		worker,
		enter() {
			open++;
			if (stop !== void 0 || leaseMs <= 0) return;
			renewedAtMs = nowMs();
			stop = repeat(everyMs, beat);
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
// packages/postgres/src/key-ring/frames.ts
const PLAIN_FRAMES = {
	addedBytes: 0,
	seal: (frame) => frame,
	open: (kept) => new Uint8Array(kept)
};
// packages/postgres/src/key-ring/key-ring.ts
/** Something is encrypted, and this process has no keys. */
var NoKeyRingError = class NoKeyRingError extends PalimpsestError {
	static code = "no-key-ring";
	code = NoKeyRingError.code;
	constructor(what) {
		super(`${what} is encrypted. Open the database with \`keyRing\` to read it.`);
	}
};
/** What was decrypted is not what was encrypted for this place. */
var SealBrokenError = class SealBrokenError extends PalimpsestError {
	static code = "seal-broken";
	code = SealBrokenError.code;
	constructor(place, cause) {
		super(`What is kept at ${place} was changed, or belongs to another place. Restore it from a backup, or erase it.`, { cause });
	}
};
// packages/postgres/src/key-ring/seal-bytes.ts
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Encrypts a content for its place: AES-256-GCM, a random IV in front, the tag behind. */
function sealBytes(content, key, place) {
	const iv = randomBytes(IV_BYTES);
	const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(toBytes(place));
	return Buffer.concat([
		iv,
		cipher.update(content),
		cipher.final(),
		cipher.getAuthTag()
	]);
}
function openBytes(sealed, key, place) {
	try {
		const end = sealed.length - TAG_BYTES;
		const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES }).setAAD(toBytes(place)).setAuthTag(sealed.subarray(end));
		return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, end)), decipher.final()]);
	} catch (cause) {
		throw new SealBrokenError(JSON.stringify(place.slice(1)), cause);
	}
}
/** As JSON, so that no two places are the same bytes. */
function toBytes(place) {
	return Buffer.from(JSON.stringify(place));
}
// packages/postgres/src/key-ring/tenant-seals.ts
/** What every sealed text begins with. No payload of a session does. */
const SEALED = "{\"sealed\":1,\"key\":\"";
const PLAIN_SEALS = {
	sealPayload: async (text) => text,
	async openPayload(kept, place) {
		if (kept.startsWith(SEALED)) throw new NoKeyRingError(`What is kept at ${JSON.stringify(place)}`);
		return kept;
	},
	newFrames: async () => ({
		...PLAIN_FRAMES,
		keyId: null
	}),
	async framesOf(keyId, place) {
		if (keyId !== null) throw new NoKeyRingError(`What is kept at ${JSON.stringify(place)}`);
		return PLAIN_FRAMES;
	},
	namesOf: async (name) => [name],
	newDigest: () => void 0
};
/** Encrypts with the tenant's keys. What was kept before there were keys is read as it is. */
function tenantSeals(keyRing, tenant) {
	const framesWith = (key, place) => ({
		addedBytes: 28,
		seal: (frame, number) => sealBytes(frame, key, [
			tenant,
			...place,
			number
		]),
		open: (kept, number) => openBytes(kept, key, [
			tenant,
			...place,
			number
		])
	});
	return {
		async sealPayload(text, place) {
			const { id, key } = await keyRing.current(tenant);
			const sealed = sealBytes(Buffer.from(text), key, [tenant, ...place]);
			return `${SEALED}${id}","text":"${sealed.toString("base64")}"}`;
		},
		async openPayload(kept, place) {
			if (!kept.startsWith(SEALED)) return kept;
			const { key: id, text } = JSON.parse(kept);
			const key = await keyRing.find(tenant, id);
			return key && openBytes(Buffer.from(text, "base64"), key, [tenant, ...place]).toString();
		},
		async newFrames(place) {
			const { id, key } = await keyRing.current(tenant);
			return {
				...framesWith(key, place),
				keyId: id
			};
		},
		async framesOf(keyId, place) {
			if (keyId === null) return PLAIN_FRAMES;
			const key = await keyRing.find(tenant, keyId);
			return key && framesWith(key, place);
		},
		async namesOf(name, place) {
			return [createHmac("sha256", await keyRing.names(tenant)).update(JSON.stringify([...place, name])).digest("hex"), name];
		},
		newDigest() {
			const key = randomBytes(32).toString("hex");
			return (payload) => sha256(key + payload);
		}
	};
}
/** Adds what stays readable without a key beside a sealed text; a text that is not sealed has it already. */
function withReadable(kept, readable) {
	return kept.startsWith(SEALED) ? `${kept.slice(0, -1)},${JSON.stringify(readable).slice(1)}` : kept;
}
/** Encrypts if there are keys. */
function sealsFor(keyRing, tenant) {
	return keyRing === void 0 ? PLAIN_SEALS : tenantSeals(keyRing, tenant);
}
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
// packages/postgres/src/expire.ts
/** A draft of a result that is this old belongs to a process that is gone. */
const DRAFT_MS = 864e5;
const PAGE_DRAFTS = 1e3;
/** Looks at one page of sessions, and deletes those that were silent for too long. */
async function expirePage({ call, leaseMs, nowMs }, { silentSinceMs, after = "", limit = 100 }) {
	const most = Math.max(1, Math.floor(limit));
	if (after === "") await call("expire_drafts", [
		silentSinceMs,
		nowMs(),
		DRAFT_MS,
		PAGE_DRAFTS
	]);
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
function batchValues({ upTo, ranges = [], newest = [], tail }) {
	return [
		upTo === void 0 ? null : toSequence(upTo),
		ranges.map(({ from }) => Math.max(1, toSequence(from))),
		ranges.map(({ to }) => toSequence(Math.floor(to))),
		newest,
		tail?.since ?? null,
		toSequence(tail?.limit ?? 0)
	];
}
/** The entries of the rows that `read_batch` returned: without any, there is one row with the head alone. */
function batchEntries(rows) {
	return rows.filter((row) => row["sequence"] !== null).map(toEntry);
}
/** What was read of a log, by the entries that came for these options. */
function toBatch(head, read, { upTo = Number.POSITIVE_INFINITY, ranges = [], newest = [], tail }) {
	const end = Math.min(upTo, head.sequence);
	const entries = read.toSorted((a, b) => a.sequence - b.sequence);
	const found = newest.flatMap((kind) => {
		const entry = entries.findLast((one) => one.kind === kind);
		return entry === void 0 ? [] : [[kind, entry]];
	});
	const since = tail && (entries.findLast(({ kind }) => kind === tail.since)?.sequence ?? 1);
	const tailFrom = tail === void 0 ? end + 1 : Math.max(since ?? 1, end - tail.limit + 1);
	const isWanted = ({ sequence }) => sequence >= tailFrom || ranges.some(({ from, to }) => sequence >= from && sequence <= to);
	return {
		head,
		entries: entries.filter(isWanted),
		newest: new Map(found)
	};
}
// packages/postgres/src/log/entry-payloads.ts
/** @param session the session's number: what is moved to another session, even to one with the same name, does not open */
function entryPayloads(seals, session) {
	const placeOf = ({ sequence, kind, digest }) => [
		"entry",
		session,
		sequence,
		kind,
		digest
	];
	const sealOne = async (entry) => {
		if (entry.payload === void 0) return entry;
		return {
			...entry,
			payload: withParent(await seals.sealPayload(entry.payload, placeOf(entry)), entry)
		};
	};
	const openOne = async (entry) => entry.payload === void 0 ? entry : {
		...entry,
		payload: await seals.openPayload(entry.payload, placeOf(entry))
	};
	return {
		seal: (entries) => Promise.all(entries.map(sealOne)),
		open: (entries) => Promise.all(entries.map(openOne))
	};
}
/** The name of a fork's parent stays readable beside what is sealed: the database finds the forks of a session by it. */
function withParent(kept, { kind, payload = "" }) {
	if (kind !== "fork") return kept;
	const { session } = JSON.parse(payload);
	return typeof session === "string" ? withReadable(kept, { session }) : kept;
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
function createReader(options) {
	const { database, tenant, session, payloads, digest, assertOpen, onClose } = options;
	const entries = async (name, ...values) => {
		assertOpen();
		return payloads.open((await database.call(name, [
			tenant,
			session,
			...values
		], ENTRY_COLUMNS)).map(toEntry));
	};
	return {
		...digest && { digests: "keyed" },
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
		async readBatch(batch) {
			assertOpen();
			const rows = await database.call("read_batch", [
				tenant,
				session,
				...batchValues(batch)
			], BATCH_COLUMNS);
			return toBatch(toHead(rows[0]), await payloads.open(batchEntries(rows)), batch);
		},
		search: (query, limits) => searchLog((...values) => entries("read_back", ...values), query, limits),
		close: async () => onClose()
	};
}
function createWriter(options, fence) {
	const { database, tenant, session, payloads, digest, nowMs, assertOpen, onClose } = options;
	const call = (name, ...values) => database.call(name, [
		tenant,
		session,
		fence,
		...values
	]);
	return {
		...createReader(options),
		...digest && { digest },
		fence,
		async append(entries) {
			assertOpen();
			assertStorable(entries);
			const [first] = entries;
			if (entries.some(({ sequence }, index) => sequence !== first.sequence + index)) {
				const [row] = await call("read_refusal");
				return refusalOf(row, fence);
			}
			const values = (await payloads.seal(entries)).map(valuesOf);
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
// packages/postgres/src/store-errors.ts
/** The reader, writer or store was closed before. */
var ClosedStoreError = class ClosedStoreError extends PalimpsestError {
	static code = "closed-store";
	code = ClosedStoreError.code;
	constructor(what) {
		super(`${what} was closed here. Open it again to use it.`);
	}
};
/** A result is in a bucket, and this process was not told which. */
var NoObjectStoreError = class NoObjectStoreError extends PalimpsestError {
	static code = "no-object-store";
	code = NoObjectStoreError.code;
	constructor(bytes) {
		super(`A result of ${bytes} bytes is in object storage. Open the database with \`largeResults: { objects }\` to read it.`);
	}
};
// packages/postgres/src/results/content.ts
/** The pieces of a content: what is held in memory, and read in one round trip. All but the last have this size. */
const FRAME_BYTES = 262144;
/** Keeps a content under its name. What was kept before under that name stays, if it can be read. */
async function keepContent({ call, session, content, keyId, nowMs, isReadable }, { file, sealedName, bytes }, where) {
	const { number = null, last = null, object = null } = where;
	const keep = async (replace) => {
		const [row] = await call("keep_content", ...[
			session,
			file,
			content,
			bytes,
			number,
			nowMs(),
			last,
			object,
			keyId,
			sealedName,
			replace
		]);
		return row ?? keep(replace);
	};
	const first = await keep(null);
	const { outcome } = first["outcome"] === "other" && !await isReadable(first, bytes) ? await keep(first["content"]) : first;
	return outcome;
}
// packages/postgres/src/results/result-damaged-error.ts
/** A result cannot be read to its end: it was removed meanwhile, or is not what was kept. */
var ResultDamagedError = class ResultDamagedError extends PalimpsestError {
	static code = "result-damaged";
	code = ResultDamagedError.code;
	constructor(what) {
		super(`A result cannot be read: ${what}.`);
	}
};
// packages/postgres/src/results/database-content.ts
/** A content in pieces in the database. One that is a single piece takes one round trip. */
function databaseContent(options) {
	const { call, content, nowMs } = options;
	let written = 0;
	const discard = async () => {
		if (written > 0) await call("discard_content", content);
	};
	return {
		async write(frame) {
			await call("write_chunk", content, written++, nowMs(), frame);
		},
		async keep(name, last) {
			if (await keepContent(options, name, {
				number: written,
				last
			}) === "other") await discard();
		},
		discard
	};
}
function readDatabaseContent(options) {
	const { call, content, bytes, first, frames } = options;
	async function* chunks() {
		let kept = first;
		for (let number = 0, left = bytes;; number++) {
			if (kept === null) throw new ResultDamagedError(`${left} of its ${bytes} bytes were removed meanwhile`);
			const frame = frames.open(kept, number);
			left -= frame.length;
			yield frame;
			if (left <= 0) return;
			const [row] = await call("read_chunk", content, number + 1);
			kept = row?.["read_chunk"];
		}
	}
	return {
		bytes,
		chunks
	};
}
// packages/postgres/src/objects/sweep-objects.ts
/** Removes all objects of one result, however many there are. */
async function removeBelow(objects, key) {
	for await (const page of objects.list(`${key}/`)) for (const { key: one } of page) await objects.remove(one);
}
// packages/postgres/src/results/object-content.ts
/** Of one object: 8 MiB, which are held in memory while they gather. */
const FRAMES_PER_OBJECT = 32;
/** Read in one request. */
const FRAMES_PER_READ = 16;
/**
* A content in a bucket, as numbered objects below one key. They are plain objects and not the parts of a multipart upload: parts that
* nobody finished are in no list of the bucket, and cost money until somebody aborts them by a name that only their process knew.
* The database is told of the key before the first byte is sent, and names it when all are there: a sweep removes what was cut off.
*/
function objectContent(options) {
	const { call, objects, session, content, nowMs } = options;
	let held = [];
	let sent = 0;
	let begun;
	const begin = async () => {
		begun ??= String((await call("begin_object", session, content, nowMs()))[0]?.["begin_object"]);
		return begun;
	};
	const send = async (key) => {
		const joined = Buffer.concat(held);
		held = [];
		await objects.put(`${key}/${sent++}`, joined);
	};
	const discard = async () => {
		held = [];
		if (begun === void 0) return;
		await call("doom_object", begun);
		await removeBelow(objects, begun);
	};
	return {
		async write(frame) {
			const key = await begin();
			held.push(frame);
			if (held.length === FRAMES_PER_OBJECT) await send(key);
		},
		async keep(name, last) {
			const key = await begin();
			held.push(last);
			await send(key);
			const outcome = await keepContent(options, name, { object: key });
			if (outcome !== "kept") await discard();
			if (outcome === "gone") throw new ResultDamagedError("its upload took longer than a day, and was removed");
		},
		discard
	};
}
/** Whether all objects of a content are there. */
async function isWhole(objects, key, bytes) {
	let count = 0;
	for await (const page of objects.list(`${key}/`)) count += page.length;
	const frames = Math.floor(bytes / FRAME_BYTES) + 1;
	return count === Math.ceil(frames / FRAMES_PER_OBJECT);
}
/** Undefined if the object is gone. Its first piece is read at once: most readers want it, and it shows that the object is there. */
async function readObjectContent(options) {
	const { objects, key, bytes, digest, frames } = options;
	const frameBytes = FRAME_BYTES + frames.addedBytes;
	const first = await objects.read(`${key}/0`, 0, frameBytes);
	if (first === void 0) return void 0;
	/** Up to the end of an object, or of what is read in one request. */
	const readFrom = (number) => {
		const from = number % FRAMES_PER_OBJECT;
		const to = from - from % FRAMES_PER_READ + FRAMES_PER_READ;
		return objects.read(`${key}/${Math.floor(number / FRAMES_PER_OBJECT)}`, from * frameBytes, to * frameBytes);
	};
	async function* chunks() {
		const hash = createHash("sha256");
		let range = first;
		for (let number = 0, left = bytes;;) {
			if (range === void 0 || range.length === 0) throw new ResultDamagedError(`${left} of its ${bytes} bytes are not in the bucket`);
			for (let at = 0; at < range.length && left > 0; at += frameBytes) {
				const frame = frames.open(range.subarray(at, at + frameBytes), number++);
				hash.update(frame);
				left -= frame.length;
				if (left <= 0 && hash.digest("hex") !== digest) throw new ResultDamagedError(`its ${bytes} bytes in the bucket are not those that were kept`);
				yield frame;
			}
			if (left <= 0) return;
			range = await readFrom(number);
		}
	}
	return {
		bytes,
		chunks
	};
}
// packages/postgres/src/results/result-draft.ts
/** A result that is being written: cut into pieces, and sent on as soon as it is known where to. */
function createResultDraft({ frames, waitingBytes, sinkFor, nameOf }) {
	const hash = createHash("sha256");
	const waiting = [];
	let held = [];
	let heldBytes = 0;
	let bytes = 0;
	let cut = 0;
	let sink;
	const taken = () => {
		const joined = Buffer.concat(held, heldBytes);
		held = [];
		heldBytes = 0;
		return joined;
	};
	const send = async () => {
		sink ??= sinkFor(bytes);
		for (const frame of waiting.splice(0)) await sink.write(frame);
		return sink;
	};
	return {
		async write(piece) {
			hash.update(piece);
			held.push(new Uint8Array(piece));
			heldBytes += piece.length;
			bytes += piece.length;
			if (heldBytes < 262144) return;
			const joined = taken();
			let at = 0;
			for (; at + FRAME_BYTES <= joined.length; at += FRAME_BYTES) waiting.push(frames.seal(joined.subarray(at, at + FRAME_BYTES), cut++));
			held.push(joined.subarray(at));
			heldBytes = joined.length - at;
			if (bytes > waitingBytes) await send();
		},
		async keep(ending) {
			const digest = hash.digest("hex");
			const file = `${digest}.${ending}`;
			const last = frames.seal(taken(), cut);
			const name = {
				...await nameOf(file),
				bytes
			};
			await (await send()).keep(name, last);
			return {
				file,
				digest
			};
		},
		async discard() {
			taken();
			waiting.length = 0;
			await sink?.discard();
		}
	};
}
// packages/postgres/src/results/postgres-results.ts
/** Where the name of a result is kept. */
const namePlace = (session, file) => [
	"result-name",
	session,
	file
];
const ABOVE_BYTES = 1048576;
const PAGE_SESSIONS$2 = 100;
const FILE = /^[0-9a-f]{64}\.(txt|json)$/;
/** Keeps results in the database, in pieces: one backup and one deletion has them and their logs. Large ones go to a bucket, if there is one. */
function postgresResults({ database, tenant, nowMs, large, seals }) {
	const call = (name, ...values) => database.call(name, [tenant, ...values]);
	const aboveBytes = large?.aboveBytes ?? ABOVE_BYTES;
	const placeOf = (session, content) => [
		"result",
		session,
		String(content)
	];
	const namesOf = (session, file) => seals.namesOf(file, ["result", session]);
	return {
		async create(session) {
			const content = randomUUID();
			const place = placeOf(checkName("session", session), content);
			const { keyId, ...frames } = await seals.newFrames(place);
			async function isReadable(row, bytes) {
				const key = row["object_key"];
				if (await seals.framesOf(row["key_id"], place) === void 0) return false;
				return key === null || large !== void 0 && isWhole(large.objects, key, bytes);
			}
			const options = {
				call,
				session,
				content,
				keyId,
				nowMs,
				isReadable
			};
			return createResultDraft({
				frames,
				waitingBytes: large === void 0 ? 0 : aboveBytes,
				sinkFor: (bytes) => large !== void 0 && bytes > aboveBytes ? objectContent({
					...options,
					objects: large.objects
				}) : databaseContent(options),
				async nameOf(file) {
					const [kept] = await namesOf(session, file);
					return {
						file: kept,
						sealedName: kept === file ? null : await seals.sealPayload(file, namePlace(session, kept))
					};
				}
			});
		},
		async find(session, file) {
			if (!FILE.test(file)) return void 0;
			checkName("session", session);
			let row;
			for (const name of await namesOf(session, file)) [row] = row ? [row] : await call("find_content", session, name);
			if (row === void 0) return void 0;
			const { content, size, bytes: first, object_key: key, key_id: keyId } = row;
			const bytes = Number(size);
			const frames = await seals.framesOf(keyId, placeOf(session, content));
			if (frames === void 0) return void 0;
			if (key === null) return readDatabaseContent({
				call,
				content,
				bytes,
				first,
				frames
			});
			if (large === void 0) throw new NoObjectStoreError(bytes);
			return readObjectContent({
				objects: large.objects,
				key,
				bytes,
				digest: file.slice(0, 64),
				frames
			});
		},
		locate: () => void 0,
		async *sessions() {
			for (let after = "";;) {
				const names = (await call("sessions_with_results", after, PAGE_SESSIONS$2)).map((row) => String(row["sessions_with_results"]));
				yield* names;
				if (names.length < PAGE_SESSIONS$2) return;
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
			checkName("session", session);
			if (file === void 0) await call("remove_results", session, null);
			else if (FILE.test(file)) for (const name of await namesOf(session, file)) await call("remove_results", session, name);
		}
	};
}
/** The name by which a session knows a result that the database has under another; undefined if it is gone, or its key is lost. */
async function knownName({ database, tenant, seals }, session, file) {
	const [row] = await database.call("find_content", [
		tenant,
		session,
		file
	]);
	const sealed = row?.["sealed_name"];
	return sealed === null || sealed === void 0 ? row && file : seals.openPayload(sealed, namePlace(session, file));
}
// packages/postgres/src/postgres-store.ts
const PAGE_SESSIONS$1 = 100;
const OPENING_COLUMNS = `outcome, session, fence, owner, active_at_ms, free_at_ms, ${BATCH_COLUMNS}`;
/** The logs and results of one tenant. Nothing here reaches another: the database would not show it. */
function postgresStore(options) {
	const { database, heartbeat, tenant, leaseMs, nowMs, largeResults: large, seals } = options;
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
			payloads: entryPayloads(seals, session),
			digest: seals.newDigest(),
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
	const batchOf = async (number, rows, read) => toBatch(toHead(rows[0]), await entryPayloads(seals, number).open(batchEntries(rows)), read);
	const toMetadata = async (session, kept) => typeof kept === "string" ? fromMetadataText(await seals.openPayload(kept, ["metadata", session]) ?? "") : void 0;
	const toListed = async (row) => {
		const id = String(row["name"]);
		const metadata = await toMetadata(id, row["metadata"]);
		return metadata === void 0 ? { id } : {
			id,
			metadata
		};
	};
	return {
		async list({ after = "", limit = PAGE_SESSIONS$1 } = {}) {
			const most = Math.max(1, Math.floor(limit));
			const rows = await call("list_sessions", [after, most + 1]);
			const sessions = await Promise.all(rows.slice(0, most).map(toListed));
			const last = sessions.at(-1);
			return rows.length > most && last !== void 0 ? {
				sessions,
				next: last.id
			} : { sessions };
		},
		async openReader(session, { read } = {}) {
			checkName("session", session);
			if (read === void 0) {
				const [row] = await call("find_session", [session]);
				const number = row?.["find_session"] ?? void 0;
				return number === void 0 ? void 0 : open(String(number), createReader);
			}
			const rows = await call("find_and_read", [session, ...batchValues(read)], `session, ${BATCH_COLUMNS}`);
			const [row] = rows;
			if (row === void 0) return void 0;
			const number = String(row["session"]);
			return {
				...open(number, createReader),
				batch: await batchOf(number, rows, read)
			};
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
				const number = String(row["session"]);
				const writer = open(number, (options) => createWriter(options, fence), heartbeat.leave);
				if (read === void 0) return {
					kind: "opened",
					writer
				};
				return {
					kind: "opened",
					writer,
					batch: await batchOf(number, rows, read)
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
		expire: (page) => expirePage({
			call,
			leaseMs,
			nowMs
		}, page),
		async readMetadata(session) {
			const [row] = await call("read_metadata", [checkName("session", session)]);
			return toMetadata(session, row?.["read_metadata"]);
		},
		async setMetadata(session, metadata) {
			const text = await seals.sealPayload(toMetadataText(metadata), ["metadata", checkName("session", session)]);
			const [row] = await call("set_metadata", [session, text]);
			return row?.["set_metadata"];
		},
		results: postgresResults({
			database,
			tenant,
			nowMs,
			large,
			seals
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
// packages/postgres/src/tenants/delete-tenant.ts
const MOST_WRITERS = 100;
/** Another transaction is in the way for a moment; more often than this, something is wrong. */
const MOST_CONFLICTS = 20;
/** Deletes every row of a tenant, batch by batch. A deletion that was cut off is finished by the next call. */
async function deleteTenant({ database, tenant, leaseMs, nowMs }, { writers = "refuse", batchRows = 5e3, onProgress } = {}) {
	if (writers === "refuse") {
		const open = await database.call("open_writers", [
			tenant,
			nowMs(),
			leaseMs,
			MOST_WRITERS
		]);
		if (open.length > 0) return {
			kind: "busy",
			writers: open.map(toOpenWriter)
		};
	}
	const rows = /* @__PURE__ */ new Map();
	let conflicts = 0;
	for (let gone = 0;;) try {
		const [batch] = await database.call("delete_tenant_rows", [tenant, batchRows]);
		if (batch === void 0) break;
		const [name, count] = [String(batch["name"]), Number(batch["rows"])];
		rows.set(name, (rows.get(name) ?? 0) + count);
		gone += count;
		onProgress?.(gone);
	} catch (error) {
		if (!isPassing(error) || ++conflicts > MOST_CONFLICTS) throw error;
	}
	return {
		kind: "deleted",
		rows: Object.fromEntries(rows)
	};
}
/** Counts the rows of a tenant in every table that has some. */
async function countTenant({ database, tenant }) {
	const rows = (await database.call("count_tenant_rows", [tenant])).map((row) => [String(row["name"]), Number(row["rows"])]);
	return Object.fromEntries(rows.filter(([, count]) => count > 0));
}
/** A deadlock, or a session that was begun while entries were deleted: the next batch begins with it. */
function isPassing(error) {
	return error instanceof DatabaseError && (error.reason === "conflict" || error.sqlState === "23000");
}
function toOpenWriter(row) {
	return {
		session: String(row["name"]),
		owner: String(row["owner"]),
		activeAtMs: Number(row["active_at_ms"]),
		freeAtMs: Number(row["free_at_ms"])
	};
}
// packages/postgres/src/tenants/expire-tenants.ts
const PAGE_TENANTS = 100;
const PAGE_SESSIONS = 100;
const EVENTS_MS = 6048e5;
/**
* Goes over all tenants and deletes their old sessions and events. May run on two machines at once: each session is deleted by one of them. The
* role needs `palimpsest_operator`, since nobody else sees more than one tenant.
*/
async function expireTenants({ database, nowMs, storeOf }, { defaultMs, tenants: own = {}, eventsMs = EVENTS_MS }, { maxSessions = 1e4, after } = {}) {
	const [clock] = await database.call("now_ms", [nowMs()]);
	const databaseMs = Number(clock["now_ms"]);
	const deletedOf = /* @__PURE__ */ new Map();
	let [tenants, deleted, kept, events] = [
		0,
		0,
		0,
		0
	];
	let left = Math.max(1, Math.ceil(maxSessions / PAGE_SESSIONS));
	const report = (next) => {
		const counted = {
			tenants,
			deleted,
			kept,
			events,
			deletedOf: Object.fromEntries(deletedOf)
		};
		return next === void 0 ? counted : {
			...counted,
			next
		};
	};
	async function pruneEvents(tenant) {
		if (eventsMs === "forever") return;
		for (let after = "";;) {
			const rows = await database.call("prune_events", [
				tenant,
				databaseMs - eventsMs,
				after,
				PAGE_SESSIONS
			]);
			events += rows.reduce((sum, row) => sum + Number(row["pruned"]), 0);
			if (rows.length < PAGE_SESSIONS) return;
			after = String(rows.at(-1)["session"]);
		}
	}
	/** Resolves to the place where to go on, if there is one. */
	async function expireTenant(tenant, from) {
		const keepMs = Object.hasOwn(own, tenant) ? own[tenant] : defaultMs;
		tenants++;
		if (from === void 0) await pruneEvents(tenant);
		if (keepMs === "forever") return void 0;
		const store = storeOf(tenant);
		for (let session = from;;) {
			if (left-- === 0) return session === void 0 ? { tenant } : {
				tenant,
				session
			};
			const place = session === void 0 ? {} : { after: session };
			const page = await store.expire({
				silentSinceMs: databaseMs - keepMs,
				limit: PAGE_SESSIONS,
				...place
			});
			deleted += page.deleted.length;
			kept += page.kept.length;
			if (page.deleted.length > 0) deletedOf.set(tenant, (deletedOf.get(tenant) ?? 0) + page.deleted.length);
			if (page.next === void 0) return void 0;
			session = page.next;
		}
	}
	if (after?.session !== void 0) {
		const next = await expireTenant(after.tenant, after.session);
		if (next !== void 0) return report(next);
	}
	for (let last = after?.tenant ?? "";;) {
		const rows = await database.call("list_tenants", [last, PAGE_TENANTS]);
		for (const row of rows) {
			const tenant = String(row["list_tenants"]);
			if (left === 0) return report({ tenant: last });
			const next = await expireTenant(tenant);
			if (next !== void 0) return report(next);
			last = tenant;
		}
		if (rows.length < PAGE_TENANTS) return report();
	}
}
// packages/postgres/src/tenants/export-line.ts
const ENTRY_START = "{\"kind\":\"entry\",\"entry\":";
/** The entry keeps the bytes of its line: its payload has a digest. */
function toEntryLine(line) {
	return `${ENTRY_START}${line}}`;
}
/** The line of the entry; undefined if this is none. */
function fromEntryLine(line) {
	return line.startsWith(ENTRY_START) ? line.slice(24, -1) : void 0;
}
// packages/postgres/src/tenants/export-tenant.ts
/** Tables that are read through the store; and what belongs to running processes, and to nobody when it is read elsewhere. */
const NOT_AS_ROWS = [...[
	"session",
	"session_metadata",
	"entry",
	"result",
	"result_chunk"
], ...[
	"address",
	"lease",
	"object_folder",
	"tenant_key",
	"api_token"
]];
const PAGE$1 = 200;
/** Yields everything of a tenant as lines of JSON: logs with their chains, metadata, results, and rows of all other tables. */
async function* exportTenant(options) {
	const { database, store, tenant, nowMs } = options;
	const counts = {
		sessions: 0,
		entries: 0,
		results: 0,
		rows: 0
	};
	yield lineOf({
		kind: "tenant",
		format: 1,
		tenant,
		atMs: nowMs
	});
	for await (const listed of eachSession(store)) {
		const reader = await store.openReader(listed.id);
		if (reader === void 0) continue;
		counts.sessions++;
		yield lineOf({
			kind: "session",
			...listed
		});
		for await (const line of exportLog(reader)) {
			counts.entries++;
			yield toEntryLine(line);
		}
		await reader.close();
	}
	for await (const session of store.results.sessions()) {
		const listResults = (after) => database.call("list_results", [
			tenant,
			session,
			after,
			PAGE$1
		]);
		for await (const row of pages(listResults, (last) => String(last["list_results"]), "")) {
			const file = await knownName(options, session, String(row["list_results"]));
			const content = file && await store.results.find(session, file);
			if (!content) continue;
			counts.results++;
			yield lineOf({
				kind: "result",
				session,
				file,
				bytes: content.bytes
			});
			for await (const piece of content.chunks()) yield lineOf({
				kind: "piece",
				base64: Buffer.from(piece).toString("base64")
			});
		}
	}
	for (const { tenant_tables: name } of await database.call("tenant_tables", [])) {
		const table = String(name);
		if (NOT_AS_ROWS.includes(table)) continue;
		const readRows = (after) => database.call("read_tenant_rows", [
			tenant,
			table,
			after,
			PAGE$1
		]);
		for await (const row of pages(readRows, (last) => last["read_tenant_rows"], {})) {
			counts.rows++;
			yield lineOf({
				kind: "row",
				table,
				row: row["read_tenant_rows"]
			});
		}
	}
	yield lineOf({
		kind: "end",
		...counts
	});
}
/** Rows of all pages; each begins behind the last row of the one before. */
async function* pages(read, keyOf, first) {
	for (let after = first;;) {
		const rows = await read(after);
		yield* rows;
		if (rows.length < PAGE$1) return;
		after = keyOf(rows.at(-1));
	}
}
function lineOf(line) {
	return JSON.stringify(line);
}
// packages/postgres/src/tenants/import-tenant.ts
/** Fills a tenant with the lines of `exportTenant`. Only entries that their chain confirms are taken, and results that have their digest. */
async function importTenant(store, lines) {
	const counts = {
		sessions: 0,
		entries: 0,
		results: 0,
		rows: 0
	};
	const source = readAhead(lines);
	const damaged = (problem) => ({
		kind: "damaged",
		line: source.line(),
		problem
	});
	const head = parse(await source.take());
	if (head?.kind !== "tenant" || head.format !== 1) return damaged("it does not begin as the export of a tenant");
	for (;;) {
		const next = parse(await source.take());
		switch (next?.kind) {
			case "session": {
				const result = await importSession(store, next, source);
				if (result.kind === "refused") return {
					kind: "refused",
					session: next.id
				};
				if (result.kind === "damaged") return damaged(`an entry of session ${next.id}: ${result.problem}`);
				counts.sessions++;
				counts.entries += result.entries;
				break;
			}
			case "result":
				if (await importResult(store, next, source) !== next.file) return damaged(`the result ${next.file} of session ${next.session} is not what was exported`);
				counts.results++;
				break;
			case "row":
				counts.rows++;
				break;
			case "end": {
				const { kind: _, ...exported } = next;
				return Object.entries(exported).every(([name, count]) => counts[name] === count) ? {
					kind: "imported",
					...counts
				} : damaged("lines are missing");
			}
			default: return damaged(next === void 0 ? "it was cut off" : `unexpected ${next.kind}`);
		}
	}
}
async function importSession(store, { id, metadata }, source) {
	const opened = await store.openWriter(id, { owner: "import of a tenant" });
	if (opened.kind === "busy") return {
		kind: "refused",
		because: {
			kind: "fenced",
			owner: opened.owner,
			fence: 0
		}
	};
	try {
		const result = await importLog(opened.writer, source.while(fromEntryLine));
		if (metadata !== void 0) await store.setMetadata(id, metadata);
		return result;
	} finally {
		await opened.writer.close();
	}
}
/** Resolves to the name that follows from the content. */
async function importResult(store, { session, file }, source) {
	const draft = await store.results.create(session);
	const isPiece = (line) => line.startsWith("{\"kind\":\"piece\"") ? line : void 0;
	for await (const line of source.while(isPiece)) {
		const piece = parse(line);
		if (piece?.kind === "piece") await draft.write(Buffer.from(piece.base64, "base64"));
	}
	return (await draft.keep(file.endsWith(".json") ? "json" : "txt")).file;
}
function readAhead(lines) {
	const iterator = Symbol.asyncIterator in lines ? lines[Symbol.asyncIterator]() : lines[Symbol.iterator]();
	let held;
	let taken = 0;
	const peek = async () => {
		if (held !== void 0) return held;
		const { done, value } = await iterator.next();
		held = done === true ? void 0 : String(value);
		return held;
	};
	const take = async () => {
		const line = await peek();
		held = void 0;
		if (line !== void 0) taken++;
		return line;
	};
	return {
		take,
		line: () => taken,
		async *while(read) {
			for (let line = await peek(); line !== void 0; line = await peek()) {
				const found = read(line);
				if (found === void 0) return;
				await take();
				yield found;
			}
		}
	};
}
function parse(line) {
	try {
		return line === void 0 ? void 0 : JSON.parse(line);
	} catch {
		return;
	}
}
// packages/postgres/src/tenants/postgres-tenants.ts
/** More than anybody opens a session while a backup grows old. */
const FAR = 1e6;
const PAGE = 100;
function postgresTenants(ports) {
	const { database, leaseMs, nowMs, storeOf, sealsOf } = ports;
	const list = async (after, limit) => (await database.call("list_tenants", [after, limit])).map((row) => String(row["list_tenants"]));
	return {
		list: ({ after = "", limit = PAGE } = {}) => list(after, limit),
		count: (tenant) => countTenant({
			database,
			tenant: checkName("tenant", tenant)
		}),
		async *export(tenant) {
			const [row] = await database.call("now_ms", [nowMs()]);
			const { store, seals } = {
				store: storeOf(tenant),
				seals: sealsOf(tenant)
			};
			yield* exportTenant({
				database,
				store,
				seals,
				tenant,
				nowMs: Number(row["now_ms"])
			});
		},
		import: (tenant, lines) => importTenant(storeOf(tenant), lines),
		delete: (tenant, options) => deleteTenant({
			database,
			tenant: checkName("tenant", tenant),
			leaseMs,
			nowMs
		}, options),
		expire: (policy, options) => expireTenants(ports, policy, options),
		async fenceAfterRestore() {
			await database.call("raise_sequences", [FAR]);
			let sessions = 0;
			for (let after = "";;) {
				const tenants = await list(after, PAGE);
				for (const tenant of tenants) {
					const [row] = await database.call("raise_fences", [tenant, FAR]);
					sessions += Number(row["raise_fences"]);
					await database.call("raise_offsets", [tenant, FAR]);
				}
				if (tenants.length < PAGE) return sessions;
				after = tenants.at(-1);
			}
		}
	};
}
// packages/postgres/src/open-postgres.ts
/** Keeps sessions in PostgreSQL, so that any number of machines can serve them. Run `migrate` before. */
function openPostgres(options) {
	const { pool, clock, leaseMs = 3e4, largeResults, keyRing, onEvent } = options;
	const database = createDatabase(pool, onEvent);
	const heartbeat = createHeartbeat({
		database,
		clock,
		leaseMs,
		onEvent
	});
	const nowMs = () => clock?.now() ?? null;
	const sealsOf = (tenant) => sealsFor(keyRing, checkName("tenant", tenant));
	function storeOf(tenant) {
		checkName("tenant", tenant);
		return postgresStore({
			database,
			heartbeat,
			tenant,
			leaseMs,
			nowMs,
			largeResults,
			seals: sealsOf(tenant)
		});
	}
	return {
		store: ({ tenant }) => storeOf(tenant),
		tenants: postgresTenants({
			database,
			leaseMs,
			nowMs,
			storeOf,
			sealsOf
		})
	};
}
export { migrate, openPostgres };
