import { preferLz4 } from "./prefer-lz4.ts";

/** Results: contents too large for a log, under a name that follows from the content. They are in pieces here, or in a bucket. */
export const RESULTS: string = `
CREATE TABLE result (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session text COLLATE "C" NOT NULL,
  file text COLLATE "C" NOT NULL,
  content uuid NOT NULL,
  bytes bigint NOT NULL,
  at_ms double precision NOT NULL,
  -- The key of its object in the bucket. Null: the content is in result_chunk.
  object_key text COLLATE "C",
  -- The key of the tenant with which it is encrypted. Null: it is not encrypted.
  key_id text,
  -- The name by which the session knows an encrypted result; file is derived from it with a key.
  sealed_name text,
  PRIMARY KEY (tenant, session, file)
);
-- Pieces are written before their result, which names them all at once when it is kept. Pieces that no result names were left behind
-- by a process that died.
CREATE TABLE result_chunk (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  content uuid NOT NULL,
  number integer NOT NULL,
  at_ms double precision NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (tenant, content, number)
);
${preferLz4("result_chunk", "bytes")}
ALTER TABLE result ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE result_chunk ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON result USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON result_chunk USING (tenant = current_setting('palimpsest.tenant', true));
-- Not object_key: deleting a result dooms its object. Workers name an object only by keep_content, which checks whose it is.
GRANT SELECT, INSERT (tenant, session, file, content, bytes, at_ms, key_id, sealed_name), UPDATE (at_ms), DELETE ON result TO palimpsest_worker;
GRANT SELECT, INSERT, DELETE ON result_chunk TO palimpsest_worker;

-- The folder in which the keys of a tenant begin, and the salt of their hashes. Both are random: a list of the keys in a bucket names no
-- tenant and no session.
CREATE TABLE object_folder (
  tenant text COLLATE "C" PRIMARY KEY CHECK (tenant <> ''),
  folder uuid NOT NULL DEFAULT gen_random_uuid(),
  salt uuid NOT NULL DEFAULT gen_random_uuid()
);
ALTER TABLE object_folder ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON object_folder USING (tenant = current_setting('palimpsest.tenant', true));
GRANT SELECT, INSERT ON object_folder TO palimpsest_worker;

-- Every result that may be in the bucket, with all objects below its key. The row is written before the first object and removed after
-- the last. It outlives its result and its tenant, so it belongs to no tenant and says nothing about any. Workers change it only by
-- the functions below.
CREATE TABLE result_object (
  key text COLLATE "C" PRIMARY KEY,
  state text NOT NULL CHECK (state IN ('uploading', 'kept', 'doomed')),
  at_ms double precision NOT NULL
);
CREATE INDEX result_object_doomed ON result_object (key) WHERE state = 'doomed';
CREATE INDEX result_object_uploading ON result_object (at_ms) WHERE state = 'uploading';

CREATE FUNCTION write_chunk(p_tenant text, p_content uuid, p_number integer, p_now_ms double precision, p_bytes bytea) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO result_chunk VALUES (p_tenant, p_content, p_number, now_ms(p_now_ms), p_bytes);
END $$;

-- Writes the last piece and the name. If a content was kept under this name before, its pieces stay, because somebody may be reading
-- them.
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

-- Also returns the first piece: most results have no other.
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

-- However results are deleted, their objects are doomed in the same transaction.
CREATE FUNCTION objects_go_with_their_results() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
  UPDATE result_object SET state = 'doomed', at_ms = now_ms(NULL) FROM gone WHERE result_object.key = gone.object_key AND state = 'kept';
  RETURN NULL;
END $$;
CREATE TRIGGER objects_go_with_their_results AFTER DELETE ON result REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION objects_go_with_their_results();
CREATE TRIGGER result_stays BEFORE TRUNCATE ON result FOR EACH STATEMENT
  EXECUTE FUNCTION refuse('results are never truncated: their objects would stay in the bucket');

CREATE FUNCTION begin_object(p_tenant text, p_session text, p_content uuid, p_now_ms double precision) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_folder object_folder;
  v_key text;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO object_folder (tenant) VALUES (p_tenant) ON CONFLICT DO NOTHING;
  SELECT * FROM object_folder WHERE tenant = p_tenant INTO v_folder;
  v_key := concat_ws('/', v_folder.folder, left(encode(sha256(convert_to(v_folder.salt || p_session, 'UTF8')), 'hex'), 32), p_content);
  INSERT INTO result_object (key, state, at_ms) VALUES (v_key, 'uploading', now_ms(p_now_ms));
  RETURN v_key;
END $$;

CREATE FUNCTION is_own_object(p_tenant text, p_key text) RETURNS boolean LANGUAGE sql STABLE SET search_path FROM CURRENT AS
  $$ SELECT EXISTS (SELECT FROM object_folder WHERE tenant = p_tenant AND folder::text = split_part(p_key, '/', 1)) $$;

CREATE FUNCTION doom_object(p_tenant text, p_key text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE result_object SET state = 'doomed' WHERE key = p_key AND state = 'uploading' AND is_own_object(p_tenant, p_key);
END $$;

-- Names a content that is complete: in the bucket, or in pieces of which this is the last. The content that was kept first under a name
-- stays, because somebody may be reading it, unless the caller has found that it cannot be read and names it in p_replace.
CREATE FUNCTION keep_content(p_tenant text, p_session text, p_file text, p_content uuid, p_size bigint, p_number integer, p_now_ms double precision,
  p_bytes bytea, p_object text, p_key_id text, p_sealed_name text, p_replace uuid)
RETURNS TABLE (outcome text, content uuid, object_key text, key_id text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  IF p_object IS NOT NULL THEN
    PERFORM FROM result_object WHERE key = p_object AND state = 'uploading' AND is_own_object(p_tenant, p_object) FOR UPDATE;
    IF NOT FOUND THEN
      RETURN QUERY SELECT 'gone', NULL::uuid, NULL::text, NULL::text;
      RETURN;
    END IF;
  END IF;
  IF p_replace IS NOT NULL THEN
    DELETE FROM result WHERE tenant = p_tenant AND session = p_session AND file = p_file AND content = p_replace;
    DELETE FROM result_chunk WHERE tenant = p_tenant AND content = p_replace;
  END IF;
  INSERT INTO result (tenant, session, file, content, bytes, at_ms, object_key, key_id, sealed_name)
    VALUES (p_tenant, p_session, p_file, p_content, p_size, now_ms(p_now_ms), p_object, p_key_id, p_sealed_name)
    ON CONFLICT (tenant, session, file) DO NOTHING;
  IF NOT FOUND THEN
    UPDATE result SET at_ms = now_ms(p_now_ms) WHERE tenant = p_tenant AND session = p_session AND file = p_file;
    RETURN QUERY SELECT 'other', result.content, result.object_key, result.key_id FROM result WHERE tenant = p_tenant AND session = p_session AND file = p_file;
    RETURN;
  END IF;
  IF p_object IS NULL THEN
    INSERT INTO result_chunk VALUES (p_tenant, p_content, p_number, now_ms(p_now_ms), p_bytes);
  ELSE
    UPDATE result_object SET state = 'kept', at_ms = now_ms(p_now_ms) WHERE key = p_object;
  END IF;
  RETURN QUERY SELECT 'kept', p_content, p_object, p_key_id;
END $$;

-- Also returns the first piece: most results have no other.
CREATE FUNCTION find_content(p_tenant text, p_session text, p_file text)
RETURNS TABLE (content uuid, size bigint, bytes bytea, object_key text, key_id text, sealed_name text)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT result.content, result.bytes, result_chunk.bytes, result.object_key, result.key_id, result.sealed_name FROM result
    LEFT JOIN result_chunk ON result_chunk.tenant = result.tenant AND result_chunk.content = result.content AND result_chunk.number = 0
    WHERE result.tenant = p_tenant AND result.session = p_session AND result.file = p_file
      AND (result_chunk.content IS NOT NULL OR result.object_key IS NOT NULL);
END $$;

-- Removes pieces that no result names: their process died before it kept or discarded them. At most p_limit contents at a time.
CREATE FUNCTION expire_drafts(p_tenant text, p_silent_since_ms double precision, p_now_ms double precision, p_draft_ms double precision,
  p_limit integer) RETURNS bigint
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_count bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  WITH left_over AS (
    SELECT content FROM result_chunk WHERE tenant = p_tenant AND number = 0
      AND at_ms < least(p_silent_since_ms, now_ms(p_now_ms) - p_draft_ms)
      AND NOT EXISTS (SELECT FROM result WHERE result.tenant = p_tenant AND result.content = result_chunk.content) LIMIT p_limit),
  gone AS (DELETE FROM result_chunk WHERE tenant = p_tenant AND content IN (SELECT content FROM left_over) RETURNING 1)
  SELECT count(*) FROM gone INTO v_count;
  RETURN v_count;
END $$;

-- The keys that a sweep removes from the bucket, for all tenants. An upload that was not kept for p_stale_ms is doomed as well.
CREATE FUNCTION doomed_objects(p_after text, p_limit integer, p_now_ms double precision, p_stale_ms double precision)
RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF p_after = '' THEN
    UPDATE result_object SET state = 'doomed' WHERE state = 'uploading' AND at_ms < now_ms(p_now_ms) - p_stale_ms;
  END IF;
  RETURN QUERY SELECT key FROM result_object WHERE state = 'doomed' AND key > p_after ORDER BY key LIMIT p_limit;
END $$;

CREATE FUNCTION forget_objects(p_keys text[]) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS
  $$ DELETE FROM result_object WHERE key = ANY (p_keys) AND state = 'doomed' $$;

CREATE FUNCTION unknown_objects(p_keys text[]) RETURNS SETOF text LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS
  $$ SELECT unnest(p_keys) EXCEPT SELECT key FROM result_object WHERE key = ANY (p_keys) $$;

REVOKE ALL ON FUNCTION begin_object, doom_object, keep_content, doomed_objects, forget_objects, unknown_objects FROM PUBLIC;
GRANT EXECUTE ON FUNCTION begin_object, doom_object, keep_content, doomed_objects, forget_objects, unknown_objects TO palimpsest_worker;
`;
