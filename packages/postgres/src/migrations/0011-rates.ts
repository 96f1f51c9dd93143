/** Limits of providers that all workers share. The same rule in TypeScript: `planExchange` of @palimpsest/coordination. */
export const RATES = `
-- Buckets belong to the keys of the service, not to a tenant, and say nothing of any. They change often: a page has room for it.
CREATE TABLE rate_bucket (
  key text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  requests double precision NOT NULL,
  tokens double precision NOT NULL,
  -- When the level was right. In the future while the bucket is paused.
  at_ms double precision NOT NULL,
  -- Where the service stands: the start of the newest grant, in time of the limit.
  virtual_ms double precision NOT NULL DEFAULT 0,
  PRIMARY KEY (key, model)
) WITH (fillfactor = 50);
-- What each tenant has had of a bucket. A flow is the digest of a tenant's name. It is forgotten ten minutes after its last
-- request, when others use the bucket.
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

-- How long the limit needs for an amount: by requests or by tokens, whichever is more.
CREATE FUNCTION rate_time(p_requests double precision, p_tokens double precision, p_requests_per_ms double precision,
  p_tokens_per_ms double precision)
RETURNS double precision LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN abs(p_requests / p_requests_per_ms) > abs(p_tokens / p_tokens_per_ms)
  THEN p_requests / p_requests_per_ms ELSE p_tokens / p_tokens_per_ms END $$;

-- Gives back and takes, for any number of tenants in one step. The bucket's row orders the workers. A crash may forget the newest
-- grants: nobody waits for the disk.
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

-- It fills again when the pause is over: whoever waited does not come back all at once.
CREATE FUNCTION pause_rates(p_key text, p_model text, p_for_ms double precision, p_now_ms double precision) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT AS $$
  UPDATE rate_bucket SET requests = least(requests, 0), tokens = least(tokens, 0), at_ms = greatest(at_ms, now_ms(p_now_ms) + p_for_ms)
    WHERE key = p_key AND model = p_model;
$$;
`;
