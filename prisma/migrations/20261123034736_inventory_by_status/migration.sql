-- CreateIndex
CREATE INDEX "images_project_id_id_idx" ON "images"("project_id", "id");

-- CreateIndex
CREATE INDEX "images_project_id_status_id_idx" ON "images"("project_id", "status", "id");

-- CreateIndex
CREATE INDEX "instances_project_id_status_id_idx" ON "instances"("project_id", "status", "id");

-- CreateIndex
CREATE INDEX "snapshots_project_id_status_id_idx" ON "snapshots"("project_id", "status", "id");

-- CreateIndex
CREATE INDEX "volumes_project_id_status_id_idx" ON "volumes"("project_id", "status", "id");
