import { PalimpsestError } from "palimpsest";

const REMEDIES = {
  "not-migrated": "the schema is missing or older than this release. Run migrate(pool) as an administrator",
  "no-permission":
    "this role may not do it. GRANT palimpsest_worker to it (and for what concerns all tenants, GRANT palimpsest_operator)",
  "too-many-connections": "the server has too many connections or too little memory. Use a smaller pool, or a pooler",
  "disk-full": "the server's disk is full. Free some space and try again",
  unreachable: "the server cannot be reached, or is stopping. Whether the statement was done is not known. Try again",
  conflict: "another transaction was in the way. Try again",
  refused: "the server refused the statement",
} as const;

/** Why the database could not be used. */
export type DatabaseFailure = keyof typeof REMEDIES;

export interface DatabaseErrorDetails {
  readonly sqlState?: string;
  readonly cause: unknown;
  /** What to do, where more is known than the reason. @default by the reason */
  readonly remedy?: string | undefined;
}

/** PostgreSQL refused, or could not be reached. */
export class DatabaseError extends PalimpsestError {
  static readonly code = "database-failed";
  readonly code: string = DatabaseError.code;
  readonly reason: DatabaseFailure;
  /** PostgreSQL's own code, if it answered. */
  readonly sqlState: string | undefined;

  constructor(statement: string, reason: DatabaseFailure, { sqlState, cause, remedy }: DatabaseErrorDetails) {
    const told = cause instanceof Error ? cause.message : String(cause);
    super(`${statement}: ${remedy ?? REMEDIES[reason]} (${told}).`, { cause });
    this.reason = reason;
    this.sqlState = sqlState;
  }
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html: classes have two characters.
const REASONS: readonly (readonly [start: string, reason: DatabaseFailure])[] = [
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
  ["55P03", "conflict"],
];

/** Codes of the system begin with E: most are longer (ECONNREFUSED), and EPIPE is not. No class of PostgreSQL does. */
const SQL_STATE = /^[0-9A-DF-Z][0-9A-Z]{4}$/;

/** @param remedy what to do, where more is known than PostgreSQL's code says */
export function toDatabaseError(statement: string, error: unknown, remedy?: string): DatabaseError {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  // A code of the system, or none: the connection ended before there was an answer.
  if (!SQL_STATE.test(code)) return new DatabaseError(statement, "unreachable", { cause: error });
  const reason = REASONS.find(([start]) => code.startsWith(start))?.[1] ?? "refused";
  return new DatabaseError(statement, reason, { sqlState: code, cause: error, remedy });
}
