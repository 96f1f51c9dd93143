/** Large results in a bucket: which objects may be there, and which of them nobody needs any more. */
export const RESULT_OBJECTS = `
-- The start of a tenant's keys. Both are random: a bucket's list of keys names no tenant and no session.
CREATE TABLE object_folder (
  tenant text COLLATE "C" PRIMARY KEY CHECK (tenant <> ''),
  folder uuid NOT NULL DEFAULT gen_random_uuid(),
  salt uuid NOT NULL DEFAULT gen_random_uuid()
);
ALTER TABLE object_folder ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON object_folder USING (tenant = current_setting('palimpsest.tenant', true));
GRANT SELECT, INSERT ON object_folder TO palimpsest_worker;

-- Every result that may be in the bucket, with all objects below its key: written before the first, removed after the last. It outlives
-- its result and its tenant, so it belongs to none and says nothing of any. Workers change it by the functions below only.
CREATE TABLE result_object (
  key text COLLATE "C" PRIMARY KEY,
  state text NOT NULL CHECK (state IN ('uploading', 'kept', 'doomed')),
  at_ms double precision NOT NULL
);
CREATE INDEX result_object_doomed ON result_object (key) WHERE state = 'doomed';
CREATE INDEX result_object_uploading ON result_object (at_ms) WHERE state = 'uploading';

-- A result is in the bucket under this key, or in pieces in result_chunk if it has none.
ALTER TABLE result ADD COLUMN object_key text COLLATE "C";
-- The key of the tenant that encrypted it; null: it is as it was written.
ALTER TABLE result ADD COLUMN key_id text;
-- Encrypted: the name that the session knows it by. Its column \`file\` is derived from that with a key.
ALTER TABLE result ADD COLUMN sealed_name text;
-- Deleting a result dooms its object. So workers name objects by keep_content only, which knows whose they are.
REVOKE INSERT ON result FROM palimpsest_worker;
GRANT INSERT (tenant, session, file, content, bytes, at_ms, key_id, sealed_name) ON result TO palimpsest_worker;

-- Whoever deletes results, in whatever way: their objects are doomed in the same transaction.
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

-- The name of a content that is whole: in the bucket, or in pieces of which this is the last. The first that was kept under a name
-- stays, because somebody may read it, unless the caller has found that it cannot be read and names it in p_replace.
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

-- With its first piece, which is all there is of most.
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

-- Pieces that no result names, of processes that died before they kept or discarded them. At most so many at a time.
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

-- What a sweep removes from the bucket: of all tenants, and uploads that nobody has kept for so long that nobody will.
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
