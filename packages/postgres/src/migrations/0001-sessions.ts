/** Sessions, entries and their writers: the tables, what keeps them append-only, and whose rows anybody sees. */
export const SESSIONS = `
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
`;
