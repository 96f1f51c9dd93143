/** Sessions as a whole: listed, described, deleted, expired. */
export const SESSION_FUNCTIONS = `
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

-- Workers may not delete: they may ask for a whole session to be, which its owner does, under the same row-level security.
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

-- Looks at a page of sessions in the order of their names, because an index by time would cost every append.
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
