-- CreateTable
CREATE TABLE "buckets" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'active',
    "acl" TEXT NOT NULL,
    "public_write" BOOLEAN NOT NULL DEFAULT false,
    "grants" JSONB,
    "quota_bytes" BIGINT,
    "versioning" TEXT NOT NULL DEFAULT 'off',
    "policy" TEXT,
    "cors" JSONB,
    "lifecycle" JSONB,
    "tags" JSONB,
    "objects" BIGINT NOT NULL DEFAULT 0,
    "used_bytes" BIGINT NOT NULL DEFAULT 0,
    "swept_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "buckets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "object_versions" (
    "bucket_id" UUID NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "version_id" TEXT NOT NULL,
    "seq" BIGINT NOT NULL,
    "latest" BOOLEAN NOT NULL,
    "delete_marker" BOOLEAN NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "etag" TEXT NOT NULL,
    "content_type" TEXT,
    "headers" JSONB NOT NULL,
    "checksum" JSONB,
    "parts" JSONB,
    "content" BYTEA,
    "blobs" JSONB,
    "tags" JSONB,
    "acl" TEXT,
    "grants" JSONB,
    "modified_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "object_versions_pkey" PRIMARY KEY ("bucket_id","key","version_id")
);

-- CreateTable
CREATE TABLE "object_blobs" (
    "id" UUID NOT NULL,
    "bucket_id" UUID NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "md5" BYTEA NOT NULL,
    "freed_at" TIMESTAMPTZ(3),
    "scrubbed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "object_blobs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "object_uploads" (
    "id" UUID NOT NULL,
    "bucket_id" UUID NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "content_type" TEXT,
    "headers" JSONB NOT NULL,
    "checksum" JSONB,
    "tags" JSONB,
    "acl" TEXT,
    "initiator" TEXT NOT NULL,
    "size_bytes" BIGINT,
    "part_size" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "object_uploads_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "object_parts" (
    "upload_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "blob_id" UUID NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "etag" TEXT NOT NULL,
    "checksum" JSONB,
    "modified_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "object_parts_pkey" PRIMARY KEY ("upload_id","number")
);

-- CreateTable
CREATE TABLE "completed_uploads" (
    "id" UUID NOT NULL,
    "bucket_id" UUID NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "etag" TEXT NOT NULL,
    "version_id" TEXT NOT NULL,
    "completed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "completed_uploads_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "bucket_changes" (
    "id" BIGSERIAL NOT NULL,
    "bucket_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "bucket_name" TEXT NOT NULL,
    "objects" BIGINT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "egress" BIGINT NOT NULL,

    CONSTRAINT "bucket_changes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "object_credentials" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "access_key" TEXT NOT NULL,
    "sealed_secret" BYTEA NOT NULL,
    "description" TEXT NOT NULL,
    "bucket_id" UUID,
    "access" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "user_id" UUID,
    "hidden" BOOLEAN NOT NULL DEFAULT false,
    "session_id" UUID,
    "session_epoch" INTEGER,
    "token_id" UUID,
    "provider_id" UUID,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "object_credentials_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "buckets_name_key" ON "buckets"("name");

-- CreateIndex
CREATE INDEX "buckets_project_id_name_idx" ON "buckets"("project_id", "name");

-- CreateIndex
CREATE INDEX "buckets_project_id_status_id_idx" ON "buckets"("project_id", "status", "id");

-- CreateIndex
CREATE INDEX "buckets_swept_at_idx" ON "buckets"("swept_at");

-- CreateIndex
CREATE UNIQUE INDEX "buckets_project_id_id_key" ON "buckets"("project_id", "id");

-- CreateIndex
CREATE INDEX "object_versions_bucket_id_key_seq_idx" ON "object_versions"("bucket_id", "key", "seq" DESC);

-- CreateIndex
CREATE INDEX "object_blobs_scrubbed_at_idx" ON "object_blobs"("scrubbed_at");

-- CreateIndex
CREATE INDEX "object_uploads_bucket_id_key_id_idx" ON "object_uploads"("bucket_id", "key", "id");

-- CreateIndex
CREATE UNIQUE INDEX "object_parts_blob_id_key" ON "object_parts"("blob_id");

-- CreateIndex
CREATE INDEX "completed_uploads_completed_at_idx" ON "completed_uploads"("completed_at");

-- CreateIndex
CREATE INDEX "bucket_changes_bucket_id_idx" ON "bucket_changes"("bucket_id");

-- CreateIndex
CREATE UNIQUE INDEX "object_credentials_access_key_key" ON "object_credentials"("access_key");

-- CreateIndex
CREATE INDEX "object_credentials_project_id_user_id_idx" ON "object_credentials"("project_id", "user_id");

-- CreateIndex
CREATE INDEX "object_credentials_provider_id_idx" ON "object_credentials"("provider_id");

-- CreateIndex
CREATE UNIQUE INDEX "object_credentials_project_id_id_key" ON "object_credentials"("project_id", "id");

-- CreateIndex
CREATE INDEX "object_credentials_session_id_idx" ON "object_credentials"("session_id");

-- CreateIndex
CREATE INDEX "object_credentials_token_id_idx" ON "object_credentials"("token_id");

-- AddForeignKey
ALTER TABLE "buckets" ADD CONSTRAINT "buckets_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "object_versions" ADD CONSTRAINT "object_versions_bucket_id_fkey" FOREIGN KEY ("bucket_id") REFERENCES "buckets"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "object_uploads" ADD CONSTRAINT "object_uploads_bucket_id_fkey" FOREIGN KEY ("bucket_id") REFERENCES "buckets"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "object_parts" ADD CONSTRAINT "object_parts_upload_id_fkey" FOREIGN KEY ("upload_id") REFERENCES "object_uploads"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "object_credentials" ADD CONSTRAINT "object_credentials_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "object_credentials" ADD CONSTRAINT "object_credentials_project_id_user_id_fkey" FOREIGN KEY ("project_id", "user_id") REFERENCES "memberships"("project_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "object_credentials" ADD CONSTRAINT "object_credentials_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "object_credentials" ADD CONSTRAINT "object_credentials_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "api_tokens"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "object_credentials" ADD CONSTRAINT "object_credentials_provider_id_fkey" FOREIGN KEY ("provider_id") REFERENCES "identity_providers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "buckets"
  ADD CONSTRAINT "buckets_status_check" CHECK (status = ANY (ARRAY['active'])),
  ADD CONSTRAINT "buckets_acl_check" CHECK (acl IN ('private', 'public-read')),
  ADD CONSTRAINT "buckets_public_write_check" CHECK (acl = 'public-read' OR NOT public_write),
  ADD CONSTRAINT "buckets_versioning_check" CHECK (versioning IN ('off', 'enabled', 'suspended')),
  ADD CONSTRAINT "buckets_quota_bytes_check" CHECK (quota_bytes > 0);
ALTER TABLE "object_versions"
  ADD CONSTRAINT "object_versions_size_bytes_check" CHECK (size_bytes >= 0),
  ADD CONSTRAINT "object_versions_content_check" CHECK (num_nonnulls(content, blobs) = CASE WHEN delete_marker THEN 0 ELSE 1 END);
ALTER TABLE "object_credentials"
  ADD CONSTRAINT "object_credentials_access_check" CHECK (access IN ('read', 'write')),
  ADD CONSTRAINT "object_credentials_owner_check" CHECK (owner IN ('me', 'project')),
  ADD CONSTRAINT "object_credentials_bound_check" CHECK (CASE WHEN hidden THEN num_nonnulls(session_id, token_id, provider_id) = 1
    ELSE (owner = 'me') = (user_id IS NOT NULL) END);

-- One latest version of a key; lists read this index.
CREATE UNIQUE INDEX "object_versions_latest_key" ON "object_versions" (bucket_id, key) WHERE latest;
CREATE INDEX "object_blobs_freed_at_idx" ON "object_blobs" (freed_at) WHERE freed_at IS NOT NULL;
CREATE SEQUENCE "object_versions_seq" OWNED BY "object_versions".seq;

CREATE INDEX "buckets_prefix_idx" ON "buckets" (project_id, lower(name) text_pattern_ops);
CREATE INDEX "buckets_terms_idx" ON "buckets" USING gin (search_terms(project_id, name)) WITH (fastupdate = off);
CREATE TRIGGER buckets_untagged AFTER DELETE ON "buckets" FOR EACH ROW EXECUTE FUNCTION resource_untagged();

CREATE FUNCTION buckets_held(of_project uuid) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT count(*) FROM buckets WHERE project_id = of_project);
END $$;
CREATE FUNCTION object_credentials_held(of_project uuid) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT count(*) FROM object_credentials WHERE project_id = of_project AND NOT hidden
    AND (expires_at IS NULL OR expires_at > platform_now()));
END $$;

-- A bucket is billed for the bytes that it holds (decision 98).
CREATE FUNCTION size(b buckets) RETURNS jsonb LANGUAGE sql STABLE AS $$ SELECT jsonb_build_object('object_storage', b.used_bytes) $$;
CREATE FUNCTION billed(b buckets) RETURNS jsonb LANGUAGE sql STABLE AS $$ SELECT jsonb_build_object('object_storage', b.used_bytes) $$;
CREATE TRIGGER buckets_metered AFTER INSERT OR UPDATE OR DELETE ON "buckets" FOR EACH ROW EXECUTE FUNCTION resource_moved('bucket');

-- The bytes that a bucket holds now, with the changes that are not yet added up.
CREATE FUNCTION bucket_bytes(of_bucket uuid) RETURNS numeric LANGUAGE sql VOLATILE AS $$
  SELECT b.used_bytes + (SELECT coalesce(sum(c.bytes), 0) FROM bucket_changes c WHERE c.bucket_id = b.id) FROM buckets b WHERE b.id = of_bucket
$$;

-- Records what a change did to a bucket. With a quota, such changes take turns, so that no number of them passes it.
-- Raises P0402 when the bucket would hold more than its quota.
CREATE FUNCTION bucket_changed(b buckets, more_objects bigint, more_bytes bigint) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF more_objects = 0 AND more_bytes = 0 THEN RETURN; END IF;
  IF b.quota_bytes IS NOT NULL AND more_bytes > 0 THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('bucket ' || b.id, 0));
    IF bucket_bytes(b.id) + more_bytes > b.quota_bytes THEN
      RAISE EXCEPTION 'the quota of the bucket is exceeded' USING ERRCODE = 'P0402';
    END IF;
  END IF;
  INSERT INTO bucket_changes (bucket_id, project_id, bucket_name, objects, bytes, egress)
  VALUES (b.id, b.project_id, b.name, more_objects, more_bytes, 0);
END $$;

-- Changes of one key take turns from here to the end of the transaction.
CREATE FUNCTION lock_object(of_bucket uuid, of_key text) RETURNS void LANGUAGE sql VOLATILE AS $$
  SELECT pg_advisory_xact_lock(hashtextextended(of_bucket || '/' || of_key, 1))
$$;

CREATE FUNCTION free_blobs(of_blobs jsonb) RETURNS void LANGUAGE sql VOLATILE AS $$
  UPDATE object_blobs SET freed_at = platform_now() FROM jsonb_to_recordset(of_blobs) AS b (id uuid) WHERE object_blobs.id = b.id
$$;

CREATE FUNCTION remove_version(v object_versions) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  DELETE FROM object_versions WHERE (bucket_id, key, version_id) = (v.bucket_id, v.key, v.version_id);
  IF v.blobs IS NOT NULL THEN PERFORM free_blobs(v.blobs); END IF;
END $$;

-- Makes a version the latest of its key, in the bucket's mode of versioning, and returns its version id. `conditions`:
-- `match`, the ETag that the latest version must have, or `*`; `none_match`, an ETag that it must not have, or `*`.
-- Raises P0404 without the bucket, P0412 when a condition does not hold (P0405 if there is no object), P0402 for its quota.
CREATE FUNCTION put_version(new_version object_versions, conditions jsonb) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
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

-- As `put_version`, and its files. `files`: [{id, size, md5}], md5 in hex.
CREATE FUNCTION put_object(new_version object_versions, files jsonb, conditions jsonb) RETURNS TABLE (version text, at timestamptz) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  INSERT INTO object_blobs (id, bucket_id, key, size_bytes, md5, created_at)
  SELECT f.id, new_version.bucket_id, new_version.key, f.size, decode(f.md5, 'hex'), platform_now()
  FROM jsonb_to_recordset(files) AS f (id uuid, size bigint, md5 text);
  version := put_version(new_version, conditions);
  at := platform_now();
  RETURN NEXT;
END $$;

-- Deletes an object as S3 does: without a version id, a delete marker hides it where the bucket keeps versions. Returns
-- the version that was deleted or made, whether it is a delete marker, and whether there was anything.
CREATE FUNCTION delete_object(of_bucket uuid, of_key text, of_version text, conditions jsonb)
RETURNS TABLE (version text, marker boolean, found boolean) LANGUAGE plpgsql VOLATILE AS $$
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
    found := false;
    RETURN NEXT;
    RETURN;
  END IF;
  IF of_version IS NULL AND b.versioning <> 'off' THEN
    next_version := (of_bucket, of_key, '', 0, true, true, 0, '', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, platform_now());
    version := put_version(next_version, '{}');
    marker := true;
    found := was;
    RETURN NEXT;
    RETURN;
  END IF;
  version := coalesce(of_version, 'null');
  found := gone.key IS NOT NULL;
  marker := found AND gone.delete_marker;
  IF found THEN
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

-- Stores a part; a repeat replaces it. Raises P0406 when the upload has ended.
CREATE FUNCTION put_part(of_upload uuid, part_number int, file jsonb, part_etag text, part_checksum jsonb) RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  u object_uploads;
  b buckets;
  past object_parts;
  size bigint := (file->>'size')::bigint;
BEGIN
  SELECT * INTO u FROM object_uploads WHERE id = of_upload FOR SHARE;
  IF u.id IS NULL THEN RAISE EXCEPTION 'no such upload' USING ERRCODE = 'P0406'; END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('part ' || of_upload || part_number, 1));
  SELECT * INTO b FROM buckets WHERE id = u.bucket_id;
  INSERT INTO object_blobs (id, bucket_id, key, size_bytes, md5, created_at)
  VALUES ((file->>'id')::uuid, u.bucket_id, u.key, size, decode(file->>'md5', 'hex'), platform_now());
  SELECT * INTO past FROM object_parts WHERE upload_id = of_upload AND number = part_number;
  UPDATE object_blobs SET freed_at = platform_now() WHERE id = past.blob_id;
  INSERT INTO object_parts (upload_id, number, blob_id, size_bytes, etag, checksum, modified_at)
  VALUES (of_upload, part_number, (file->>'id')::uuid, size, part_etag, part_checksum, platform_now())
  ON CONFLICT (upload_id, number) DO UPDATE SET blob_id = excluded.blob_id, size_bytes = excluded.size_bytes, etag = excluded.etag,
    checksum = excluded.checksum, modified_at = excluded.modified_at;
  PERFORM bucket_changed(b, 0, size - coalesce(past.size_bytes, 0));
  RETURN platform_now();
