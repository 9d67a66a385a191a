-- AlterTable
ALTER TABLE "buckets" ADD COLUMN     "object_lock" JSONB;

-- AlterTable
ALTER TABLE "object_versions" ADD COLUMN     "legal_hold" BOOLEAN,
ADD COLUMN     "lock_mode" TEXT,
ADD COLUMN     "retain_until" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "object_uploads" ADD COLUMN     "lock" JSONB;

ALTER TABLE "buckets" ADD CONSTRAINT "buckets_object_lock_check" CHECK (object_lock IS NULL OR versioning = 'enabled');
ALTER TABLE "object_versions" ADD CONSTRAINT "object_versions_lock_check"
  CHECK (num_nonnulls(lock_mode, retain_until) <> 1 AND lock_mode IN ('GOVERNANCE', 'COMPLIANCE'));

-- Whoever deletes it and however: a version that is held or retained stays. Governance may be bypassed by who is allowed to, for
-- one transaction. Raises P0423.
CREATE FUNCTION object_version_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.legal_hold OR OLD.retain_until > platform_now()
    AND (OLD.lock_mode = 'COMPLIANCE' OR coalesce(current_setting('nephele.bypass_governance', true), '') <> 'on') THEN
    RAISE EXCEPTION 'the version is locked' USING ERRCODE = 'P0423';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER object_versions_kept BEFORE DELETE ON "object_versions" FOR EACH ROW
  WHEN (OLD.legal_hold OR OLD.retain_until IS NOT NULL) EXECUTE FUNCTION object_version_kept();

-- A new version with the retention that its bucket gives to those that have none of their own.
CREATE FUNCTION retained(v object_versions, b buckets) RETURNS object_versions LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF b.object_lock ? 'mode' AND v.retain_until IS NULL AND NOT v.delete_marker THEN
    v.lock_mode := b.object_lock->>'mode';
    v.retain_until := platform_now() + coalesce((b.object_lock->>'years')::int * interval '1 year', (b.object_lock->>'days')::int * interval '1 day');
  END IF;
  RETURN v;
END $$;

-- As before, with the bucket's retention.
CREATE OR REPLACE FUNCTION put_version(new_version object_versions, conditions jsonb) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  b buckets;
  past object_versions;
  replaced object_versions;
  was boolean;
BEGIN
  PERFORM lock_object(new_version.bucket_id, new_version.key);
  SELECT * INTO b FROM buckets WHERE id = new_version.bucket_id FOR KEY SHARE;
  IF b.id IS NULL THEN RAISE EXCEPTION 'no such bucket' USING ERRCODE = 'P0404'; END IF;
  SELECT * INTO past FROM object_versions WHERE bucket_id = new_version.bucket_id AND key = new_version.key AND latest;
  was := past.key IS NOT NULL AND NOT past.delete_marker;
  IF conditions ? 'match' AND NOT was THEN RAISE EXCEPTION 'no such object' USING ERRCODE = 'P0405'; END IF;
  IF conditions ? 'match' AND conditions->>'match' <> '*' AND conditions->>'match' <> past.etag
    OR conditions ? 'none_match' AND was AND conditions->>'none_match' IN ('*', past.etag) THEN
    RAISE EXCEPTION 'a condition does not hold' USING ERRCODE = 'P0412';
  END IF;
  new_version.version_id := CASE WHEN b.versioning = 'enabled' THEN replace(gen_random_uuid()::text, '-', '') ELSE 'null' END;
  new_version.seq := nextval('object_versions_seq');
  new_version.latest := true;
  new_version.modified_at := platform_now();
  IF b.object_lock IS NOT NULL THEN new_version := retained(new_version, b); END IF;
  IF new_version.version_id = 'null' THEN
    SELECT * INTO replaced FROM object_versions WHERE bucket_id = new_version.bucket_id AND key = new_version.key AND version_id = 'null';
    IF replaced.key IS NOT NULL THEN PERFORM remove_version(replaced); END IF;
  END IF;
  UPDATE object_versions SET latest = false WHERE bucket_id = new_version.bucket_id AND key = new_version.key AND latest;
  INSERT INTO object_versions SELECT new_version.*;
  PERFORM bucket_changed(b, CASE WHEN was THEN 0 ELSE 1 END - CASE WHEN new_version.delete_marker THEN 1 ELSE 0 END,
    new_version.size_bytes - coalesce(replaced.size_bytes, 0));
  RETURN new_version.version_id;
