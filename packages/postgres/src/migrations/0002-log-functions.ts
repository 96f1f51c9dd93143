/**
 * What a log is asked and told, each in one round trip. Functions for two reasons: the tenant is set for the transaction
 * before any row is looked at, and their statements are planned once for each connection, without prepared statements,
 * which a pooler between transactions would lose.
 */
export const LOG_FUNCTIONS = `
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
`;
