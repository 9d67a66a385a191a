-- AlterTable
ALTER TABLE "users" ADD COLUMN     "initial_password" BOOLEAN NOT NULL DEFAULT false;
