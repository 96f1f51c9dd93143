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
  path text COLLATE "C" NOT NULL,
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

-- The files that have changed since a commit that the caller knows; all files, if there is no such commit (any more). Without a
-- row nothing was ever written; a row without a path says that nothing has changed.
CREATE FUNCTION read_memory(p_tenant text, p_memory text, p_number integer, p_id text)
RETURNS TABLE (base integer, head integer, id text, path text, author text, at_ms double precision, content text)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY
    WITH base AS (
      SELECT coalesce(max(number), 0) AS number FROM memory_commit
        WHERE tenant = p_tenant AND memory = p_memory AND number = p_number AND id = p_id
    ), head AS (
      SELECT number, id FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory ORDER BY number DESC LIMIT 1
    )
    SELECT base.number, head.number, head.id, changed.path, changed.author, changed.at_ms, changed.content FROM base CROSS JOIN head
      LEFT JOIN LATERAL (
        SELECT memory_file.path, memory_change.author, memory_commit.at_ms, memory_change.content FROM memory_file
          JOIN memory_change USING (tenant, memory, number, path) JOIN memory_commit USING (tenant, memory, number)
          WHERE memory_file.tenant = p_tenant AND memory_file.memory = p_memory AND memory_file.number > base.number
      ) AS changed ON true;
END $$;

-- Upon this commit or not at all: false says that another writer was faster.
CREATE FUNCTION commit_memory(p_tenant text, p_memory text, p_number integer, p_id text, p_new_id text, p_author text,
  p_at_ms double precision, p_message text, p_paths text[], p_authors text[], p_contents text[]) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  IF p_number > 0 AND NOT EXISTS (SELECT FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory AND number = p_number AND id = p_id) THEN
    RETURN false;
  END IF;
  INSERT INTO memory_commit VALUES (p_tenant, p_memory, p_number + 1, p_new_id, p_author, p_at_ms, p_message) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO memory_change SELECT p_tenant, p_memory, p_number + 1, changed.path, changed.author, before.number, changed.content
    FROM unnest(p_paths, p_authors, p_contents) AS changed (path, author, content)
    LEFT JOIN memory_file AS file ON file.tenant = p_tenant AND file.memory = p_memory AND file.path = changed.path
    LEFT JOIN memory_change AS before ON before.tenant = p_tenant AND before.memory = p_memory AND before.number = file.number
      AND before.path = file.path AND before.content IS NOT NULL;
  INSERT INTO memory_file SELECT p_tenant, p_memory, changed.path, p_number + 1 FROM unnest(p_paths) AS changed (path)
    ON CONFLICT (tenant, memory, path) DO UPDATE SET number = excluded.number;
  RETURN true;
END $$;

-- The newest first, with one row for each change.
CREATE FUNCTION list_commits(p_tenant text, p_memory text, p_limit integer)
RETURNS TABLE (id text, author text, at_ms double precision, message text, path text, how text)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT newest.id, newest.author, newest.at_ms, newest.message, memory_change.path,
      CASE WHEN memory_change.content IS NULL THEN 'removed' WHEN memory_change.replaced IS NULL THEN 'added' ELSE 'changed' END
    FROM (SELECT * FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory ORDER BY number DESC LIMIT p_limit) AS newest
    JOIN memory_change USING (tenant, memory, number) ORDER BY newest.number DESC, memory_change.path;
END $$;

-- One commit by the beginning of its id, the newest without one; no row if there are several.
CREATE FUNCTION read_commit(p_tenant text, p_memory text, p_start text)
RETURNS TABLE (id text, message text, path text, content text, before_author text, before_content text)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_numbers integer[];
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  -- Ids are hexadecimal: a g comes behind all that begin in the same way.
  v_numbers := ARRAY(SELECT number FROM memory_commit WHERE tenant = p_tenant AND memory = p_memory
    AND (p_start IS NULL OR (memory_commit.id >= p_start AND memory_commit.id < p_start || 'g'))
    ORDER BY number DESC LIMIT CASE WHEN p_start IS NULL THEN 1 ELSE 2 END);
  IF cardinality(v_numbers) <> 1 THEN RETURN; END IF;
  RETURN QUERY SELECT found.id, found.message, change.path, change.content, before.author, before.content FROM memory_commit AS found
    JOIN memory_change AS change USING (tenant, memory, number)
    LEFT JOIN memory_change AS before ON before.tenant = change.tenant AND before.memory = change.memory AND before.path = change.path
      AND before.number = change.replaced
    WHERE found.tenant = p_tenant AND found.memory = p_memory AND found.number = v_numbers[1] ORDER BY change.path;
END $$;

CREATE FUNCTION note_uses(p_tenant text, p_memory text, p_slugs text[], p_now_ms double precision) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  -- In one order, so that two that count at once do not wait for each other.
  INSERT INTO memory_use SELECT DISTINCT p_tenant, p_memory, used.slug, 1, p_now_ms FROM unnest(p_slugs) AS used (slug) ORDER BY used.slug
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
