-- A constant was shown as if it had been measured.
ALTER TABLE "database_jobs" DROP COLUMN "lost_writes";
