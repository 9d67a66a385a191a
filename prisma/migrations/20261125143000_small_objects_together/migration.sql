DROP FUNCTION put_small_objects(uuid, jsonb);

-- Stores objects of different keys in one bucket, without files, as `put_version` does for each. `versions`: [{key, size_bytes, …}] without
-- what the database adds; `start` is where the content of each begins in `contents`, from 1. One with `access` is stored only if
-- that number is in `confirmed` (decision 124). Returns the versions that were stored by their places, from 0. Raises P0404 without the
-- bucket, P0402 for its quota.
CREATE FUNCTION put_small_objects(of_bucket uuid, versions jsonb, contents bytea, confirmed int[])
RETURNS TABLE (place int, version text, at timestamptz) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  b buckets;
  stored record;
  replacing object_versions;
BEGIN
  -- In the order of their keys, so that no two such calls wait for each other.
  PERFORM lock_object(of_bucket, o.key) FROM (
    SELECT value->>'key' AS key FROM jsonb_array_elements(versions) ORDER BY value->>'key' COLLATE "C" OFFSET 0) AS o;
  SELECT * INTO b FROM buckets WHERE id = of_bucket FOR KEY SHARE;
  IF b.id IS NULL THEN RAISE EXCEPTION 'no such bucket' USING ERRCODE = 'P0404'; END IF;
  FOR stored IN
    WITH given AS MATERIALIZED (
      SELECT (e.ordinality - 1)::int AS place, e.value, f.*
      FROM jsonb_array_elements(versions) WITH ORDINALITY AS e,
        jsonb_to_record(e.value) AS f (key text, size_bytes bigint, start int, access int, etag text, content_type text, headers jsonb,
          checksum jsonb, tags jsonb, acl text)
      WHERE f.access IS NULL OR f.access = ANY (confirmed)
    ), made AS (
      -- New keys, which are most. Nothing is in the way of them, whatever the bucket's versioning is.
      INSERT INTO object_versions (bucket_id, key, version_id, seq, latest, delete_marker, size_bytes, etag, content_type, headers, checksum,
        content, tags, acl, modified_at)
      SELECT of_bucket, g.key, CASE WHEN b.versioning = 'enabled' THEN replace(gen_random_uuid()::text, '-', '') ELSE 'null' END,
        nextval('object_versions_seq'), true, false, g.size_bytes, g.etag, g.content_type, g.headers, g.checksum,
        substring(contents FROM g.start FOR g.size_bytes::int), g.tags, g.acl, platform_now()
      FROM given AS g WHERE b.object_lock IS NULL
      ON CONFLICT DO NOTHING
      RETURNING key, version_id, modified_at, size_bytes
    ), counted AS (
      SELECT bucket_changed(b, count(*), coalesce(sum(size_bytes), 0)::bigint) FROM made
    )
    SELECT g.place, g.value, g.start, g.size_bytes, m.version_id, m.modified_at FROM counted, given AS g LEFT JOIN made AS m ON m.key = g.key
  LOOP
    place := stored.place;
    version := stored.version_id;
    at := stored.modified_at;
    IF version IS NULL THEN
      replacing := jsonb_populate_record(NULL::object_versions, stored.value);
      replacing.bucket_id := of_bucket;
      replacing.delete_marker := false;
      replacing.content := substring(contents FROM stored.start FOR stored.size_bytes::int);
      version := put_version(replacing, '{}');
      at := platform_now();
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;
