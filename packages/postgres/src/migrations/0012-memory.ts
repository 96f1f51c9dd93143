/** Memories: commits, the changes that each has made, and which change of a file is the newest. */
export const MEMORY = `
-- The number is the place in line: of two commits upon the same one, the key takes the first and refuses the second.
CREATE TABLE memory_commit (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  memory text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  -- As git would name it: it follows from all files, and from the commit before.
  id text COLLATE "C" NOT NULL,
  author text NOT NULL CHECK (author IN ('user', 'model', 'dream')),
  at_ms double precision NOT NULL,
  message text NOT NULL,
  PRIMARY KEY (tenant, memory, number)
);
CREATE INDEX memory_commit_by_id ON memory_commit (tenant, memory, id);
CREATE TABLE memory_change (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  memory text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  -- The path itself or, in an encrypted memory, what is derived from it; the name is the path, as it can be read with the key.
  path text COLLATE "C" NOT NULL,
  name text NOT NULL,
  author text NOT NULL CHECK (author IN ('user', 'model', 'dream')),
  -- The commit that wrote the content before; none if there was no file.
  replaced integer,
  -- None: the file was removed.
  content text,
  PRIMARY KEY (tenant, memory, number, path)
);
ALTER TABLE memory_change ALTER COLUMN content SET COMPRESSION lz4;
CREATE TABLE memory_file (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  memory text COLLATE "C" NOT NULL,
  path text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  PRIMARY KEY (tenant, memory, path)
) WITH (fillfactor = 70);
CREATE TABLE memory_use (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  memory text COLLATE "C" NOT NULL,
  slug text COLLATE "C" NOT NULL,
  name text NOT NULL,
  uses integer NOT NULL,
  last_at_ms double precision NOT NULL,
  PRIMARY KEY (tenant, memory, slug)
) WITH (fillfactor = 70);

CREATE TRIGGER memory_commit_stays BEFORE UPDATE ON memory_commit FOR EACH ROW EXECUTE FUNCTION refuse('commits of a memory never change');
CREATE TRIGGER memory_change_stays BEFORE UPDATE ON memory_change FOR EACH ROW EXECUTE FUNCTION refuse('commits of a memory never change');
ALTER TABLE memory_commit ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE memory_change ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE memory_file ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE memory_use ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON memory_commit USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON memory_change USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON memory_file USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON memory_use USING (tenant = current_setting('palimpsest.tenant', true));
GRANT SELECT, INSERT ON memory_commit, memory_change TO palimpsest_worker;
GRANT SELECT, INSERT, UPDATE (number) ON memory_file TO palimpsest_worker;
GRANT SELECT, INSERT, UPDATE (uses, last_at_ms) ON memory_use TO palimpsest_worker;

-- Rows are looked up one by one, each by its whole key: a join would be planned by guesses about a memory's size. Functions that read are
-- STABLE: all their statements see the same moment.

-- The files that have changed since a commit that the caller knows; all files, if there is no such commit (any more). Without a
-- row nothing was ever written; a row without a path says that nothing has changed.
CREATE FUNCTION read_memory(p_tenant text, p_memory text, p_number integer, p_id text)
RETURNS TABLE (base integer, head integer, id text, path text, name text, number integer, author text, at_ms double precision, content text)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_head record;
  v_base integer;
  v_file record;
  v_found integer := 0;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  SELECT number, id FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory ORDER BY number DESC LIMIT 1 INTO v_head;
  IF v_head.number IS NULL THEN RETURN; END IF;
  v_base := CASE WHEN v_head.number = p_number AND v_head.id = p_id
    OR EXISTS (SELECT FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory AND number = p_number AND id = p_id)
    THEN p_number ELSE 0 END;
  IF v_base < v_head.number THEN
    FOR v_file IN SELECT path, number FROM memory_file WHERE tenant = p_tenant AND memory = p_memory AND number > v_base LOOP
      v_found := v_found + 1;
      RETURN QUERY SELECT v_base, v_head.number, v_head.id, changed.path, changed.name, changed.number, changed.author,
          (SELECT at_ms FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory AND number = v_file.number), changed.content
        FROM memory_change AS changed
        WHERE changed.tenant = p_tenant AND changed.memory = p_memory AND changed.number = v_file.number AND changed.path = v_file.path;
    END LOOP;
  END IF;
  IF v_found = 0 THEN
    RETURN QUERY SELECT v_base, v_head.number, v_head.id, NULL::text, NULL::text, NULL::integer, NULL::text, NULL::double precision, NULL::text;
  END IF;
END $$;

-- Upon this commit or not at all: false says that another writer was faster.
CREATE FUNCTION commit_memory(p_tenant text, p_memory text, p_number integer, p_id text, p_new_id text, p_author text,
  p_at_ms double precision, p_message text, p_paths text[], p_names text[], p_authors text[], p_contents text[]) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_before integer;
  v_replaced integer;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  IF p_number > 0 AND NOT EXISTS (SELECT FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory AND number = p_number AND id = p_id) THEN
    RETURN false;
  END IF;
  INSERT INTO memory_commit VALUES (p_tenant, p_memory, p_number + 1, p_new_id, p_author, p_at_ms, p_message) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN false; END IF;
  FOR v_index IN 1 .. cardinality(p_paths) LOOP
    v_before := (SELECT number FROM memory_file WHERE tenant = p_tenant AND memory = p_memory AND path = p_paths[v_index]);
    v_replaced := (SELECT number FROM memory_change WHERE tenant = p_tenant AND memory = p_memory AND number = v_before
      AND path = p_paths[v_index] AND content IS NOT NULL);
    INSERT INTO memory_change VALUES (p_tenant, p_memory, p_number + 1, p_paths[v_index], p_names[v_index], p_authors[v_index], v_replaced,
      p_contents[v_index]);
    INSERT INTO memory_file VALUES (p_tenant, p_memory, p_paths[v_index], p_number + 1)
      ON CONFLICT (tenant, memory, path) DO UPDATE SET number = excluded.number;
  END LOOP;
  RETURN true;
END $$;

-- The newest first, with one row for each change.
CREATE FUNCTION list_commits(p_tenant text, p_memory text, p_limit integer)
RETURNS TABLE (id text, number integer, author text, at_ms double precision, message text, name text, how text)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_commit memory_commit;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  FOR v_commit IN SELECT * FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory ORDER BY number DESC LIMIT p_limit LOOP
    RETURN QUERY SELECT v_commit.id, v_commit.number, v_commit.author, v_commit.at_ms, v_commit.message, name,
        CASE WHEN content IS NULL THEN 'removed' WHEN replaced IS NULL THEN 'added' ELSE 'changed' END
      FROM memory_change WHERE tenant = p_tenant AND memory = p_memory AND number = v_commit.number;
  END LOOP;
END $$;

-- One commit by the beginning of its id, the newest without one; no row if there are several.
CREATE FUNCTION read_commit(p_tenant text, p_memory text, p_start text)
RETURNS TABLE (id text, message text, number integer, name text, content text, before_number integer, before_author text, before_content text)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_numbers integer[];
  v_commit memory_commit;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  -- Ids are hexadecimal: a g comes behind all that begin in the same way.
  v_numbers := ARRAY(SELECT number FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory
    AND (p_start IS NULL OR (memory_commit.id >= p_start AND memory_commit.id < p_start || 'g'))
    ORDER BY number DESC LIMIT CASE WHEN p_start IS NULL THEN 1 ELSE 2 END);
  IF cardinality(v_numbers) <> 1 THEN RETURN; END IF;
  SELECT * FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory AND number = v_numbers[1] INTO v_commit;
  RETURN QUERY SELECT v_commit.id, v_commit.message, change.number, change.name, change.content, change.replaced,
      (SELECT author FROM memory_change WHERE tenant = p_tenant AND memory = p_memory AND number = change.replaced AND path = change.path),
      (SELECT content FROM memory_change WHERE tenant = p_tenant AND memory = p_memory AND number = change.replaced AND path = change.path)
    FROM memory_change AS change WHERE change.tenant = p_tenant AND change.memory = p_memory AND change.number = v_commit.number;
END $$;

CREATE FUNCTION note_uses(p_tenant text, p_memory text, p_slugs text[], p_names text[], p_now_ms double precision) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  -- In one order, so that two that count at once do not wait for each other.
  INSERT INTO memory_use SELECT p_tenant, p_memory, used.slug, used.name, 1, p_now_ms FROM unnest(p_slugs, p_names) AS used (slug, name)
    ORDER BY used.slug
    ON CONFLICT (tenant, memory, slug) DO UPDATE SET uses = memory_use.uses + 1, last_at_ms = greatest(memory_use.last_at_ms, excluded.last_at_ms);
END $$;

CREATE FUNCTION read_uses(p_tenant text, p_memory text) RETURNS SETOF memory_use LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM memory_use WHERE tenant = p_tenant AND memory = p_memory;
END $$;

-- All of one memory, with its history. Workers cannot delete anything else of it.
CREATE FUNCTION delete_memory(p_tenant text, p_memory text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_found boolean;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  DELETE FROM memory_use WHERE tenant = p_tenant AND memory = p_memory;
  DELETE FROM memory_file WHERE tenant = p_tenant AND memory = p_memory;
  DELETE FROM memory_change WHERE tenant = p_tenant AND memory = p_memory;
  DELETE FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory;
  v_found := FOUND;
  RETURN v_found;
END $$;
REVOKE ALL ON FUNCTION delete_memory FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_memory TO palimpsest_worker;
`;