END $$;

-- Ends an upload without an object. Returns false without one.
CREATE FUNCTION abort_upload(of_upload uuid) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  u object_uploads;
  b buckets;
  bytes bigint;
BEGIN
  SELECT * INTO u FROM object_uploads WHERE id = of_upload FOR UPDATE;
  IF u.id IS NULL THEN RETURN false; END IF;
  SELECT * INTO b FROM buckets WHERE id = u.bucket_id;
  UPDATE object_blobs SET freed_at = platform_now() FROM object_parts p WHERE p.upload_id = of_upload AND object_blobs.id = p.blob_id;
  SELECT coalesce(sum(size_bytes), 0) INTO bytes FROM object_parts WHERE upload_id = of_upload;
  DELETE FROM object_uploads WHERE id = of_upload;
  PERFORM bucket_changed(b, 0, -bytes);
  RETURN true;
END $$;

-- Makes an object of the named parts, whose files must still be these, in this order. Raises P0406 when the upload has
-- ended, P0409 when a part has changed meanwhile, and what `put_version` raises.
CREATE FUNCTION complete_upload(of_upload uuid, new_version object_versions, part_blobs uuid[], conditions jsonb)
RETURNS TABLE (version text, at timestamptz) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  u object_uploads;
  b buckets;
  bytes bigint;
