/** Tenants as a whole (listed, counted, read, deleted), their keys, and their tokens of the HTTP API. */
export const TENANTS = `
-- The tables of tenants are found by their column tenant, also tables of later migrations. The table session comes first: once its row is
-- gone, its writer cannot append, and its entries can be deleted.
CREATE FUNCTION tenant_tables() RETURNS SETOF text LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT relname::text FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE relnamespace = 'palimpsest'::regnamespace AND attname = 'tenant' AND NOT attisdropped AND relkind IN ('r', 'p') AND NOT relispartition
  ORDER BY relname <> 'session', relname
$$;

CREATE FUNCTION count_tenant_rows(p_tenant text) RETURNS TABLE (name text, rows bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  FOR name IN SELECT tenant_tables() LOOP
    EXECUTE format('SELECT count(*) FROM %I WHERE tenant = $1', name) USING p_tenant INTO rows;
    RETURN NEXT;
  END LOOP;
END $$;

-- The first p_limit writers that are alive, in the order of their sessions.
CREATE FUNCTION open_writers(p_tenant text, p_now_ms double precision, p_lease_ms double precision, p_limit integer)
RETURNS TABLE (name text, owner text, active_at_ms double precision, free_at_ms double precision)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT session.name, holder.owner, holder.active_at_ms, holder.free_at_ms
    FROM session CROSS JOIN LATERAL writer_of(p_tenant, session.name, p_now_ms, p_lease_ms) AS holder
    WHERE session.tenant = p_tenant AND session.state = 'open' ORDER BY session.name LIMIT p_limit;
END $$;

-- Deletes one batch of rows from one table, and returns the table. No row: nothing is left.
CREATE FUNCTION delete_tenant_rows(p_tenant text, p_limit integer) RETURNS TABLE (name text, rows bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  FOR name IN SELECT tenant_tables() LOOP
    EXECUTE format('DELETE FROM %1$I WHERE tenant = $1 AND ctid = ANY (ARRAY(SELECT ctid FROM %1$I WHERE tenant = $1 LIMIT $2))', name)
      USING p_tenant, p_limit;
    GET DIAGNOSTICS rows = ROW_COUNT;
    IF rows > 0 THEN
      RETURN NEXT;
      RETURN;
    END IF;
  END LOOP;
END $$;

CREATE FUNCTION list_results(p_tenant text, p_session text, p_after text, p_limit integer) RETURNS SETOF text
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT file FROM result WHERE tenant = p_tenant AND session = p_session AND file > p_after ORDER BY file LIMIT p_limit;
END $$;

-- Rows of any table of tenants in the order of its key, after the row that was read last.
CREATE FUNCTION read_tenant_rows(p_tenant text, p_table text, p_after jsonb, p_limit integer) RETURNS SETOF jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_table text := (SELECT name FROM tenant_tables() AS name WHERE name = p_table);
  v_key text := (SELECT string_agg(format('%%1$s.%I', attname), ', ' ORDER BY position) FROM pg_index
    CROSS JOIN LATERAL unnest(indkey::smallint[]) WITH ORDINALITY AS key (attnum, position)
    JOIN pg_attribute ON pg_attribute.attrelid = indrelid AND pg_attribute.attnum = key.attnum
    WHERE indisprimary AND indrelid = to_regclass(format('palimpsest.%I', v_table)));
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  IF v_key IS NULL THEN RAISE EXCEPTION 'There is no table % of tenants with a primary key.', p_table; END IF;
  RETURN QUERY EXECUTE format('SELECT to_jsonb(one) FROM %I AS one CROSS JOIN jsonb_populate_record(NULL::%1$I, $2) AS last
    WHERE one.tenant = $1 AND ($2 = ''{}'' OR (%s) > (%s)) ORDER BY %2$s LIMIT $3', v_table, format(v_key, 'one'), format(v_key, 'last'))
    USING p_tenant, p_after, p_limit;
END $$;

-- The tenants that have sessions or leases. The policies let the owner of the tables see the rows of all tenants, and only while a
-- function asks for it.
CREATE POLICY every_tenant ON session FOR SELECT TO palimpsest_owner USING (current_setting('palimpsest.every_tenant', true) = 'on');
CREATE POLICY every_tenant ON lease FOR SELECT TO palimpsest_owner USING (current_setting('palimpsest.every_tenant', true) = 'on');
CREATE FUNCTION list_tenants(p_after text, p_limit integer) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_tenant text := p_after;
BEGIN
  PERFORM set_config('palimpsest.every_tenant', 'on', true);
  -- From one to the next by the index, however many sessions they have.
  FOR v_count IN 1 .. p_limit LOOP
    v_tenant := least((SELECT tenant FROM session WHERE tenant > v_tenant ORDER BY tenant LIMIT 1),
      (SELECT tenant FROM lease WHERE tenant > v_tenant ORDER BY tenant LIMIT 1));
    EXIT WHEN v_tenant IS NULL;
    RETURN NEXT v_tenant;
  END LOOP;
  PERFORM set_config('palimpsest.every_tenant', '', true);
END $$;

-- After a restore, processes from before it may have numbers and fences that are given out again, so all of them rise far above those.
CREATE FUNCTION raise_fences(p_tenant text, p_by bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_rows bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE session SET fence = fence + p_by, state = 'closed' WHERE tenant = p_tenant;
  GET DIAGNOSTICS v_rows = ROW_COUNT;
  UPDATE lease SET generation = generation + p_by, state = 'free' WHERE tenant = p_tenant;
  RETURN v_rows;
END $$;
CREATE FUNCTION raise_sequences(p_by bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_sequence regclass;
BEGIN
  FOR v_sequence IN SELECT oid FROM pg_class WHERE relkind = 'S' AND relnamespace = 'palimpsest'::regnamespace LOOP
    PERFORM setval(v_sequence, nextval(v_sequence) + p_by);
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION count_tenant_rows, delete_tenant_rows, read_tenant_rows, list_tenants, raise_fences, raise_sequences FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_tenant_rows, delete_tenant_rows, read_tenant_rows TO palimpsest_worker;
GRANT EXECUTE ON FUNCTION list_tenants, raise_fences, raise_sequences TO palimpsest_operator;

-- Keys of tenants. Each is wrapped by a master key that the database never sees.

CREATE TABLE tenant_key (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  id text COLLATE "C" NOT NULL,
  -- Keys for payloads are rotated: the highest number encrypts, the others still decrypt. There is one key for names.
  purpose text NOT NULL CHECK (purpose IN ('payload', 'names')),
  number integer NOT NULL,
  wrapped bytea NOT NULL,
  at_ms double precision NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX tenant_key_by_number ON tenant_key (tenant, purpose, number);
ALTER TABLE tenant_key ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON tenant_key USING (tenant = current_setting('palimpsest.tenant', true));
GRANT SELECT, INSERT, DELETE ON tenant_key TO palimpsest_worker;

CREATE FUNCTION newest_key(p_tenant text, p_purpose text) RETURNS SETOF tenant_key LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM tenant_key WHERE tenant = p_tenant AND purpose = p_purpose ORDER BY number DESC LIMIT 1;
END $$;

CREATE FUNCTION find_key(p_tenant text, p_id text) RETURNS SETOF tenant_key LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM tenant_key WHERE tenant = p_tenant AND id = p_id;
END $$;

-- Returns the key that has this number now: this one, or the one of a caller that was faster.
CREATE FUNCTION add_key(p_tenant text, p_id text, p_purpose text, p_number integer, p_wrapped bytea) RETURNS SETOF tenant_key
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO tenant_key VALUES (p_tenant, p_id, p_purpose, p_number, p_wrapped, now_ms(NULL)) ON CONFLICT (tenant, purpose, number) DO NOTHING;
  RETURN QUERY SELECT * FROM tenant_key WHERE tenant = p_tenant AND purpose = p_purpose AND number = p_number;
END $$;

CREATE FUNCTION forget_keys(p_tenant text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  DELETE FROM tenant_key WHERE tenant = p_tenant;
END $$;

-- Tokens of the HTTP API, with the digest of their secret. A token names its tenant, so that row-level security lets it be found.

CREATE TABLE api_token (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  scopes text[] NOT NULL,
  digest text NOT NULL,
  created_at_ms double precision NOT NULL,
  expires_at_ms double precision,
  requests_per_minute integer,
  PRIMARY KEY (tenant, id)
);
ALTER TABLE api_token ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON api_token USING (tenant = current_setting('palimpsest.tenant', true));
GRANT SELECT, INSERT, DELETE ON api_token TO palimpsest_worker;

CREATE FUNCTION add_api_token(p_tenant text, p_id text, p_name text, p_scopes text[], p_digest text, p_created_at_ms double precision,
  p_expires_at_ms double precision, p_requests_per_minute integer) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO api_token VALUES (p_tenant, p_id, p_name, p_scopes, p_digest, p_created_at_ms, p_expires_at_ms, p_requests_per_minute);
END $$;

CREATE FUNCTION find_api_token(p_tenant text, p_id text) RETURNS SETOF api_token LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM api_token WHERE tenant = p_tenant AND id = p_id;
END $$;

CREATE FUNCTION list_api_tokens(p_tenant text) RETURNS SETOF api_token LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM api_token WHERE tenant = p_tenant ORDER BY created_at_ms, id;
END $$;

CREATE FUNCTION revoke_api_token(p_tenant text, p_id text) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  DELETE FROM api_token WHERE tenant = p_tenant AND id = p_id;
  RETURN FOUND;
END $$;
`;
