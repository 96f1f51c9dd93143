/** Text that looks like a secret. Only its place is reported, never the text itself. */
export interface FoundSecret {
  /** A description of the secret for its author. */
  readonly kind: string;
  readonly from: number;
  readonly to: number;
}

const HEX = "[0-9a-fA-F]";
const WORD = "[A-Za-z0-9]";
const URL_SAFE = "[A-Za-z0-9_-]";
const BASE64 = "[A-Za-z0-9+/=_-]";
const UUID = `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`;

/**
 * Tokens with a known prefix: one that is not a word, with more characters after it than a word has. Collected from the
 * issuers' own pages; a repository scanner knows others and also runs (find-secrets).
 */
const PREFIXED: Readonly<Record<string, readonly string[]>> = {
  "a key of a cloud": [
    "(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",
    `AIza${URL_SAFE}{35}`,
    `GOCSPX-${URL_SAFE}{28}`,
    `ya29\\.${URL_SAFE}{20,}`,
    `1//0[a-z]?${URL_SAFE}{30,}`,
    `${URL_SAFE}{3}\\dQ~[A-Za-z0-9_.~-]{31,34}`,
    `do[oprt]_v1_${HEX}{64}`,
    "LTAI[A-Za-z0-9]{12,20}",
    `HRKU-${BASE64}{36,}`,
    "(?:fo1|fm1[ar]?|fm2)_[A-Za-z0-9+/=_-]{30,}",
    "rnd_[A-Za-z0-9]{24,}",
    "nf[pcuob]_[A-Za-z0-9]{36,}",
    `sb[ps]_${HEX}{40}|sb_secret_${URL_SAFE}{20,}`,
    `pscale_(?:tkn|pw|oauth)_${URL_SAFE}{30,}`,
    "dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,}",
    `pul-${HEX}{40}`,
    `${WORD}{14}\\.atlasv1\\.${URL_SAFE}{60,}`,
    `hv[sbr]\\.${URL_SAFE}{24,}`,
    `dapi${HEX}{32}`,
    "tskey-(?:auth|api|client|scim|webhook)?-?[A-Za-z0-9-]{16,}",
    `v1\\.0-${HEX}{24}-${HEX}{100,}`,
    "AQVN[A-Za-z0-9_-]{35,}|t1\\.[A-Z0-9a-z_-]+[=]{0,2}\\.[A-Z0-9a-z_-]{80,}",
    "CfDJ8[A-Za-z0-9_-]{40,}",
  ],
  "a token of a code host": [
    `gh[pousr]_${WORD}{36,}`,
    `github_pat_${WORD}{22}_${WORD}{59}`,
    `gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas)-${URL_SAFE}{20,}`,
    "GR1348941[A-Za-z0-9_-]{20}",
    "ATBB[A-Za-z0-9]{24,}",
    `ATATT3${BASE64}{20,}|ATCTT3${BASE64}{20,}`,
    `sgp_(?:${HEX}{16}_|local_)?${HEX}{40}`,
  ],
  "a token of a chat service": [
    "xox[abeoprs]-[A-Za-z0-9-]{20,}|xoxe\\.xox[bp]-[A-Za-z0-9-]{20,}|xapp-\\d-[A-Za-z0-9-]{20,}",
    "[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}",
    "\\d{8,10}:AA[A-Za-z0-9_-]{33}",
  ],
  "a key of a payment service": [
    `(?:sk|rk)_(?:live|test|prod)_${WORD}{10,}`,
    `whsec_[A-Za-z0-9+/=]{24,}`,
    `sq0(?:atp|csp|idp)-${URL_SAFE}{22,}`,
    "EAAA[A-Za-z0-9_-]{58,62}",
    `access_token\\$(?:production|sandbox)\\$[0-9a-z]{16}\\$${HEX}{32}`,
    "rzp_(?:live|test)_[A-Za-z0-9]{14,}",
    `shp(?:at|ca|pa|ss)_${HEX}{32}`,
    `access-(?:sandbox|development|production)-${UUID}`,
    `FLWSECK(?:_TEST|_LIVE)?-${WORD}{12,}`,
    "AQE[A-Za-z0-9+/]{5}[A-Za-z0-9+/=*-]{60,}",
    `(?:live|test)_(?:pub_)?${HEX}{35}`,
    `shippo_(?:live|test)_${HEX}{40}`,
    "EZ[AT]K[A-Za-z0-9]{54}",
    `duffel_(?:test|live)_${URL_SAFE}{43}`,
  ],
  "a key of a model provider": [
    `sk-ant-[a-z0-9]{3,8}-${URL_SAFE}{40,}`,
    `sk-(?:proj|svcacct|admin|None|or-v1|lf)-${URL_SAFE}{20,}`,
    `sk-${WORD}{20}T3BlbkFJ${WORD}{20}`,
    `sk-${WORD}{32,}`,
    "sk_[a-f0-9]{48}",
    "gsk_[A-Za-z0-9]{40,}",
    "hf_[A-Za-z]{30,}|api_org_[A-Za-z]{30,}",
    "r8_[A-Za-z0-9]{37}",
    "pplx-[A-Za-z0-9]{40,}",
    "xai-[A-Za-z0-9]{60,}",
    "nvapi-[A-Za-z0-9_-]{60,}",
    "fw_[A-Za-z0-9]{22,}",
    "pa-[A-Za-z0-9_-]{43}",
    `lsv2_(?:pt|sk)_${HEX}{32}_${HEX}{10}`,
    "jina_[A-Za-z0-9_-]{50,}",
    "tvly-(?:dev-|prod-)?[A-Za-z0-9]{30,}",
    `fc-${HEX}{32}`,
    "pcsk_[A-Za-z0-9_]{50,}",
  ],
  "a token of a package registry": [
    `npm_${WORD}{36}`,
    `pypi-AgE[A-Za-z0-9_-]{50,}`,
    `rubygems_${HEX}{48}`,
    "cio[A-Za-z0-9]{32}",
    "oy2[a-z0-9]{43}",
    `dckr_(?:pat|oat)_${URL_SAFE}{27,}`,
    "AKCp[A-Za-z0-9]{60,}",
    "CLOJARS_[a-z0-9]{60}",
  ],
  "a key of a service": [
    `SG\\.${URL_SAFE}{16,32}\\.${URL_SAFE}{16,64}`,
    `key-${HEX}{32}|${HEX}{32}-${HEX}{8}-${HEX}{8}`,
    `${HEX}{32}-us\\d{1,2}`,
    `SK${HEX}{32}`,
    "NRAK-[A-Z0-9]{27}|NRII-[A-Za-z0-9-]{32}",
    `sntry[su]_[A-Za-z0-9+/=_-]{40,}`,
    `gl(?:sa_[A-Za-z0-9]{32}_${HEX}{8}|c_[A-Za-z0-9+/=]{32,})`,
    "lin_(?:api|oauth)_[A-Za-z0-9]{32,}",
    "ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}",
    `fig[dour]_${URL_SAFE}{30,}`,
    `pat[A-Za-z0-9]{14}\\.${HEX}{64}`,
    `sl\\.(?:u\\.)?${URL_SAFE}{100,}`,
    "EAA[A-Za-z0-9]{90,}",
    "AAAAAAAAAAAAAAAAAAAAA[A-Za-z0-9%]{60,}",
    `PMAK-${HEX}{24}-${HEX}{34}`,
    "SSWS 00[A-Za-z0-9_-]{40}",
    "ops_eyJ[A-Za-z0-9+/=_-]{100,}",
    "AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{100,}",
    `(?:sdk|api|mob)-${UUID}`,
    "CCI(?:PAT|PRJ)_[A-Za-z0-9_]{20,}",
    `bk(?:ua|ut|aj)_${HEX}{40}`,
    `sq[upa]_${HEX}{40}`,
    `CFPAT-${URL_SAFE}{43}`,
    "tfp_[A-Za-z0-9_-]{40,}",
    `pat-(?:na|eu)\\d-${UUID}`,
    "dt0[a-zA-Z]\\d{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}",
    "pn[ua]_[A-Za-z0-9]{36}",
    "rdme_[a-z0-9]{70}",
    `ico-${WORD}{32}`,
    `p8e-[a-z0-9]{32}`,
    `sk\\.eyJ${URL_SAFE}{60,}\\.${URL_SAFE}{20,}`,
    "0/[0-9a-f]{32}|[12]/\\d{15,17}(?:/\\d{15,17})?:[0-9a-f]{32}",
    `phx_${WORD}{40,}`,
    `re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}`,
  ],
  "a private key": [
    "AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}",
    "(?:xprv|yprv|zprv)[1-9A-HJ-NP-Za-km-z]{100,}",
  ],
  "a signed token": [`eyJ${URL_SAFE}{10,}\\.(?:eyJ${URL_SAFE}{10,}|${URL_SAFE}*)\\.${URL_SAFE}{16,}[A-Za-z0-9_.-]*`],
};

