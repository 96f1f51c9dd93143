export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that usually hold keys. Commands do not get them, so they cannot leak them. */
const SECRET_NAME =
  /PASSWORD|PASSWD|SECRET|CREDENTIAL|TOKENS?($|_)|(^|_|API|AUTH|ACCESS|PRIVATE)KEYS?($|_)|_(AUTH|PWD)$|^(SSH_AUTH_SOCK|DATABASE_URL)$/i;
/** The variable that names a file which bash would run before the command. */
const STARTUP_FILES = ["BASH_ENV", "ENV"];
/** Turns off pagers and colors: nobody can press a key, and colors are removed anyway. */
const UNATTENDED: Environment = { TERM: "dumb", PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" };

/**
 * The environment of commands: the user's variables without those that hold secrets.
 * @param kept names of secrets that commands may see
 */
export function commandEnvironment(environment: Environment, kept: readonly string[] = []): Environment {
  const entries = Object.entries(environment).filter(
    ([name]) => kept.includes(name) || !(SECRET_NAME.test(name) || STARTUP_FILES.includes(name)),
  );
  return { ...Object.fromEntries(entries), ...UNATTENDED };
}
