-- CreateTable
CREATE TABLE "sample_pushes" (
    "device_id" UUID NOT NULL,
    "shape_id" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sample_pushes_pkey" PRIMARY KEY ("at","device_id","shape_id")
);
