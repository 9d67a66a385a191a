ALTER TABLE "database_backups" ADD COLUMN     "ram_gb" DECIMAL(10,3) NOT NULL DEFAULT 0;
