/** Results: contents too large for a log, in pieces, under a name that follows from the content. */
export const RESULTS = `
CREATE TABLE result (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session text COLLATE "C" NOT NULL,
  file text COLLATE "C" NOT NULL,
  content uuid NOT NULL,
  bytes bigint NOT NULL,
  at_ms double precision NOT NULL,
  PRIMARY KEY (tenant, session, file)
);
-- Pieces come before their result, which names them all at once when it is kept. Those that no result names are left over.
CREATE TABLE result_chunk (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  content uuid NOT NULL,
  number integer NOT NULL,
  at_ms double precision NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (tenant, content, number)
);
-- Most results are texts that a tool printed: lz4 is there in every PostgreSQL that we support, and costs a tenth of pglz.
ALTER TABLE result_chunk ALTER COLUMN bytes SET COMPRESSION lz4;
ALTER TABLE entry ALTER COLUMN payload SET COMPRESSION lz4;

ALTER TABLE result ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE result_chunk ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON result USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON result_chunk USING (tenant = current_setting('palimpsest.tenant', true));
GRANT SELECT, INSERT, UPDATE (at_ms), DELETE ON result TO palimpsest_worker;
GRANT SELECT, INSERT, DELETE ON result_chunk TO palimpsest_worker;

CREATE FUNCTION write_chunk(p_tenant text, p_content uuid, p_number integer, p_now_ms double precision, p_bytes bytea) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO result_chunk VALUES (p_tenant, p_content, p_number, now_ms(p_now_ms), p_bytes);
END $$;

-- The last piece, and the name. Kept before under this name: the pieces of the first stay, because somebody may read them.
CREATE FUNCTION keep_result(p_tenant text, p_session text, p_file text, p_content uuid, p_size bigint, p_number integer, p_now_ms double precision, p_bytes bytea)
RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO result VALUES (p_tenant, p_session, p_file, p_content, p_size, now_ms(p_now_ms)) ON CONFLICT (tenant, session, file) DO NOTHING;
  IF FOUND THEN
    INSERT INTO result_chunk VALUES (p_tenant, p_content, p_number, now_ms(p_now_ms), p_bytes);
  ELSE
    UPDATE result SET at_ms = now_ms(p_now_ms) WHERE tenant = p_tenant AND session = p_session AND file = p_file;
    DELETE FROM result_chunk WHERE tenant = p_tenant AND content = p_content;
  END IF;
END $$;

CREATE FUNCTION discard_content(p_tenant text, p_content uuid) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  DELETE FROM result_chunk WHERE tenant = p_tenant AND content = p_content;
END $$;

-- With its first piece, which is all there is of most.
CREATE FUNCTION find_result(p_tenant text, p_session text, p_file text) RETURNS TABLE (content uuid, size bigint, bytes bytea)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT result.content, result.bytes, result_chunk.bytes FROM result
    JOIN result_chunk ON result_chunk.tenant = result.tenant AND result_chunk.content = result.content AND result_chunk.number = 0
    WHERE result.tenant = p_tenant AND result.session = p_session AND result.file = p_file;
END $$;

CREATE FUNCTION read_chunk(p_tenant text, p_content uuid, p_number integer) RETURNS bytea LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN (SELECT bytes FROM result_chunk WHERE tenant = p_tenant AND content = p_content AND number = p_number);
END $$;

CREATE FUNCTION sessions_with_results(p_tenant text, p_after text, p_limit integer) RETURNS SETOF text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT DISTINCT session FROM result WHERE tenant = p_tenant AND session > p_after ORDER BY session LIMIT p_limit;
END $$;

CREATE FUNCTION measure_results(p_tenant text, p_session text) RETURNS TABLE (bytes bigint, newest_at_ms double precision)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT sum(result.bytes)::bigint, max(at_ms) FROM result WHERE tenant = p_tenant AND session = p_session HAVING count(*) > 0;
END $$;

CREATE FUNCTION remove_results(p_tenant text, p_session text, p_file text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  WITH gone AS (DELETE FROM result WHERE tenant = p_tenant AND session = p_session AND (p_file IS NULL OR file = p_file) RETURNING content)
  DELETE FROM result_chunk WHERE tenant = p_tenant AND content IN (SELECT content FROM gone);
END $$;
`;
