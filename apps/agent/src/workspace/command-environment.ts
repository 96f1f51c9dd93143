// The environment variables of programs that the agent starts.
export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that programs need to run: paths, tools, languages and locales. None of them contains a secret. */
const PASSED = new Set(
  (
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR HOSTNAME COLUMNS LINES MANPATH CI NODE_ENV " +
    "NVM_DIR NVM_BIN VOLTA_HOME FNM_DIR PNPM_HOME BUN_INSTALL DENO_DIR NODE_PATH NODE_EXTRA_CA_CERTS " +
    "JAVA_HOME GRADLE_HOME M2_HOME ANDROID_HOME ANDROID_SDK_ROOT SDKMAN_DIR DOTNET_ROOT GOPATH GOROOT GOBIN GOFLAGS " +
    "CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTFLAGS RUST_BACKTRACE PYENV_ROOT PYTHONPATH VIRTUAL_ENV CONDA_PREFIX " +
    "CONDA_DEFAULT_ENV RBENV_ROOT GEM_HOME GEM_PATH ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR CC CXX CFLAGS CXXFLAGS CPPFLAGS " +
    "LDFLAGS MAKEFLAGS PKG_CONFIG_PATH LD_LIBRARY_PATH LIBRARY_PATH CPATH CMAKE_PREFIX_PATH SSL_CERT_FILE SSL_CERT_DIR " +
    "CURL_CA_BUNDLE REQUESTS_CA_BUNDLE NIX_PATH NIX_PROFILES NIX_SSL_CERT_FILE LOCALE_ARCHIVE XDG_DATA_DIRS SOURCE_DATE_EPOCH " +
    "GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL SystemRoot PATHEXT COMSPEC TEMP TMP"
  ).split(" "),
);
/** No person can press a key in a pager, and the agent removes colors. */
const UNATTENDED: Environment = { TERM: "dumb", PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" };

/**
 * The environment of programs that the agent starts. Only known variables are passed on, because any other may be a
 * secret.
 * @param kept names of additional variables for commands
 */
export function commandEnvironment(environment: Environment, kept: readonly string[] = []): Environment {
  const entries = Object.entries(environment).filter(
    ([name]) => PASSED.has(name) || name.startsWith("LC_") || kept.includes(name),
  );
  return { ...Object.fromEntries(entries), ...UNATTENDED };
}
