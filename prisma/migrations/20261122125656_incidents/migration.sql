-- CreateTable
CREATE TABLE "incidents" (
    "id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "project_id" UUID,
    "resource_type" TEXT NOT NULL,
    "resource_id" UUID NOT NULL,
    "operation_id" UUID,
    "reason" TEXT NOT NULL,
    "opened_at" TIMESTAMPTZ(3) NOT NULL,
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "incidents_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "incidents_project_id_id_idx" ON "incidents"("project_id", "id");

-- CreateIndex
CREATE INDEX "incidents_resource_id_id_idx" ON "incidents"("resource_id", "id");

-- One open incident for each key.
CREATE UNIQUE INDEX "incidents_open_idx" ON "incidents" (key) WHERE closed_at IS NULL;

-- What the purge looks for.
CREATE INDEX "incidents_closed_idx" ON "incidents" (closed_at) WHERE closed_at IS NOT NULL;
