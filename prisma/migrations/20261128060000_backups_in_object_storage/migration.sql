-- Where a backup of a database cluster is: beside the data of its host, or in the outside object storage.
ALTER TABLE "database_backups"
  ADD COLUMN "location" TEXT NOT NULL DEFAULT 'host',
  ADD CONSTRAINT "database_backups_location_check" CHECK (location IN ('host', 'object_storage'));
