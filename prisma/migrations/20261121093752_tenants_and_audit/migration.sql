-- DropIndex
DROP INDEX "audit_entries_project_id_id_idx";

-- AlterTable
ALTER TABLE "audit_entries" ADD COLUMN     "activity" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "suspended_at" TIMESTAMPTZ(3),
ADD COLUMN     "suspension_reason" TEXT;

-- CreateIndex
CREATE INDEX "audit_entries_project_id_at_id_idx" ON "audit_entries"("project_id", "at", "id");

-- CreateIndex
CREATE INDEX "audit_entries_at_id_idx" ON "audit_entries"("at", "id");

-- The moment and the reason of a suspension go with it.
ALTER TABLE "projects" ADD CONSTRAINT "projects_suspension_check"
  CHECK (status = 'suspended' OR (suspended_at IS NULL AND suspension_reason IS NULL));

-- What a project's overview shows of its latest changes, and the few administrators among all people.
CREATE INDEX "audit_entries_activity_idx" ON "audit_entries" ("project_id", "at", "id") WHERE "activity";
CREATE INDEX "users_administrators_idx" ON "users" ("id") WHERE "administrator";
