-- CreateTable
CREATE TABLE "layers" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'active',
    "last_version" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "layers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "layer_versions" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "layer_id" UUID,
    "cell_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "status_reason" TEXT,
    "source" TEXT NOT NULL,
    "runtime" TEXT,
    "requirements" JSONB,
    "archive_sha256" TEXT,
    "sha256" TEXT,
    "size_bytes" BIGINT,
    "files" INTEGER,
    "lockfile" TEXT,
    "log" TEXT NOT NULL DEFAULT '',
    "same_as" UUID,
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "layer_versions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "layer_permissions" (
    "layer_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "grantee_id" UUID,
    "id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "layer_permissions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "layer_uses" (
    "function_id" UUID NOT NULL,
    "version_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,

    CONSTRAINT "layer_uses_pkey" PRIMARY KEY ("function_id","version_id")
);

-- CreateIndex
CREATE INDEX "layers_project_id_status_id_idx" ON "layers"("project_id", "status", "id");

-- CreateIndex
CREATE UNIQUE INDEX "layers_project_id_name_key" ON "layers"("project_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "layers_project_id_id_key" ON "layers"("project_id", "id");

-- CreateIndex
CREATE INDEX "layer_versions_project_id_layer_id_version_idx" ON "layer_versions"("project_id", "layer_id", "version");

-- CreateIndex
CREATE INDEX "layer_versions_status_cell_id_idx" ON "layer_versions"("status", "cell_id");

-- CreateIndex
CREATE UNIQUE INDEX "layer_versions_project_id_id_key" ON "layer_versions"("project_id", "id");

-- CreateIndex
CREATE INDEX "layer_permissions_grantee_id_idx" ON "layer_permissions"("grantee_id");

-- CreateIndex
CREATE INDEX "layer_uses_version_id_idx" ON "layer_uses"("version_id");

-- AddForeignKey
ALTER TABLE "layers" ADD CONSTRAINT "layers_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "layer_versions" ADD CONSTRAINT "layer_versions_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "layer_versions" ADD CONSTRAINT "layer_versions_project_id_layer_id_fkey" FOREIGN KEY ("project_id", "layer_id") REFERENCES "layers"("project_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "layer_permissions" ADD CONSTRAINT "layer_permissions_project_id_layer_id_fkey" FOREIGN KEY ("project_id", "layer_id") REFERENCES "layers"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "layer_uses" ADD CONSTRAINT "layer_uses_version_id_fkey" FOREIGN KEY ("version_id") REFERENCES "layer_versions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "layers"
  ADD CONSTRAINT "layers_status_check" CHECK (status = ANY (ARRAY['active']));
ALTER TABLE "layer_versions"
  ADD CONSTRAINT "layer_versions_status_check" CHECK (status IN ('building', 'ready', 'error', 'deleted')),
  ADD CONSTRAINT "layer_versions_source_check" CHECK (CASE source WHEN 'archive' THEN archive_sha256 IS NOT NULL AND requirements IS NULL
    WHEN 'requirements' THEN requirements IS NOT NULL AND runtime IS NOT NULL ELSE false END),
  ADD CONSTRAINT "layer_versions_content_check" CHECK (status <> 'ready' OR num_nulls(sha256, size_bytes, files) = 0),
  ADD CONSTRAINT "layer_versions_deleted_check" CHECK ((status = 'deleted') = (deleted_at IS NOT NULL)),
  ADD CONSTRAINT "layer_versions_layer_check" CHECK (layer_id IS NOT NULL OR status = 'deleted');

-- A number belongs to one content, and a content to one number, as long as it can be used.
CREATE UNIQUE INDEX "layer_versions_number_key" ON "layer_versions" (layer_id, version) WHERE same_as IS NULL;
CREATE UNIQUE INDEX "layer_versions_content_key" ON "layer_versions" (layer_id, sha256) WHERE same_as IS NULL AND status = 'ready';
CREATE UNIQUE INDEX "layer_permissions_grant_key" ON "layer_permissions" (layer_id, grantee_id) NULLS NOT DISTINCT;
CREATE INDEX "layer_versions_deleted_at_idx" ON "layer_versions" (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE INDEX "layers_prefix_idx" ON "layers" (project_id, lower(name) text_pattern_ops);
CREATE INDEX "layers_terms_idx" ON "layers" USING gin (search_terms(project_id, name)) WITH (fastupdate = off);
CREATE TRIGGER layers_untagged AFTER DELETE ON "layers" FOR EACH ROW EXECUTE FUNCTION resource_untagged();

CREATE FUNCTION layers_held(of_project uuid) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT count(*) FROM layers WHERE project_id = of_project);
END $$;
CREATE FUNCTION layer_versions_held(of_layer uuid) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT count(*) FROM layer_versions WHERE layer_id = of_layer AND status <> 'deleted' AND same_as IS NULL);
END $$;
