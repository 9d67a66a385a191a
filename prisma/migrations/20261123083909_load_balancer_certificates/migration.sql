-- AlterTable
ALTER TABLE "load_balancer_listeners" ADD COLUMN     "certificate_ids" UUID[] DEFAULT ARRAY[]::UUID[];
