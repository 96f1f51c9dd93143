import type { Edit, Guard } from "./guard.ts";

/** What the sandbox is made of. The rest of this machine stays read-only: an attack that succeeds must harm canaries only. */
const PLAN_MOUNTS = "apps/agent/src/sandbox/plan-mounts.ts";
const PRIVATE_FILES = "apps/agent/src/workspace/private-files.ts";

/** Every guard that attacks are aimed at, at the one place where it is turned off. */
export const GUARDS: Readonly<Record<string, Guard>> = {
  roots: {
    without: "the path guard takes the folder around the project for the project's own",
    edits: [
      {
        file: "apps/agent/src/workspace/path-guard.ts",
        find: "[folder, ...alsoAllowed].map(",
        replace: "[folder, dirname(folder), ...alsoAllowed].map(",
      },
    ],
  },
  "escape filter": {
    without: "all output counts as plain text",
    edits: [
      {
        file: "apps/agent/src/text/escape-filter.ts",
        find: "const end = special.exec(text)?.index ?? text.length;",
        replace: "const end = text.length;",
      },
    ],
  },
  "hook input": {
    without: "what an event tells stands in the line of the hook",
    edits: [
      {
        file: "packages/palimpsest/src/hooks/command-hook.ts",
        find: 'const [program, ...args] = typeof command === "string" ? [command] : command;',
        replace:
          'const words = Object.values(input).map((value) => (typeof value === "object" ? Object.values(value)[0] : value));' +
          'const [program, ...args] = (typeof command === "string" ? [command] : [...command]).map(' +
          // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source
          '(word, at, all) => (at === all.length - 1 ? `${word}; true ${words.join(" ")}` : word));',
      },
    ],
  },
  trust: {
    without: "every project is trusted",
    edits: [
      {
        file: "apps/agent/src/permissions/load-settings.ts",
        find: '(await readTrust(agentHome))[located.path] === hash ? "trusted" : "untrusted"',
        replace: '"trusted"',
      },
    ],
  },
  "private modes": {
    without: "modes of files are left to the umask",
    edits: [
      { file: PRIVATE_FILES, find: "await mkdir(path, { mode: 0o700 });", replace: "await mkdir(path);" },
      { file: PRIVATE_FILES, find: "await chmod(path, 0o700);", replace: "" },
      { file: PRIVATE_FILES, find: 'open(beside, "wx", 0o600)', replace: 'open(beside, "wx")' },
      { file: PRIVATE_FILES, find: "await file.chmod(0o600);", replace: "" },
    ],
  },
  mounts: {
    without: "commands see the machine as it is, and write to the folder around the project",
    edits: [
      {
        file: PLAN_MOUNTS,
        find: '"--new-session", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"',
        replace: '"--unshare-user"',
      },
      { file: PLAN_MOUNTS, find: '...(network === "none" ? ["--unshare-net"] : []),', replace: "" },
      { file: PLAN_MOUNTS, find: ', "--seccomp", String(filterDescriptor)]', replace: "]" },
      { file: PLAN_MOUNTS, find: ', "--proc", "/proc"]', replace: "]" },
      { file: PLAN_MOUNTS, find: "...homes.flatMap((path) => [...limited, path]),", replace: "" },
      {
        file: PLAN_MOUNTS,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source
        find: '...(home === undefined ? [] : ["--bind", homeFolder, home, "--ro-bind", gitConfig, `${home}/.gitconfig`]),',
        replace: "",
      },
      {
        file: PLAN_MOUNTS,
        find: '...roots.flatMap((root) => ["--bind", root, root]),',
        replace: '...roots.map((root) => root.replace(/\\/[^/]*$/, "")).flatMap((root) => ["--bind", root, root]),',
      },
      { file: PLAN_MOUNTS, find: '...places.bound.flatMap((path) => ["--bind", path, path]),', replace: "" },
      { file: PLAN_MOUNTS, find: '...places.readOnly.flatMap((path) => ["--ro-bind", path, path]),', replace: "" },
      {
        file: PLAN_MOUNTS,
        find: '...places.covered.flatMap((cover) => ["--ro-bind", standInOf(cover, standIns), cover.path]),',
        replace: "",
      },
    ],
  },
  "protected names": {
    without: "no name in the project is kept from commands",
    edits: [
      {
        file: "apps/agent/src/sandbox/keep-places.ts",
        find: "scan: ProjectScan): Promise<Places> {\n",
        replace: "scan: ProjectScan): Promise<Places> {\n  if (scan !== undefined) return NOWHERE;\n",
      },
    ],
  },
  "programs outside of the roots": {
    without: "programs are taken from wherever PATH says",
    edits: [
      {
        file: "apps/agent/src/sandbox/find-program.ts",
        find: " && !places.some((place) => roots.some((root) => isInside(place, root)))",
        replace: "",
      },
    ],
  },
  "socket families": {
    without: "the filter of system calls lets Unix sockets through",
    edits: [
      {
        file: "apps/agent/src/sandbox/seccomp-filter.ts",
        find: "const FAMILIES = [2, 10, 16];",
        replace: "const FAMILIES = [1, 2, 10, 16];",
      },
    ],
  },
  "passed variables": {
    without: "commands get all variables",
    edits: [
      {
        file: "apps/agent/src/workspace/command-environment.ts",
        find: "([name]) => PASSED.has(name) ||",
        replace: '([name]) => name !== "" || PASSED.has(name) ||',
      },
    ],
  },
  "denying rules": {
    without: "rules that forbid or ask are not looked at",
    edits: [
      {
        file: "apps/agent/src/permissions/decide-permission.ts",
        find: "if (narrowing !== undefined) return narrowing;",
        replace: "",
      },
    ],
  },
  "covered lines": {
    without: "a rule for a command allows every line",
    edits: [
      {
        file: "apps/agent/src/permissions/covering-rule.ts",
        find: 'if (line.kind === "unparsed" || line.commands.length === 0) return undefined;',
        replace: "if (rules.length > 0) return rules[0];",
      },
    ],
  },
  "linear matcher": {
    without: "a pattern becomes a regular expression, which goes back for each star",
    edits: [
      {
        file: "apps/agent/src/permissions/glob.ts",
        find: "const shape = readShape(pattern, kind);\n  const reached",
        replace:
          'const source = pattern.replaceAll(/[.+?^$|(){}[\\]\\\\]/g, "\\\\$&").replaceAll(/\\*+/g, ".*");\n' +
          '  if (kind !== undefined) return new RegExp("^" + source + "$", "s").test(text);\n' +
          "  const shape = readShape(pattern, kind);\n  const reached",
      },
    ],
  },
  "public addresses": {
    without: "this machine counts as the public internet; nothing else does, so that an attack reaches canaries only",
    edits: [
      {
        file: "apps/agent/src/extensions/web/is-public-address.ts",
        find: "const family = isIP(address);",
        replace:
          "if (address !== undefined) return /^(127\\.|0\\.0\\.0\\.0$|::1?$|::ffff:(127\\.|7f))/.test(address);\n" +
          "  const family = isIP(address);",
      },
    ],
  },
  "settling questions": {
    without: "keys answer a question as soon as it is drawn",
    edits: [
      {
        file: "apps/agent/src/terminal/dialogs/answerable.ts",
        find: "export const SETTLE_MS = 400;",
        replace: "export const SETTLE_MS = 0;",
      },
    ],
  },
  "seen ends": {
    without: "yes is offered at once",
    edits: [
      {
        file: "apps/agent/src/terminal/dialogs/dialog-state.ts",
        find: "return from === undefined || isRead(dialog, visible);",
        replace: "return from !== undefined || isRead(dialog, visible);",
      },
    ],
  },
  "visible text": {
    without: "questions show hidden letters as they are",
    edits: [
      {
        file: "apps/agent/src/text/visible-text.ts",
        find: 'if (!HIDDEN.test(spaced.replaceAll("\\n", ""))) return spaced;',
        replace: "if (spaced.length >= 0) return spaced;",
      },
    ],
  },
  "marks of data": {
    without: "text between marks may write marks itself",
    edits: [
      {
        file: "packages/palimpsest/src/view/data-marks.ts",
        find: 'return text.toWellFormed().replace(more.length === 0 ? OURS : tagPattern([...TAGS, ...more]), "&lt;");',
        replace: "return text.toWellFormed();",
      },
    ],
  },
  "weighed claims": {
    without: "a quote of anybody is enough for any claim",
    edits: [
      {
        file: "packages/memory/src/trust/check-claim.ts",
        find: 'if (by === "outside") return unsure(',
        replace: "if (by === undefined) return unsure(",
      },
      {
        file: "packages/memory/src/trust/check-claim.ts",
        find: 'if (by === "model") return unsure(',
        replace: "if (by === undefined) return unsure(",
      },
      {
        file: "packages/memory/src/trust/check-claim.ts",
        find: 'return problems.includes(undefined) ? { kind: "supported", entry } : unsure(problems[0]!);',
        replace: 'return problems.length > 0 ? { kind: "supported", entry } : unsure(problems[0]!);',
      },
    ],
  },
  "secret of the control socket": {
    without: "orders are taken with the token that messages are sent with",
    edits: [
      {
        file: "apps/agent/src/extensions/agents/control-socket.ts",
        find: "    path,\n    token,\n    async onMessage",
        replace: "    path,\n    async onMessage",
      },
    ],
  },
  "proof of the token": {
    without: "proofs and seals are not compared",
    edits: [
      {
        file: "packages/coordination/src/socket/handshake.ts",
        find: "if (found.length !== expected.length || !timingSafeEqual(found, expected)) throw",
        replace: "if (found.length < 0 && !timingSafeEqual(found, expected)) throw",
      },
    ],
  },
};

/** The edits by which a guard is turned off. */
export function editsOf(guard: string): readonly Edit[] {
  const found = GUARDS[guard];
  if (found === undefined) throw new Error(`There is no guard "${guard}": ${Object.keys(GUARDS).join(", ")}`);
  return found.edits;
}
