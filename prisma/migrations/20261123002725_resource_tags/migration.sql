-- CreateTable
CREATE TABLE "resource_tags" (
    "project_id" UUID NOT NULL,
    "resource_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,

    CONSTRAINT "resource_tags_pkey" PRIMARY KEY ("resource_id","key")
);

-- CreateTable
CREATE TABLE "invoice_tags" (
    "invoice_id" UUID NOT NULL,
    "resource_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,

    CONSTRAINT "invoice_tags_pkey" PRIMARY KEY ("invoice_id","key","resource_id")
);

-- CreateIndex
CREATE INDEX "resource_tags_project_id_key_value_resource_id_idx" ON "resource_tags"("project_id", "key", "value", "resource_id");

-- AddForeignKey
ALTER TABLE "resource_tags" ADD CONSTRAINT "resource_tags_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice_tags" ADD CONSTRAINT "invoice_tags_invoice_id_fkey" FOREIGN KEY ("invoice_id") REFERENCES "invoices"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Checks of the API, for every writer.
ALTER TABLE "resource_tags" ADD CONSTRAINT "resource_tags_check" CHECK (key ~ '^[a-z0-9_.:/-]{1,64}$' AND char_length(value) <= 255);

-- The tags of an invoice are as final as its lines.
CREATE TRIGGER invoice_tags_immutable BEFORE UPDATE OR DELETE ON "invoice_tags" FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoice_tags_kept BEFORE TRUNCATE ON "invoice_tags" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The trigger of every table of resources: tags are removed with their resource.
CREATE FUNCTION resource_untagged() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM resource_tags WHERE resource_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER instances_untagged AFTER DELETE ON "instances" FOR EACH ROW EXECUTE FUNCTION resource_untagged();
CREATE TRIGGER key_pairs_untagged AFTER DELETE ON "key_pairs" FOR EACH ROW EXECUTE FUNCTION resource_untagged();
CREATE TRIGGER networks_untagged AFTER DELETE ON "networks" FOR EACH ROW EXECUTE FUNCTION resource_untagged();
CREATE TRIGGER ports_untagged AFTER DELETE ON "ports" FOR EACH ROW EXECUTE FUNCTION resource_untagged();
CREATE TRIGGER security_groups_untagged AFTER DELETE ON "security_groups" FOR EACH ROW EXECUTE FUNCTION resource_untagged();
CREATE TRIGGER floating_ips_untagged AFTER DELETE ON "floating_ips" FOR EACH ROW EXECUTE FUNCTION resource_untagged();
CREATE TRIGGER volumes_untagged AFTER DELETE ON "volumes" FOR EACH ROW EXECUTE FUNCTION resource_untagged();
CREATE TRIGGER snapshots_untagged AFTER DELETE ON "snapshots" FOR EACH ROW EXECUTE FUNCTION resource_untagged();
CREATE TRIGGER images_untagged AFTER DELETE ON "images" FOR EACH ROW EXECUTE FUNCTION resource_untagged();
CREATE TRIGGER secrets_untagged AFTER DELETE ON "secrets" FOR EACH ROW EXECUTE FUNCTION resource_untagged();
