/**
 * Secrets as they really look, made anew from a seed in every run: none of them is or was anyone's, and none stands in this
 * file as a whole, where a scanner of repositories would take it for one.
 */
export interface SecretCase {
  readonly family: string;
  readonly name: string;
  /** A text as it could be proposed for a memory, with the secret in it. */
  readonly text: string;
}

/** Characters by chance, the same ones for the same seed. */
interface Chance {
  below(limit: number): number;
  pick<T>(of: readonly T[]): T;
  text(alphabet: string, length: number): string;
}

function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const below = (limit: number): number => {
    // https://gist.github.com/tommyettinger/46a874533244883189143505d203312c: 32 bits of state, even enough for letters.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) * limit) / 2 ** 32;
  };
  const pick = <T>(of: readonly T[]): T => of[Math.floor(below(of.length))]!;
  return {
    below: (limit) => Math.floor(below(limit)),
    pick,
    text: (alphabet, length) => Array.from({ length }, () => pick([...alphabet])).join(""),
  };
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const HEX = `${DIGITS}abcdef`;
const WORD = `${LOWER}${LOWER.toUpperCase()}${DIGITS}`;
const URL_SAFE = `${WORD}-_`;
const BASE64 = `${WORD}+/`;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const UPPER = `${LOWER.toUpperCase()}${DIGITS}`;

type Make = (chance: Chance) => string;
const after =
  (prefix: string, alphabet: string, length: number): Make =>
  ({ text }) =>
    prefix + text(alphabet, length);
const joined =
  (...parts: readonly (string | Make)[]): Make =>
  (chance) =>
    parts.map((part) => (typeof part === "string" ? part : part(chance))).join("");
const of =
  (alphabet: string, length: number): Make =>
  ({ text }) =>
    text(alphabet, length);
const uuid: Make = joined(of(HEX, 8), "-", of(HEX, 4), "-4", of(HEX, 3), "-a", of(HEX, 3), "-", of(HEX, 12));
const password: Make = ({ text, pick }) =>
  text(LOWER, 5) +
  text(DIGITS, 3) +
  pick(["!", "#", "$", "_", "+", "."]) +
  text(LOWER.toUpperCase(), 4) +
  text(WORD, 2);
const encoded = (text: string): string => Buffer.from(text).toString("base64");
const unpadded = (text: string): string => Buffer.from(text).toString("base64url");

