-- AlterTable
ALTER TABLE "gateway_routes" DROP COLUMN "sent_bytes";

-- CreateTable
CREATE TABLE "gateway_former_routes" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "backends" JSONB NOT NULL,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "gateway_former_routes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "gateway_former_routes_deleted_at_idx" ON "gateway_former_routes"("deleted_at");

-- AddForeignKey
ALTER TABLE "gateway_former_routes" ADD CONSTRAINT "gateway_former_routes_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
