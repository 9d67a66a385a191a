-- Stores objects of different keys in one bucket, without files, as `put_version` does for each. `versions`: the rows without what
-- the database adds. Returns version ids by their places, from 0. Raises P0404 without the bucket, P0402 for its quota.
CREATE FUNCTION put_small_objects(of_bucket uuid, versions jsonb) RETURNS TABLE (place int, version text, at timestamptz) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  b buckets;
  given object_versions[] := '{}';
  one object_versions;
  more_objects bigint;
  more_bytes bigint;
  past bigint;
  gone_bytes bigint;
  gone_blobs jsonb;
BEGIN
  -- In the order of their keys, so that no two such calls wait for each other.
  PERFORM lock_object(of_bucket, o.key) FROM (
    SELECT value->>'key' AS key FROM jsonb_array_elements(versions) ORDER BY value->>'key' COLLATE "C" OFFSET 0) AS o;
  SELECT * INTO b FROM buckets WHERE id = of_bucket FOR KEY SHARE;
  IF b.id IS NULL THEN RAISE EXCEPTION 'no such bucket' USING ERRCODE = 'P0404'; END IF;
  FOR one IN SELECT r.* FROM jsonb_array_elements(versions) AS e, jsonb_populate_record(NULL::object_versions, e.value) AS r LOOP
    one.bucket_id := of_bucket;
    one.version_id := CASE WHEN b.versioning = 'enabled' THEN replace(gen_random_uuid()::text, '-', '') ELSE 'null' END;
    one.seq := nextval('object_versions_seq');
    one.latest := true;
    one.delete_marker := false;
    one.modified_at := platform_now();
    IF b.object_lock IS NOT NULL THEN one := retained(one, b); END IF;
    given := given || one;
  END LOOP;
  SELECT count(*) FILTER (WHERE p.key IS NULL OR p.delete_marker), coalesce(sum(g.size_bytes), 0), count(p.key)
    INTO more_objects, more_bytes, past
    FROM unnest(given) AS g LEFT JOIN object_versions p ON p.bucket_id = of_bucket AND p.key = g.key AND p.latest;
  IF past > 0 THEN
    WITH gone AS (
      DELETE FROM object_versions o USING unnest(given) AS g
      WHERE o.bucket_id = of_bucket AND o.key = g.key AND o.version_id = 'null' AND g.version_id = 'null'
      RETURNING o.size_bytes, o.blobs
    )
    SELECT coalesce(sum(size_bytes), 0), (SELECT jsonb_agg(e.value) FROM gone, jsonb_array_elements(gone.blobs) AS e)
      INTO gone_bytes, gone_blobs FROM gone;
    more_bytes := more_bytes - gone_bytes;
    IF gone_blobs IS NOT NULL THEN PERFORM free_blobs(gone_blobs); END IF;
    UPDATE object_versions o SET latest = false FROM unnest(given) AS g
      WHERE o.bucket_id = of_bucket AND o.key = g.key AND o.latest;
  END IF;
  INSERT INTO object_versions SELECT g.* FROM unnest(given) AS g;
  PERFORM bucket_changed(b, more_objects, more_bytes);
  RETURN QUERY SELECT (g.ordinality - 1)::int, g.version_id, g.modified_at FROM unnest(given) WITH ORDINALITY AS g ORDER BY 1;
END $$;