/** What shows by itself what it is. */
const TOKENS: Readonly<Record<string, Readonly<Record<string, Make>>>> = {
  cloud: {
    "access key id": after("AK" + "IA", BASE32, 16),
    "temporary key id": after("AS" + "IA", BASE32, 16),
    "browser key": after("AI" + "za", URL_SAFE, 35),
    "oauth client secret": after("GOC" + "SPX-", URL_SAFE, 28),
    "oauth access token": after("ya" + "29.", URL_SAFE, 120),
    "oauth refresh token": after("1/" + "/0g", URL_SAFE, 60),
    "directory client secret": joined(of(WORD, 3), "8Q~", of(WORD, 34)),
    "droplet token": after("dop_" + "v1_", HEX, 64),
    "eastern access key": after("LT" + "AI", WORD, 20),
    "dyno key": after("HR" + "KU-AA", `${WORD}_-`, 58),
    "edge token": after("fm" + "2_", BASE64, 120),
    "site token": after("nf" + "p_", WORD, 36),
    "backend token": after("sb" + "p_", HEX, 40),
    "database token": after("pscale_" + "tkn_", URL_SAFE, 43),
    "vault of environments": after("dp." + "pt.", WORD, 43),
    "stack token": after("pu" + "l-", HEX, 40),
    "plan token": joined(of(WORD, 14), ".atlas" + "v1.", of(URL_SAFE, 67)),
    "vault token": after("hv" + "s.", URL_SAFE, 90),
    "lake token": after("da" + "pi", HEX, 32),
    "network key": joined("tskey-" + "auth-", of(WORD, 12), "CNTRL-", of(WORD, 32)),
    "origin key": joined("v1" + ".0-", of(HEX, 24), "-", of(HEX, 146)),
  },
  "code hosts": {
    "personal token": after("gh" + "p_", WORD, 36),
    "app token": after("gh" + "s_", WORD, 36),
    "oauth token": after("gh" + "o_", WORD, 36),
    "fine-grained token": joined("github" + "_pat_", of(WORD, 22), "_", of(WORD, 59)),
    "project token": after("gl" + "pat-", URL_SAFE, 20),
    "routable token": joined("gl" + "pat-", of(URL_SAFE, 27), ".01.", of(WORD, 9)),
    "runner token": after("gl" + "rt-", URL_SAFE, 20),
    "deploy token": after("gl" + "dt-", URL_SAFE, 20),
    "bucket password": after("AT" + "BB", WORD, 32),
    "suite token": joined("AT" + "ATT3xFfGF0", of(URL_SAFE, 150), "=", of(UPPER, 8)),
    "search token": after("sg" + "p_", HEX, 40),
  },
  chat: {
    "bot token": joined("xo" + "xb-", of(DIGITS, 12), "-", of(DIGITS, 13), "-", of(WORD, 24)),
    "user token": joined("xo" + "xp-", of(DIGITS, 12), "-", of(DIGITS, 12), "-", of(DIGITS, 13), "-", of(HEX, 32)),
    "app token": joined("xa" + "pp-1-A", of(UPPER, 10), "-", of(DIGITS, 13), "-", of(HEX, 64)),
    webhook: joined("https://hooks." + "slack.com/services/T", of(UPPER, 8), "/B", of(UPPER, 10), "/", of(WORD, 24)),
    "guild bot": joined("MT", of(WORD, 24), ".G", of(WORD, 5), ".", of(URL_SAFE, 38)),
    "guild webhook": joined("https://discord" + ".com/api/webhooks/", of("123456789", 18), "/", of(URL_SAFE, 68)),
    "messenger bot": joined(of("123456789", 10), ":A" + "A", of(URL_SAFE, 33)),
  },
  payment: {
    "live key": after("sk_" + "live_", WORD, 24),
    "long live key": after("sk_" + "live_51", WORD, 97),
    "restricted key": after("rk_" + "live_", WORD, 24),
    "test key": after("sk_" + "test_", WORD, 24),
    "signing secret": after("wh" + "sec_", WORD, 32),
    "seller token": after("sq0" + "atp-", URL_SAFE, 22),
    "seller secret": after("sq0" + "csp-", URL_SAFE, 43),
    "gateway token": joined("access_token" + "$production$", of(`${LOWER}${DIGITS}`, 16), "$", of(HEX, 32)),
    "rupee key": after("rzp_" + "live_", WORD, 14),
    "shop token": after("shp" + "at_", HEX, 32),
    "bank token": joined("access-" + "sandbox-", uuid),
    "naira secret": joined("FLW" + "SECK-", of(HEX, 32), "-X"),
    "parcel key": after("shippo_" + "live_", HEX, 40),
  },
  "model providers": {
    "message api": joined("sk-" + "ant-api03-", of(URL_SAFE, 93), "AA"),
    "message admin": joined("sk-" + "ant-admin01-", of(URL_SAFE, 93), "AA"),
    "project key": joined("sk-" + "proj-", of(URL_SAFE, 74), "T3Blbk" + "FJ", of(URL_SAFE, 74)),
    "old key": joined("sk-", of(WORD, 20), "T3Blbk" + "FJ", of(WORD, 20)),
    "service key": joined("sk-" + "svcacct-", of(URL_SAFE, 58)),
    "fast key": after("gs" + "k_", WORD, 52),
    "hub key": after("hf" + "_", LOWER + LOWER.toUpperCase(), 34),
    "replica key": after("r8" + "_", WORD, 37),
    "search key": after("pp" + "lx-", WORD, 48),
    "x key": after("xa" + "i-", WORD, 80),
    "router key": joined("sk-" + "or-v1-", of(HEX, 64)),
    "card key": after("nv" + "api-", URL_SAFE, 64),
    "deep key": after("sk" + "-", HEX, 32),
    "firework key": after("fw" + "_", WORD, 24),
    "trace key": joined("lsv2" + "_pt_", of(HEX, 32), "_", of(HEX, 10)),
    "voice key": after("sk" + "_", HEX, 48),
    "web search key": after("tvly" + "-", WORD, 32),
    "vector key": joined("pcsk" + "_", of(WORD, 5), "_", of(WORD, 64)),
  },
  registries: {
    "node token": after("np" + "m_", WORD, 36),
    "python token": joined("py" + "pi-AgEIcHlwaS5vcmc", of(URL_SAFE, 150)),
    "gem token": after("ruby" + "gems_", HEX, 48),
    "crate token": after("ci" + "o", WORD, 32),
    "net token": after("oy" + "2", `${LOWER}${DIGITS}`, 43),
    "image token": after("dckr_" + "pat_", URL_SAFE, 27),
    "artifact key": after("AKC" + "p8", WORD, 67),
  },
  services: {
    "mail key": joined("S" + "G.", of(URL_SAFE, 22), ".", of(URL_SAFE, 43)),
    "mail gun": after("ke" + "y-", HEX, 32),
    "list key": joined(of(HEX, 32), "-us" + "12"),
    "phone key": after("S" + "K", HEX, 32),
    "relic key": after("NR" + "AK-", UPPER, 27),
    "error token": after("sntry" + "u_", HEX, 64),
    "dashboard token": joined("gl" + "sa_", of(WORD, 32), "_", of(HEX, 8)),
    "issue key": after("lin_" + "api_", WORD, 40),
    "wiki key": after("nt" + "n_", WORD, 46),
    "design key": after("fig" + "d_", URL_SAFE, 43),
    "table key": joined("pa" + "t", of(WORD, 14), ".", of(HEX, 64)),
    "file token": after("s" + "l.", URL_SAFE, 140),
    "request key": joined("PM" + "AK-", of(HEX, 24), "-", of(HEX, 34)),
    "flag key": joined("sd" + "k-", uuid),
    "pipeline token": joined("CCI" + "PAT_", of(WORD, 22), "_", of(HEX, 40)),
    "agent token": after("bk" + "ua_", HEX, 40),
    "quality token": after("sq" + "u_", HEX, 40),
    "content token": after("CF" + "PAT-", URL_SAFE, 43),
    "crm token": joined("pa" + "t-na1-", uuid),
    "trace token": joined("dt0" + "c01.", of(UPPER, 24), ".", of(UPPER, 64)),
    "post token": joined("r" + "e_", of(WORD, 8), "_", of(WORD, 24)),
  },
  "signed tokens": {
    "web token": ({ text }) =>
      [
        unpadded('{"alg":"HS256","typ":"JWT"}'),
        unpadded(`{"sub":"${text(DIGITS, 10)}","name":"J. Doe","iat":17${text(DIGITS, 8)}}`),
        text(URL_SAFE, 43),
      ].join("."),
    "role token": ({ text }) =>
      [
        unpadded('{"alg":"RS256","kid":"1"}'),
        unpadded(`{"iss":"auth","role":"service","exp":20${text(DIGITS, 8)}}`),
        text(URL_SAFE, 342),
      ].join("."),
    "map token": ({ text }) =>
      ["s" + "k", unpadded(`{"u":"someone","a":"${text(WORD, 40)}"}`), text(URL_SAFE, 22)].join("."),
  },
};

