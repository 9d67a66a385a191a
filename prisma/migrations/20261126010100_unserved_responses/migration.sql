-- AlterTable
ALTER TABLE "gateway_routes" ADD COLUMN     "unserved_responses" BIGINT NOT NULL DEFAULT 0;