/** Secrets that the text around them identifies. */
const FRAMED: Readonly<Record<string, string>> = {
  "a private key": "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[23]:",
  "a password in a connection string":
    "[a-z][a-z0-9+.-]{1,30}://[^\\s/?#:@'\"`<>]{0,100}:(?!\\d{1,5}[/?#\\s]|[$%{<*])[^\\s/?@'\"`<>]{3,200}@[A-Za-z0-9.[_-]",
  "a link that may be written to":
    "hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9/+]{20,}|discord(?:app)?\\.com/api/webhooks/\\d{17,20}/[A-Za-z0-9_-]{60,}|webhook\\.office\\.com/webhookb2/[A-Za-z0-9@/-]{60,}",
  "a password in a request":
    "(?:curl|wget|http)\\b[^\\n]{0,200}?\\s(?:-u|--user)[ =]?['\"]?[^\\s:'\"$<{]{1,80}:[^\\s'\"$<{]{4,}",
  "a header with a credential":
    "\\b(?:authorization|x-api-key|x-auth-token|private-token|api-key)['\"]?\\s*[:=]\\s*['\"]?(?:(?:bearer|basic|token|apikey|ssws|bot)\\s+)?[A-Za-z0-9+/=_.~-]{16,}",
  "a bearer token": "\\bbearer\\s+(?=[A-Za-z0-9+/=_.~-]*\\d)[A-Za-z0-9+/=_.~-]{20,}",
  "a key in a connection string":
    "\\b(?:AccountKey|SharedAccessKey|SharedSecretValue|EntityPath|sig)=(?=[A-Za-z0-9+/%_-]*\\d)[A-Za-z0-9+/%_-]{30,}={0,2}",
  "a private part of a key": '"(?:d|p|q|dp|dq|qi|k)"\\s*:\\s*"[A-Za-z0-9_-]{40,}"',
};