END $$;

-- As before. The answer `found` was always null: in PL/pgSQL that name is the outcome of the last statement.
DROP FUNCTION delete_object(uuid, text, text, jsonb);
CREATE FUNCTION delete_object(of_bucket uuid, of_key text, of_version text, conditions jsonb)
RETURNS TABLE (version text, marker boolean, existed boolean) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  b buckets;
  past object_versions;
  next_version object_versions;
  gone object_versions;
  was boolean;
BEGIN
  PERFORM lock_object(of_bucket, of_key);
  SELECT * INTO b FROM buckets WHERE id = of_bucket FOR KEY SHARE;
  IF b.id IS NULL THEN RAISE EXCEPTION 'no such bucket' USING ERRCODE = 'P0404'; END IF;
  SELECT * INTO past FROM object_versions WHERE bucket_id = of_bucket AND key = of_key AND latest;
  was := past.key IS NOT NULL AND NOT past.delete_marker;
  IF of_version IS NULL AND b.versioning = 'enabled' OR of_version IS NULL AND b.versioning = 'suspended' THEN
    gone := past;
  ELSE
    SELECT * INTO gone FROM object_versions WHERE bucket_id = of_bucket AND key = of_key AND version_id = coalesce(of_version, 'null');
  END IF;
  -- What is not there meets every condition.
  IF gone.key IS NOT NULL AND (
    conditions ? 'match' AND conditions->>'match' <> '*' AND (gone.delete_marker OR conditions->>'match' <> gone.etag)
    OR conditions ? 'modified_at' AND (gone.delete_marker OR date_trunc('second', gone.modified_at) <> date_trunc('second', (conditions->>'modified_at')::timestamptz))
    OR conditions ? 'size' AND (gone.delete_marker OR gone.size_bytes <> (conditions->>'size')::bigint)
  ) THEN
    RAISE EXCEPTION 'a condition does not hold' USING ERRCODE = 'P0412';
  END IF;
  IF conditions <> '{}' AND gone.key IS NULL THEN
    version := coalesce(of_version, 'null');
    marker := false;
    existed := false;
    RETURN NEXT;
    RETURN;
  END IF;
  IF of_version IS NULL AND b.versioning <> 'off' THEN
    next_version := (of_bucket, of_key, '', 0, true, true, 0, '', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, platform_now());
    version := put_version(next_version, '{}');
    marker := true;
    existed := was;
    RETURN NEXT;
    RETURN;
  END IF;
  version := coalesce(of_version, 'null');
  existed := gone.key IS NOT NULL;
  marker := existed AND gone.delete_marker;
  IF existed THEN
    PERFORM remove_version(gone);
    IF gone.latest THEN
      SELECT * INTO next_version FROM object_versions WHERE bucket_id = of_bucket AND key = of_key ORDER BY seq DESC LIMIT 1;
      UPDATE object_versions SET latest = true WHERE bucket_id = of_bucket AND key = of_key AND version_id = next_version.version_id;
    END IF;
    PERFORM bucket_changed(b, CASE WHEN gone.latest THEN
      CASE WHEN next_version.key IS NOT NULL AND NOT next_version.delete_marker THEN 1 ELSE 0 END - CASE WHEN was THEN 1 ELSE 0 END
      ELSE 0 END, -gone.size_bytes);
  END IF;
  RETURN NEXT;
END $$;
