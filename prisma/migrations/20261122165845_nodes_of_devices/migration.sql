-- AlterTable
ALTER TABLE "devices" ADD COLUMN     "node" TEXT;
