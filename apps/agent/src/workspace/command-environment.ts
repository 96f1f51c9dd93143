export type Environment = Readonly<Record<string, string | undefined>>;

/** Names under which programs are given keys. What a command need not know, it cannot give away. */
const SECRET_NAME =
  /PASSWORD|PASSWD|SECRET|CREDENTIAL|TOKENS?($|_)|(^|_|API|AUTH|ACCESS|PRIVATE)KEYS?($|_)|_(AUTH|PWD)$|^(SSH_AUTH_SOCK|DATABASE_URL)$/i;
/** A file that bash would run before the command. */
const STARTUP_FILES = ["BASH_ENV", "ENV"];
/** Nobody is there to press a key, and colors are taken out anyway. */
const UNATTENDED: Environment = { TERM: "dumb", PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" };

/**
 * The environment of commands: the user's own without names that hold secrets.
 * @param kept names of secrets that commands may have nevertheless
 */
export function commandEnvironment(environment: Environment, kept: readonly string[] = []): Environment {
  const entries = Object.entries(environment).filter(
    ([name]) => kept.includes(name) || !(SECRET_NAME.test(name) || STARTUP_FILES.includes(name)),
  );
  return { ...Object.fromEntries(entries), ...UNATTENDED };
}