interface Format {
  readonly kind: string;
  readonly pattern: RegExp;
}

// Not within a longer word: a match in the middle of one is part of something else.
const FORMATS: readonly Format[] = [
  ...Object.entries(PREFIXED).map(([kind, patterns]) => ({
    kind,
    pattern: new RegExp(`(?<![A-Za-z0-9_/+-])(?:${patterns.join("|")})`, "g"),
  })),
  ...Object.entries(FRAMED).map(([kind, pattern]) => ({ kind, pattern: new RegExp(pattern, "gi") })),
];

/** Placeholders for a secret in texts that explain. */
const STAND_IN =
  /:(?:pass|password|passwd|pwd|pw|secret|token|changeme|postgres|root|guest|user|admin|test)@|(?:x{6}|X{6}|\*{4}|0{12}|1234567890ab|abcdefghijklm|EXAMPLE|example|placeholder|redacted|REDACTED|your[-_]?)/;

/** Finds secrets with a known form. */
export function findKnownFormats(text: string): FoundSecret[] {
  return FORMATS.flatMap(({ kind, pattern }) =>
    [...text.matchAll(pattern)]
      .filter(([found]) => !STAND_IN.test(found))
      .map((match) => ({ kind, from: match.index, to: match.index + match[0].length })),
  );
}
