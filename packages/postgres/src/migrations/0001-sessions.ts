import { preferLz4 } from "./prefer-lz4.ts";

/** Sessions, entries and their writers: the tables, what keeps them append-only, the functions of logs, and sessions as a whole. */
export const SESSIONS: string = `
CREATE SEQUENCE session_number;

-- One row for each session: its head and its writer. No index covers a column that an append changes, and each page has spare
-- room, so that the update stays on its page (HOT) and touches no index.
CREATE TABLE session (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  name text COLLATE "C" NOT NULL,
  -- Identifies one life of a session: a session that is deleted and begun again has a new number.
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

-- In a table of its own, because the row of the session is written with every append.
CREATE TABLE session_metadata (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session bigint NOT NULL,
  metadata text NOT NULL,
  PRIMARY KEY (tenant, session)
);

-- The tenant is part of the key, so that no entry can collide with an entry of another tenant.
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
  -- Null after the payload was erased.
  payload text,
  PRIMARY KEY (tenant, session, sequence)
);
${preferLz4("entry", "payload")}
-- Finds the newest entry of a kind. The newest message, request or usage is never far from the end, so these kinds are left out.
CREATE INDEX entry_rare ON entry (tenant, session, kind, sequence) WHERE kind NOT IN ('message', 'request', 'usage');
CREATE INDEX entry_fork ON entry (tenant, (payload::json ->> 'session')) WHERE sequence = 1 AND kind = 'fork';

-- One row for each process that writes logs, however many logs it has open. It belongs to no tenant and says nothing about any.
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

-- Entries are deleted together with their session, or not at all.
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

-- Each call of a log is one function, and so one round trip. Functions have two more uses: they set the tenant for the transaction
-- before they look at any row, and PostgreSQL plans their statements once for each connection, without prepared statements,
-- which a pooler in transaction mode would lose.

-- The database's clock decides, because the clocks of workers differ. Tests pass a time of their own.
CREATE FUNCTION now_ms(p_now_ms double precision) RETURNS double precision LANGUAGE sql VOLATILE AS
  $$ SELECT coalesce(p_now_ms, extract(epoch FROM clock_timestamp()) * 1000) $$;

-- Who writes a session; no row if it is free. A writer is alive as long as it appends or its process renews its row in worker.
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

-- Takes a session for writing, and creates it if there is none. When two callers race, one waits for the row of the other and comes second.
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

-- The reason why nothing was written.
CREATE FUNCTION refusal(p_tenant text, p_session bigint, p_fence bigint)
RETURNS TABLE (outcome text, fence bigint, owner text, head_sequence integer, head_hash text)
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT CASE WHEN number IS NULL THEN 'gone' WHEN fence = p_fence THEN 'out-of-order' ELSE 'fenced' END,
    fence, owner, head_sequence, encode(head_hash, 'hex')
  FROM (VALUES (1)) AS one LEFT JOIN session ON tenant = p_tenant AND number = p_session
$$;

-- Compare and swap: the head moves only if fence and head are as the writer expects, and the entry is added only if the head
-- moved. The lock of the row puts appends and takeovers in order; a writer that waited for it is compared with the row as it is then.
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

-- The same for any number of entries. With none, it only checks the fence.
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

-- The lock of the row keeps a takeover out until the payload is erased.
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

-- A renewal need not survive a crash of the server, so it does not wait for the disk.
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

-- The three kinds are named again, so that the planner knows that the index entry_rare has all entries of the other kinds.
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

-- Every row has the head. If there is no entry, there is one row with the head alone.
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

-- Takes a session for writing, and reads its first batch.
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

-- Finds a session for reading, and reads its first batch.
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

-- For a search: the newest entries first, until there are enough characters to look at.
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

-- Sessions as a whole: list, describe, delete, expire.

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

-- Workers may not delete rows. They may have a whole session deleted: this function does it as the owner of the tables, under the
-- same row-level security.
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

-- Looks at one page of sessions in the order of their names. An index by time would slow down every append.
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
`;