const SENTENCES: readonly ((token: string) => string)[] = [
  (token) => `The staging account uses ${token}, rotate it in March.`,
  (token) => `Log in with \`${token}\` before you deploy.`,
  (token) => `export SERVICE_KEY="${token}"`,
  (token) => `{"name": "ci", "value": "${token}"}`,
  (token) => `Fetch https://api.service.net/v1/items?key=${token} every morning.`,
  (token) => `- first ${token}\n- then restart the worker`,
  (token) => `> They said: use (${token}) for now.`,
  (token) => `SERVICE_KEY: ${token}\n`,
];

const key =
  (label: string, bytes: number): Make =>
  (chance) => {
    const body = Array.from({ length: Math.ceil(bytes / 48) }, () => chance.text(BASE64, 64)).join("\n");
    return `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----`;
  };
const assigned =
  (name: string, make: Make): Make =>
  (chance) =>
    chance.pick([
      (value: string) => `${name}=${value}`,
      (value: string) => `export ${name}='${value}'`,
      (value: string) => `${name}: "${value}"`,
      (value: string) => `"${name}": "${value}",`,
      (value: string) => `The settings have \`${name}=${value}\` in them.`,
    ])(make(chance));

/** What shows by what stands around it. */
const TEXTS: Readonly<Record<string, Readonly<Record<string, Make>>>> = {
  "private keys": {
    rsa: key("RSA PRIVATE " + "KEY", 1_200),
    "elliptic curve": key("EC PRIVATE " + "KEY", 160),
    "any kind": key("PRIVATE " + "KEY", 1_200),
    encrypted: key("ENCRYPTED PRIVATE " + "KEY", 1_300),
    shell: key("OPENSSH PRIVATE " + "KEY", 400),
    "digital signature": key("DSA PRIVATE " + "KEY", 600),
    mail: key("PGP PRIVATE KEY " + "BLOCK", 2_000),
    "in one line": (chance) => JSON.stringify({ private_key: key("PRIVATE " + "KEY", 1_200)(chance) }),
    putty: joined("PuTTY-User-Key-" + "File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n", of(BASE64, 44)),
    age: after("AGE-SECRET-" + "KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "json web key": joined('{"kty":"EC","crv":"P-256","d":"', of(URL_SAFE, 43), '"}'),
    tunnel: joined("[Interface]\nPrivate" + "Key = ", of(BASE64, 43), "="),
  },
  "connection strings": {
    postgres: joined("postgres://app:", password, "@db.internal:5432/orders"),
    "postgres with driver": joined("postgresql+psycopg2://svc_orders:", of(WORD, 20), "@10.0.3.7/orders"),
    mysql: joined("mysql://root:", password, "@mysql.prod.internal/app"),
    mongo: joined("mongodb+srv://admin:", of(WORD, 16), "@cluster0.ab1cd.mongodb.net/?retryWrites=true"),
    redis: joined("redis://:", of(WORD, 32), "@cache.internal:6379/0"),
    rabbit: joined("amqps://worker:", of(WORD, 18), "@queue.internal/vhost"),
    "key and value": joined(
      "Server=tcp:sql.internal,1433;Database=app;User ID=sa;Password=",
      password,
      ";Encrypt=True",
    ),
    jdbc: joined("jdbc:mysql://db.internal:3306/app?user=app&password=", of(WORD, 16)),
    odbc: joined("Driver={ODBC Driver 18};Server=db;Uid=app;Pwd=", password, ";"),
    storage: joined("DefaultEndpointsProtocol=https;AccountName=media;Account" + "Key=", of(BASE64, 86), "=="),
    bus: joined(
      "Endpoint=sb://bus.servicebus.net/;SharedAccessKeyName=Root;SharedAccess" + "Key=",
      of(BASE64, 43),
      "=",
    ),
    "signed link": joined("https://media.blob.net/c/f.zip?sv=2024-11-04&se=2026-12-31&sp=r&sig=", of(WORD, 43), "%3D"),
    mail: joined("smtp://mailer:", of(WORD, 16), "@smtp.internal:587"),
    directory: joined("ldap://cn=admin:", password, "@ldap.internal"),
  },
  "links with passwords": {
    plain: joined("https://dana:", password, "@wiki.internal/page"),
    "with a token": joined("git clone https://x-access-token:", of(WORD, 40), "@code.internal/team/app.git"),
    "oauth user": joined("https://oauth2:", of(WORD, 26), "@code.internal/team/app.git"),
    "old error reports": joined("https://", of(HEX, 32), ":", of(HEX, 32), "@errors.internal/42"),
    file: joined("ftp://backup:", password, "@files.internal/dump.sql"),
    index: joined("--index-url https://ci:", of(WORD, 24), "@pypi.internal/simple"),
  },
  headers: {
    bearer: joined("Authorization: Bearer ", of(WORD, 40)),
    "bearer in prose": joined("It wants `Bearer ", of(HEX, 48), "` with each call."),
    basic: (chance) => `Authorization: Basic ${encoded(`dana:${password(chance)}`)}`,
    "own header": joined("X-Api-Key: ", of(WORD, 32)),
    "in a command": joined('curl -H "Authorization: token ', of(HEX, 40), '" https://code.internal/api'),
    "user in a command": joined("curl -u dana:", password, " https://wiki.internal/api"),
    "private token": joined("PRIVATE-TOKEN: ", of(WORD, 20)),
  },
  assignments: {
    "cloud secret": assigned("AWS_SECRET_ACCESS_KEY", of(BASE64, 40)),
    "cloud session": assigned("AWS_SESSION_TOKEN", of(BASE64, 300)),
    "small cloud": assigned("DIGITALOCEAN_ACCESS_TOKEN", of(HEX, 64)),
    "dyno uuid": assigned("HEROKU_API_KEY", uuid),
    edge: assigned("CLOUDFLARE_API_TOKEN", of(URL_SAFE, 40)),
    "zone key": assigned("CF_API_KEY", of(HEX, 37)),
    metrics: assigned("DD_API_KEY", of(HEX, 32)),
    "metrics app": assigned("DATADOG_APP_KEY", of(HEX, 40)),
    phone: assigned("TWILIO_AUTH_TOKEN", of(HEX, 32)),
    "search admin": assigned("ALGOLIA_ADMIN_API_KEY", of(HEX, 32)),
    "mail uuid": assigned("POSTMARK_SERVER_TOKEN", uuid),
    coverage: assigned("CODECOV_TOKEN", uuid),
    "model 32": assigned("MODEL_API_KEY", of(WORD, 32)),
    "model 40": assigned("COHERE_API_KEY", of(WORD, 40)),
    "model 64": assigned("TOGETHER_API_KEY", of(HEX, 64)),
    jwt: assigned("JWT_SECRET", of(BASE64, 64)),
    django: assigned("SECRET_KEY", of(`${LOWER}${DIGITS}!@%^&*(-_=+)`, 50)),
    rails: assigned("secret_key_base", of(HEX, 128)),
    session: assigned("SESSION_SECRET", of(URL_SAFE, 48)),
    "camel case": assigned("clientSecret", of(URL_SAFE, 40)),
    "camel key": assigned("apiKey", of(WORD, 32)),
    dotted: assigned("spring.datasource.password", password),
    password: assigned("DB_PASSWORD", password),
    "weak password": assigned("MYSQL_ROOT_PASSWORD", ({ text }) => `${text(LOWER, 6)}${text(DIGITS, 2)}`),
    "long password": assigned("REDIS_PASSWORD", of(WORD, 24)),
    "pass phrase": assigned("GPG_PASSPHRASE", ({ pick }) =>
      Array.from({ length: 5 }, () => pick(["correct", "horse", "battery", "staple", "lamp", "river"])).join("-"),
    ),
    "before a command": joined("PGPASSWORD=", password, " psql -h db.internal -U app"),
    flag: joined("mysql -u root --password=", password, " app"),
    "flag with space": joined("docker login registry.internal -u ci --password ", of(WORD, 24)),
    "registry file": joined("//registry.internal/:_auth" + "Token=", uuid),
    "registry auth": (chance) => `_auth=${encoded(`ci:${password(chance)}`)}`,
    netrc: joined("machine code.internal login dana password ", password),
    "code constant": joined('const API_TOKEN = "', of(WORD, 36), '";'),
    "python constant": joined("api_key = '", of(HEX, 40), "'"),
    "yaml block": joined("database:\n  user: app\n  password: ", password, "\n"),
    "client key": assigned("STRIPE_WEBHOOK_SECRET", of(WORD, 40)),
  },
  prose: {
    "a password": joined("The password is ", password, ", do not tell anyone."),
    "of a network": joined('The office wifi password is "', password, '".'),
    "of an admin": joined("admin password: ", password),
    "of a server": joined("Their staging password was changed to ", password, " last week."),
    "an api key": joined("Our API key is ", of(WORD, 32), "."),
    "a token": joined("The deploy token is `", of(HEX, 40), "`."),
    "a bot token": joined("bot token = ", of(URL_SAFE, 46)),
    "a passphrase": joined("Use the passphrase: ", password),
  },
};

/** Ways to write a secret that is not seen at once. */
const DISGUISES: Readonly<Record<string, (token: string) => string>> = {
  "in base64": (token) => `The value is ${encoded(`token: ${token}`)}.`,
  "in a settings file, in base64": (token) => `auths: ${encoded(`ci:${token}\nfor the build machine`)}`,
  "with an invisible character": (token) => `It is ${token.slice(0, 9)}\u200b${token.slice(9)}.`,
  "in escaped JSON": (token) => JSON.stringify(JSON.stringify({ note: `use ${token}` })),
};

/** All cases: each kind of token in three sentences, each text three times, some in disguise. */
export function secretCorpus(seed: number): readonly SecretCase[] {
  const chance = createChance(seed);
  const cases: SecretCase[] = [];
  let sentence = 0;
  for (const [family, makers] of Object.entries(TOKENS)) {
    for (const [name, make] of Object.entries(makers)) {
      for (let time = 0; time < 3; time++) {
        cases.push({ family, name, text: SENTENCES[sentence++ % SENTENCES.length]!(make(chance)) });
      }
    }
  }
  for (const [family, makers] of Object.entries(TEXTS)) {
    for (const [name, make] of Object.entries(makers)) {
      for (let time = 0; time < 3; time++) cases.push({ family, name, text: make(chance) });
    }
  }
  const disguised = Object.values(TOKENS).flatMap((makers) => Object.values(makers).slice(0, 3));
  for (const [name, disguise] of Object.entries(DISGUISES)) {
    for (const make of disguised) cases.push({ family: "disguised", name, text: disguise(make(chance)) });
  }
  return cases;
}
