-- CreateTable
CREATE TABLE "certificates" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "domains" TEXT[],
    "chain_pem" TEXT,
    "sealed_key" BYTEA,
    "chain" JSONB NOT NULL,
    "fingerprint_sha256" TEXT,
    "not_before" TIMESTAMPTZ(3),
    "not_after" TIMESTAMPTZ(3),
    "expiring_at" TIMESTAMPTZ(3),
    "status_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "certificates_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "certificate_uses" (
    "certificate_id" UUID NOT NULL,
    "resource_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "resource_type" TEXT NOT NULL,
    "resource_name" TEXT NOT NULL,

    CONSTRAINT "certificate_uses_pkey" PRIMARY KEY ("certificate_id","resource_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "certificates_project_id_id_key" ON "certificates"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "certificates_project_id_name_key" ON "certificates"("project_id", "name");

-- CreateIndex
CREATE INDEX "certificate_uses_resource_id_idx" ON "certificate_uses"("resource_id");

-- CreateIndex
CREATE INDEX "certificate_uses_project_id_certificate_id_idx" ON "certificate_uses"("project_id", "certificate_id");

-- AddForeignKey
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "certificate_uses" ADD CONSTRAINT "certificate_uses_project_id_certificate_id_fkey" FOREIGN KEY ("project_id", "certificate_id") REFERENCES "certificates"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;


ALTER TABLE "certificates"
  ADD CONSTRAINT "certificates_issuer_check" CHECK (issuer IN ('upload', 'acme')),
  ADD CONSTRAINT "certificates_domains_check" CHECK (cardinality(domains) > 0),
  ADD CONSTRAINT "certificates_material_check" CHECK (num_nulls(chain_pem, sealed_key, fingerprint_sha256, not_before, not_after, expiring_at) IN (0, 6)),
  ADD CONSTRAINT "certificates_upload_check" CHECK (issuer = 'acme' OR chain_pem IS NOT NULL);

-- Counted like the other capped resources.
CREATE FUNCTION certificates_held(of_project uuid) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT count(*) FROM certificates WHERE project_id = of_project);
END $$;

CREATE INDEX "certificates_prefix_idx" ON "certificates" (project_id, lower(name) text_pattern_ops);
CREATE INDEX "certificates_terms_idx" ON "certificates" USING gin (search_terms(project_id, name)) WITH (fastupdate = off);

CREATE TRIGGER certificates_untagged AFTER DELETE ON "certificates" FOR EACH ROW EXECUTE FUNCTION resource_untagged();

-- A resource that is deleted no longer uses certificates: the trigger of its table runs this.
CREATE FUNCTION certificates_released() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM certificate_uses WHERE resource_id = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER load_balancers_certificates AFTER DELETE ON "load_balancers" FOR EACH ROW EXECUTE FUNCTION certificates_released();