BEGIN
  SELECT * INTO u FROM object_uploads WHERE id = of_upload FOR UPDATE;
  IF u.id IS NULL THEN RAISE EXCEPTION 'no such upload' USING ERRCODE = 'P0406'; END IF;
  IF (SELECT count(*) FROM object_parts WHERE upload_id = of_upload AND blob_id = ANY (part_blobs)) <> cardinality(part_blobs) THEN
    RAISE EXCEPTION 'a part has changed' USING ERRCODE = 'P0409';
  END IF;
  SELECT * INTO b FROM buckets WHERE id = u.bucket_id;
  SELECT coalesce(sum(size_bytes), 0) INTO bytes FROM object_parts WHERE upload_id = of_upload;
  UPDATE object_blobs SET freed_at = platform_now() FROM object_parts p
  WHERE p.upload_id = of_upload AND object_blobs.id = p.blob_id AND p.blob_id <> ALL (part_blobs);
  DELETE FROM object_uploads WHERE id = of_upload;
  -- First what the parts held: the object holds it from now on.
  PERFORM bucket_changed(b, 0, -bytes);
  version := put_version(new_version, conditions);
  at := platform_now();
  INSERT INTO completed_uploads (id, bucket_id, key, etag, version_id, completed_at)
  VALUES (of_upload, new_version.bucket_id, new_version.key, new_version.etag, version, at);
  RETURN NEXT;
END $$;
