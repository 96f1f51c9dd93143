/** Leases and daily budgets, which all processes of a service share. */
export const COORDINATION = `
CREATE TABLE lease (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  name text COLLATE "C" NOT NULL,
  -- Rises with every taking, and fences whoever had it before.
  generation bigint NOT NULL DEFAULT 0,
  state text NOT NULL DEFAULT 'free' CHECK (state IN ('free', 'held')),
  holder uuid,
  owner text NOT NULL DEFAULT '',
  host text NOT NULL DEFAULT '',
  pid integer NOT NULL DEFAULT 0,
  taken_at_ms double precision NOT NULL DEFAULT 0,
  renewed_at_ms double precision NOT NULL DEFAULT 0,
  last_done_at_ms double precision,
  last_tried_at_ms double precision,
  last_scan_at_ms double precision,
  failures integer NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, name)
) WITH (fillfactor = 70);
CREATE TRIGGER generation_never_falls BEFORE UPDATE ON lease FOR EACH ROW WHEN (NEW.generation < OLD.generation)
  EXECUTE FUNCTION refuse('the generation of a lease never falls');
CREATE TABLE spent (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  name text COLLATE "C" NOT NULL,
  day date NOT NULL,
  tokens double precision NOT NULL,
  PRIMARY KEY (tenant, name, day)
) WITH (fillfactor = 70);
ALTER TABLE lease ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE spent ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON lease USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON spent USING (tenant = current_setting('palimpsest.tenant', true));
GRANT SELECT, INSERT, UPDATE ON lease TO palimpsest_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON spent TO palimpsest_worker;

-- The row's lock orders those that take it at once. The row before is returned: who holds it, or who held it until now.
CREATE FUNCTION take_lease(p_tenant text, p_name text, p_holder uuid, p_owner text, p_host text, p_pid integer, p_now_ms double precision,
  p_silent_ms double precision)
RETURNS TABLE (outcome text, now_at_ms double precision, generation bigint, owner text, host text, pid integer, taken_at_ms double precision,
  renewed_at_ms double precision, last_done_at_ms double precision, failures integer)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_before lease;
  v_now double precision;
  v_outcome text := 'taken';
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO lease (tenant, name) VALUES (p_tenant, p_name) ON CONFLICT DO NOTHING;
  SELECT * FROM lease WHERE tenant = p_tenant AND name = p_name FOR UPDATE INTO v_before;
  v_now := now_ms(p_now_ms);
  IF v_before.state = 'held' THEN
    v_outcome := CASE WHEN v_now - v_before.renewed_at_ms < p_silent_ms THEN 'held' ELSE 'reclaimed' END;
  END IF;
  IF v_outcome <> 'held' THEN
    UPDATE lease SET generation = generation + 1, state = 'held', holder = p_holder, owner = p_owner, host = p_host, pid = p_pid,
      taken_at_ms = v_now, renewed_at_ms = v_now WHERE tenant = p_tenant AND name = p_name;
  END IF;
  RETURN QUERY SELECT v_outcome, v_now, v_before.generation + 1, v_before.owner, v_before.host, v_before.pid, v_before.taken_at_ms,
    v_before.renewed_at_ms, v_before.last_done_at_ms, v_before.failures;
END $$;

CREATE FUNCTION read_lease(p_tenant text, p_name text) RETURNS SETOF lease LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM lease WHERE tenant = p_tenant AND name = p_name;
END $$;

-- Locked until the transaction ends: nobody takes the lease meanwhile.
CREATE FUNCTION hold_lease(p_tenant text, p_name text, p_generation bigint, p_holder uuid) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  PERFORM FROM lease WHERE tenant = p_tenant AND name = p_name AND state = 'held' AND generation = p_generation AND holder = p_holder FOR UPDATE;
  RETURN FOUND;
END $$;

CREATE FUNCTION renew_lease(p_tenant text, p_name text, p_generation bigint, p_holder uuid, p_now_ms double precision) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE lease SET renewed_at_ms = now_ms(p_now_ms)
    WHERE tenant = p_tenant AND name = p_name AND state = 'held' AND generation = p_generation AND holder = p_holder;
  RETURN FOUND;
END $$;

CREATE FUNCTION finish_lease(p_tenant text, p_name text, p_generation bigint, p_holder uuid, p_outcome text) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE lease SET state = 'free',
    last_done_at_ms = CASE p_outcome WHEN 'done' THEN taken_at_ms ELSE last_done_at_ms END,
    last_tried_at_ms = CASE p_outcome WHEN 'killed' THEN last_tried_at_ms ELSE taken_at_ms END,
    failures = CASE p_outcome WHEN 'killed' THEN failures WHEN 'failed' THEN failures + 1 ELSE 0 END
    WHERE tenant = p_tenant AND name = p_name AND state = 'held' AND generation = p_generation AND holder = p_holder;
  RETURN FOUND;
END $$;

CREATE FUNCTION confirm_lease(p_tenant text, p_name text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE lease SET last_done_at_ms = greatest(last_done_at_ms, last_tried_at_ms) WHERE tenant = p_tenant AND name = p_name;
END $$;

-- A time in the future is that of a clock that was wrong.
CREATE FUNCTION touch_lease(p_tenant text, p_name text, p_every_ms double precision, p_now_ms double precision) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO lease (tenant, name) VALUES (p_tenant, p_name) ON CONFLICT DO NOTHING;
  UPDATE lease SET last_scan_at_ms = now_ms(p_now_ms) WHERE tenant = p_tenant AND name = p_name
    AND (last_scan_at_ms IS NULL OR last_scan_at_ms > now_ms(p_now_ms) OR last_scan_at_ms <= now_ms(p_now_ms) - p_every_ms);
  RETURN FOUND;
END $$;

-- Days begin at midnight UTC.
CREATE FUNCTION day_of(p_now_ms double precision) RETURNS date LANGUAGE sql AS
  $$ SELECT (to_timestamp(palimpsest.now_ms(p_now_ms) / 1000) AT TIME ZONE 'UTC')::date $$;

CREATE FUNCTION spent_tokens(p_tenant text, p_name text, p_now_ms double precision) RETURNS double precision
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN coalesce((SELECT tokens FROM spent WHERE tenant = p_tenant AND name = p_name AND day = day_of(p_now_ms)), 0);
END $$;

CREATE FUNCTION spend_tokens(p_tenant text, p_name text, p_tokens double precision, p_now_ms double precision) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO spent VALUES (p_tenant, p_name, day_of(p_now_ms), p_tokens)
    ON CONFLICT (tenant, name, day) DO UPDATE SET tokens = spent.tokens + excluded.tokens;
  DELETE FROM spent WHERE tenant = p_tenant AND name = p_name AND day < day_of(p_now_ms);
END $$;
`;
