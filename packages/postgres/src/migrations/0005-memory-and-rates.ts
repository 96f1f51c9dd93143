import { preferLz4 } from "./prefer-lz4.ts";

/** Memories (commits, the changes that each has made, and the newest change of each file), and rate limits of providers. */
export const MEMORY_AND_RATES: string = `
-- The number is the position in the history. Of two commits upon the same commit, the primary key accepts the first and refuses the
-- second.
CREATE TABLE memory_commit (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  memory text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  -- The id that git would give: it follows from all files and from the commit before.
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
  -- The path, or what is derived from it in an encrypted memory. There, name is the encrypted path.
  path text COLLATE "C" NOT NULL,
  name text NOT NULL,
  author text NOT NULL CHECK (author IN ('user', 'model', 'dream')),
  -- The commit that wrote the content before. Null: there was no file.
  replaced integer,
  -- Null: the file was removed.
  content text,
  PRIMARY KEY (tenant, memory, number, path)
);
${preferLz4("memory_change", "content")}
-- The newest change of each file.
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

-- Rows are looked up one by one, each by its whole key, because a join would be planned by guesses about the size of a memory. Functions
-- that read are STABLE, so that all their statements see the same moment.

-- The files that have changed since a commit that the caller knows, or all files if that commit does not exist. No row: nothing was
-- ever written. One row without a path: nothing has changed.
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

-- Commits upon this commit or not at all. Returns false if another writer was faster.
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

-- The newest commits first, with one row for each change.
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

-- One commit by the beginning of its id, or the newest commit if p_start is null. No row: there is none, or there are several.
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

-- Deletes one memory with its history. Workers cannot delete parts of a memory.
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

-- Limits of providers that all workers share. The same rule is written in TypeScript: planExchange of @palimpsest/coordination.

-- Buckets belong to the provider's keys of the service, not to a tenant, and say nothing about any. They change often, so each page has
-- spare room.
CREATE TABLE rate_bucket (
  key text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  requests double precision NOT NULL,
  tokens double precision NOT NULL,
  -- The time at which the level was right. It is in the future while the bucket is paused.
  at_ms double precision NOT NULL,
  -- The start of the newest grant, in virtual time of the limit.
  virtual_ms double precision NOT NULL DEFAULT 0,
  PRIMARY KEY (key, model)
) WITH (fillfactor = 50);
-- What each tenant has taken from a bucket. A flow is the digest of a tenant's name. It is deleted ten minutes after its last request,
-- when others use the bucket.
CREATE TABLE rate_flow (
  key text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  flow text COLLATE "C" NOT NULL,
  virtual_ms double precision NOT NULL,
  state text NOT NULL CHECK (state IN ('idle', 'waiting')),
  needed_requests double precision NOT NULL,
  needed_tokens double precision NOT NULL,
  start_ms double precision NOT NULL,
  since_ms double precision NOT NULL,
  asked_at_ms double precision NOT NULL,
  PRIMARY KEY (key, model, flow)
) WITH (fillfactor = 50);
GRANT SELECT, INSERT, UPDATE, DELETE ON rate_bucket, rate_flow TO palimpsest_worker;

-- How long the limit takes to provide an amount: by requests or by tokens, whichever takes longer.
CREATE FUNCTION rate_time(p_requests double precision, p_tokens double precision, p_requests_per_ms double precision,
  p_tokens_per_ms double precision)
RETURNS double precision LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN abs(p_requests / p_requests_per_ms) > abs(p_tokens / p_tokens_per_ms)
  THEN p_requests / p_requests_per_ms ELSE p_tokens / p_tokens_per_ms END $$;

-- Gives back and takes, for any number of tenants in one step. The lock of the bucket's row puts workers in order. It does not wait for
-- the disk: a crash of the server may lose the newest grants.
CREATE FUNCTION exchange_rates(p_key text, p_model text, p_requests_per_ms double precision, p_tokens_per_ms double precision,
  p_most_requests double precision, p_most_tokens double precision, p_now_ms double precision, p_flows text[],
  p_returned_requests double precision[], p_returned_tokens double precision[], p_needed_requests double precision[],
  p_needed_tokens double precision[], p_wanted_requests double precision[], p_wanted_tokens double precision[],
  p_forget_demand_ms double precision, p_forget_flow_ms double precision)
RETURNS TABLE (flow text, requests double precision, tokens double precision, wait_ms double precision)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_bucket rate_bucket;
  v_now double precision;
  v_claim record;
  v_others record;
  v_returned_ms double precision;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  LOOP
    SELECT * FROM rate_bucket WHERE key = p_key AND model = p_model FOR UPDATE INTO v_bucket;
    EXIT WHEN FOUND;
    INSERT INTO rate_bucket VALUES (p_key, p_model, p_most_requests, p_most_tokens, now_ms(p_now_ms)) ON CONFLICT DO NOTHING;
  END LOOP;
  v_now := now_ms(p_now_ms);
  -- Nothing times an infinite rate is not a number.
  IF v_now > v_bucket.at_ms THEN
    v_bucket.requests := v_bucket.requests + (v_now - v_bucket.at_ms) * p_requests_per_ms;
    v_bucket.tokens := v_bucket.tokens + (v_now - v_bucket.at_ms) * p_tokens_per_ms;
    v_bucket.at_ms := v_now;
  END IF;
  v_bucket.requests := least(v_bucket.requests, p_most_requests);
  v_bucket.tokens := least(v_bucket.tokens, p_most_tokens);
  IF random() < 0.01 THEN
    DELETE FROM rate_flow WHERE key = p_key AND model = p_model AND asked_at_ms <= v_now - p_forget_flow_ms;
  END IF;
  FOR v_claim IN SELECT * FROM unnest(p_flows, p_returned_requests, p_returned_tokens, p_needed_requests, p_needed_tokens)
    AS claim (flow, returned_requests, returned_tokens, needed_requests, needed_tokens)
  LOOP
    v_bucket.requests := least(v_bucket.requests + v_claim.returned_requests, p_most_requests);
    v_bucket.tokens := least(v_bucket.tokens + v_claim.returned_tokens, p_most_tokens);
    v_returned_ms := rate_time(v_claim.returned_requests, v_claim.returned_tokens, p_requests_per_ms, p_tokens_per_ms);
    INSERT INTO rate_flow AS known VALUES (p_key, p_model, v_claim.flow, v_bucket.virtual_ms - v_returned_ms,
      CASE WHEN v_claim.needed_requests > 0 OR v_claim.needed_tokens > 0 THEN 'waiting' ELSE 'idle' END,
      v_claim.needed_requests, v_claim.needed_tokens, v_bucket.virtual_ms, v_now, v_now)
    ON CONFLICT (key, model, flow) DO UPDATE SET
      virtual_ms = known.virtual_ms - v_returned_ms,
      state = excluded.state, needed_requests = excluded.needed_requests, needed_tokens = excluded.needed_tokens,
      start_ms = CASE WHEN known.state = 'waiting' AND known.asked_at_ms > v_now - p_forget_demand_ms THEN known.start_ms
        ELSE greatest(known.virtual_ms - v_returned_ms, v_bucket.virtual_ms) END,
      since_ms = CASE WHEN known.state = 'waiting' AND known.asked_at_ms > v_now - p_forget_demand_ms THEN known.since_ms ELSE v_now END,
      asked_at_ms = v_now;
  END LOOP;
  FOR v_claim IN SELECT own.flow, own.needed_requests, own.needed_tokens, own.start_ms, own.since_ms, wanted_requests, wanted_tokens
    FROM unnest(p_flows, p_wanted_requests, p_wanted_tokens) WITH ORDINALITY AS claim (flow, wanted_requests, wanted_tokens, number)
    JOIN rate_flow AS own ON own.key = p_key AND own.model = p_model AND own.flow = claim.flow
    WHERE own.state = 'waiting' ORDER BY own.start_ms, own.since_ms, claim.number
  LOOP
    SELECT coalesce(sum(least(needed_requests, p_most_requests)), 0) AS requests,
      coalesce(sum(least(needed_tokens, p_most_tokens)), 0) AS tokens,
      coalesce(sum(least(needed_requests, p_most_requests)) FILTER (WHERE (start_ms, since_ms) < (v_claim.start_ms, v_claim.since_ms)), 0) AS ahead_requests,
      coalesce(sum(least(needed_tokens, p_most_tokens)) FILTER (WHERE (start_ms, since_ms) < (v_claim.start_ms, v_claim.since_ms)), 0) AS ahead_tokens
      FROM rate_flow WHERE key = p_key AND model = p_model AND flow <> v_claim.flow AND state = 'waiting'
      AND asked_at_ms > v_now - p_forget_demand_ms INTO v_others;
    flow := v_claim.flow;
    requests := 0;
    tokens := 0;
    -- A request that is larger than the bucket waits for a full one, and leaves a debt.
    wait_ms := v_bucket.at_ms - v_now + rate_time(
      greatest(v_others.ahead_requests + least(v_claim.needed_requests, p_most_requests) - v_bucket.requests, 0),
      greatest(v_others.ahead_tokens + least(v_claim.needed_tokens, p_most_tokens) - v_bucket.tokens, 0), p_requests_per_ms, p_tokens_per_ms);
    IF wait_ms <= 1e-6 THEN
      wait_ms := 0;
      v_bucket.requests := v_bucket.requests - v_claim.needed_requests;
      v_bucket.tokens := v_bucket.tokens - v_claim.needed_tokens;
      -- Half of what is free, so that the next worker finds some, too; no tokens without a request.
      requests := floor(least(v_claim.wanted_requests, greatest(v_bucket.requests - v_others.requests, 0) / 2));
      IF requests > 0 THEN tokens := least(v_claim.wanted_tokens, greatest(v_bucket.tokens - v_others.tokens, 0) / 2); END IF;
      v_bucket.requests := v_bucket.requests - requests;
      v_bucket.tokens := v_bucket.tokens - tokens;
      requests := requests + v_claim.needed_requests;
      tokens := tokens + v_claim.needed_tokens;
      v_bucket.virtual_ms := greatest(v_bucket.virtual_ms, v_claim.start_ms);
      UPDATE rate_flow SET state = 'idle', virtual_ms = v_claim.start_ms + rate_time(requests, tokens, p_requests_per_ms, p_tokens_per_ms)
        WHERE key = p_key AND model = p_model AND rate_flow.flow = v_claim.flow;
    END IF;
    RETURN NEXT;
  END LOOP;
  UPDATE rate_bucket SET requests = v_bucket.requests, tokens = v_bucket.tokens, at_ms = v_bucket.at_ms, virtual_ms = v_bucket.virtual_ms
    WHERE key = p_key AND model = p_model;
END $$;

-- A paused bucket is empty when the pause is over and fills from then on, so that those who waited do not come back all at once.
CREATE FUNCTION pause_rates(p_key text, p_model text, p_for_ms double precision, p_now_ms double precision) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT AS $$
  UPDATE rate_bucket SET requests = least(requests, 0), tokens = least(tokens, 0), at_ms = greatest(at_ms, now_ms(p_now_ms) + p_for_ms)
    WHERE key = p_key AND model = p_model;
$$;
`;
