-- Which card is the default is one fact of the customer, not one of every card.
DROP INDEX "payment_methods_default";
ALTER TABLE "payment_methods" DROP COLUMN "is_default";
ALTER TABLE "payment_customers" ADD COLUMN     "default_id" UUID;
